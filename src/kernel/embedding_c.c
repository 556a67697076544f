/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/embedding.h"

#include <string.h>

#include "kernel/exact.h"

/*
 * The scalar oracle of normalisation (docs/packets.md). Numbers are first scaled by a power of two,
 * by which the largest lies in 1..2: squares neither overflow nor vanish. What is smaller than that
 * by 2^60 becomes 0, so that nothing here is ever subnormal and hardware that flushes subnormals
 * gives the same bytes. Partial sums have a fixed order that suits registers of up to 16 lanes.
 */

#define FRACTION_BITS 23
#define EXPONENT_MASK 0xffu
#define ONE_EXPONENT  127u
#define LEAST_BELOW   60u
#define LANES         16u

static uint32_t exponent_of(float value)
{
    return rung__f32_bits(value) >> FRACTION_BITS & EXPONENT_MASK;
}

uint32_t rung__embedding_find_not_finite(const float *values, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && exponent_of(values[i]) != EXPONENT_MASK)
        i++;
    return i;
}

/** The exponent of the largest number, 0 when there are only zeros and subnormals. */
static uint32_t largest_exponent(const float *values, uint32_t count)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < count; i++)
        if (exponent_of(values[i]) > largest)
            largest = exponent_of(values[i]);
    return largest;
}

/** value × 2^(127 − largest), exactly, or 0. */
static float scale(float value, uint32_t largest)
{
    const uint32_t exponent = exponent_of(value);
    if (exponent == 0 || exponent + LEAST_BELOW < largest)
        return 0.0f;
    return rung__f32_from_bits(rung__f32_bits(value) + ((ONE_EXPONENT - largest) << FRACTION_BITS));
}

static float sum_of_squares(const float *values, uint32_t count)
{
    float sums[LANES] = {0};
    for (uint32_t i = 0; i < count; i++) {
        const float square = values[i] * values[i];
        sums[i % LANES] = sums[i % LANES] + square;
    }
    for (uint32_t half = LANES / 2; half > 0; half /= 2)
        for (uint32_t lane = 0; lane < half; lane++)
            sums[lane] = sums[lane] + sums[lane + half];
    return sums[0];
}

void rung__normalise_c(const float *values, uint32_t count, float *to)
{
    const uint32_t largest = largest_exponent(values, count);
    if (largest == 0) {
        memset(to, 0, (size_t)count * sizeof *to);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        to[i] = scale(values[i], largest);
    const float norm = rung__root(sum_of_squares(to, count));
    for (uint32_t i = 0; i < count; i++)
        to[i] = to[i] / norm;
}
