/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>
#include <string.h>

#include "kernel/embedding.h"
#include "kernel/exact.h"

/*
 * Normalisation as embedding_c.c has it, sixteen numbers at a time: the sixteen partial sums are
 * four registers. Products and sums are instructions of their own, never fused.
 */

#define FRACTION_BITS 23
#define ONE_EXPONENT  127u
#define LEAST_BELOW   60u
#define BLOCK         16u

static uint32x4_t exponents_of(uint32x4_t bits)
{
    return vandq_u32(vshrq_n_u32(bits, FRACTION_BITS), vdupq_n_u32(0xff));
}

/** The bits of the numbers at..at + 3; those that are missing are 0, which changes no sum. */
static uint32x4_t load(const float *values, uint32_t at, uint32_t count)
{
    uint32_t bits[4] = {0};
    if (at + 4 <= count)
        return vreinterpretq_u32_f32(vld1q_f32(values + at));
    if (at < count)
        memcpy(bits, values + at, (count - at) * sizeof *bits);
    return vld1q_u32(bits);
}

static void store(float32x4_t four, uint32_t at, uint32_t count, float *to)
{
    float values[4];
    if (at + 4 <= count) {
        vst1q_f32(to + at, four);
        return;
    }
    vst1q_f32(values, four);
    if (at < count)
        memcpy(to + at, values, (count - at) * sizeof *values);
}

static uint32_t largest_exponent(const float *values, uint32_t count)
{
    uint32x4_t largest = vdupq_n_u32(0);
    for (uint32_t i = 0; i < count; i += 4)
        largest = vmaxq_u32(largest, exponents_of(load(values, i, count)));
    return vmaxvq_u32(largest);
}

/** value × 2^(127 − largest), exactly, or 0. */
static float32x4_t scale(uint32x4_t bits, uint32_t largest)
{
    const uint32_t least = largest > LEAST_BELOW ? largest - LEAST_BELOW : 1;
    const uint32x4_t counts = vcgeq_u32(exponents_of(bits), vdupq_n_u32(least));
    const uint32x4_t shift = vdupq_n_u32((ONE_EXPONENT - largest) << FRACTION_BITS);
    return vreinterpretq_f32_u32(vandq_u32(vaddq_u32(bits, shift), counts));
}

/** Scales the numbers into `to`; returns the sum of their squares. */
static float scale_all(const float *values, uint32_t count, uint32_t largest, float *to)
{
    float32x4_t sums[BLOCK / 4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
    for (uint32_t i = 0; i < count; i += BLOCK)
        for (uint32_t j = 0; j < BLOCK / 4; j++) {
            const float32x4_t four = scale(load(values, i + 4 * j, count), largest);
            sums[j] = vaddq_f32(sums[j], vmulq_f32(four, four));
            store(four, i + 4 * j, count, to);
        }
    const float32x4_t low = vaddq_f32(sums[0], sums[2]), high = vaddq_f32(sums[1], sums[3]);
    const float32x4_t four = vaddq_f32(low, high);
    const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
    return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}

void rung__normalise_neon(const float *values, uint32_t count, float *to)
{
    const uint32_t largest = largest_exponent(values, count);
    if (largest == 0) {
        memset(to, 0, (size_t)count * sizeof *to);
        return;
    }
    const float32x4_t norm = vdupq_n_f32(rung__root(scale_all(values, count, largest, to)));
    for (uint32_t i = 0; i < count; i += 4)
        store(vdivq_f32(vreinterpretq_f32_u32(load(to, i, count)), norm), i, count, to);
}
