/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>

#include "kernel/scan.h"

#define LANES 4u

static bool is_any(uint32x4_t lanes)
{
    return vmaxvq_u32(lanes) != 0;
}

/** Appends the scores of those of four that are in the range. */
static uint32_t append(struct rung__scan_marks *marks, uint32_t marked, const float *scores,
                       uint32_t first, uint32x4_t in)
{
    static const uint32_t of_lanes[LANES] = {1, 2, 4, 8};
    for (uint32_t bits = vaddvq_u32(vandq_u32(in, vld1q_u32(of_lanes))); bits; bits &= bits - 1) {
        const uint32_t at = first + (uint32_t)__builtin_ctz(bits);
        marks->positions[marked] = at;
        marks->scores[marked++] = scores[at];
    }
    return marked;
}

static void mark(const float *scores, uint32_t count, struct rung__scan_range range,
                 struct rung__scan_marks *marks)
{
    const float32x4_t least = vdupq_n_f32(range.least), below = vdupq_n_f32(range.below);
    uint32_t marked = 0, i = 0;
    for (; i + 4 * LANES <= count; i += 4 * LANES) {
        uint32x4_t in[4];
        for (uint32_t v = 0; v < 4; v++) {
            const float32x4_t values = vld1q_f32(scores + i + (size_t)v * LANES);
            in[v] = vandq_u32(vcgeq_f32(values, least), vcltq_f32(values, below));
        }
        if (is_any(vorrq_u32(vorrq_u32(in[0], in[1]), vorrq_u32(in[2], in[3]))))
            for (uint32_t v = 0; v < 4; v++)
                marked = append(marks, marked, scores, i + v * LANES, in[v]);
    }
    for (; i < count; i++)
        if (scores[i] >= range.least && scores[i] < range.below) {
            marks->positions[marked] = i;
            marks->scores[marked++] = scores[i];
        }
    marks->count = marked;
}

/* ---- confidences ----------------------------------------------------------------------------- */

/* Products and sums are instructions of their own, never fused. */

static float32x4_t times(float32x4_t x, float factor)
{
    return vmulq_f32(x, vdupq_n_f32(factor));
}

static float32x4_t step_of(float32x4_t p, float32x4_t r, float coefficient)
{
    return vaddq_f32(vmulq_f32(p, r), vdupq_n_f32(coefficient));
}

/** rung__exp of numbers up to 0. */
static float32x4_t exp_of(float32x4_t x)
{
    x = vmaxq_f32(x, vdupq_n_f32(-87.0f));
    const float32x4_t n = vrndnq_f32(times(x, 1.44269504f));
    float32x4_t r = vsubq_f32(x, times(n, 0.693359375f));
    r = vsubq_f32(r, times(n, -2.12194440e-4f));
    float32x4_t p = step_of(vdupq_n_f32(1.9875691500e-4f), r, 1.3981999507e-3f);
    p = step_of(p, r, 8.3334519073e-3f);
    p = step_of(p, r, 4.1665795894e-2f);
    p = step_of(p, r, 1.6666665459e-1f);
    p = step_of(p, r, 5.0000001201e-1f);
    float32x4_t y = vaddq_f32(vmulq_f32(p, vmulq_f32(r, r)), r);
    y = vaddq_f32(y, vdupq_n_f32(1.0f));
    const int32x4_t exponent = vshlq_n_s32(vcvtq_s32_f32(n), 23);
    return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(y), exponent));
}

static float64x2_t f64_of(uint32x2_t whole)
{
    return vcvtq_f64_u64(vmovl_u32(whole));
}

/**
 * (65535·part + divisor/2) / divisor, whole. The sum is below 2^41 and a quotient that is not whole
 * misses the next whole number by 2^-25 or more, so that a double cannot round up to it.
 */
static uint32x2_t quotient(uint32x2_t part, uint32x2_t divisor)
{
    const float64x2_t scaled = vmulq_f64(f64_of(part), vdupq_n_f64(65535.0));
    const float64x2_t sum = vaddq_f64(scaled, f64_of(vshr_n_u32(divisor, 1)));
    return vmovn_u64(vcvtq_u64_f64(vdivq_f64(sum, f64_of(divisor))));
}

static uint32x4_t sigmoids(float32x4_t x)
{
    const uint32x4_t one = vdupq_n_u32(1 << 24);
    const float32x4_t e = exp_of(vnegq_f32(vabsq_f32(x)));
    const uint32x4_t small = vcvtnq_u32_f32(times(e, 16777216.0f));
    const uint32x4_t divisor = vaddq_u32(one, small);
    const uint32x4_t part = vbslq_u32(vcgezq_f32(x), one, small);
    return vcombine_u32(quotient(vget_low_u32(part), vget_low_u32(divisor)),
                        quotient(vget_high_u32(part), vget_high_u32(divisor)));
}

static uint32x4_t shares(float32x4_t x)
{
    x = vminq_f32(vmaxq_f32(x, vdupq_n_f32(0.0f)), vdupq_n_f32(1.0f));
    return vcvtnq_u32_f32(times(x, 65535.0f));
}

static void rate(bool is_logit, struct rung__scan_marks *marks)
{
    /* What lies behind the last one is rated too, whatever it is: there is room. */
    for (uint32_t i = 0; i < marks->count; i += LANES) {
        const float32x4_t x = vld1q_f32(marks->scores + i);
        vst1_u16(marks->confidences + i, vmovn_u32(is_logit ? sigmoids(x) : shares(x)));
    }
}

/* ---- best scores ----------------------------------------------------------------------------- */

static uint32x4_t magnitude_of(float32x4_t values)
{
    return vreinterpretq_u32_f32(vabsq_f32(values));
}

/** All ones where the greatest magnitude, in bits, is that of a number that is not usable. */
static uint32x4_t is_bad(uint32x4_t magnitude)
{
    return vcgeq_u32(magnitude, vdupq_n_u32(0x4f800000));
}

#define COLUMNS_MAX 8u /* vectors side by side: two lines of the cache */

/** Of a few vectors of rows side by side. */
static inline __attribute__((always_inline)) void
best_of_columns(const struct rung__scan_rows *rows, const float *values, uint32_t vectors,
                float *scores)
{
    const float32x4_t none = vdupq_n_f32(-__builtin_inff());
    float32x4_t best[COLUMNS_MAX];
    uint32x4_t magnitude[COLUMNS_MAX];
    for (uint32_t v = 0; v < vectors; v++) {
        best[v] = none;
        magnitude[v] = vdupq_n_u32(0);
    }
    for (uint32_t p = 0; p < rows->others; p++, values += rows->step)
        for (uint32_t v = 0; v < vectors; v++) {
            const float32x4_t plane = vld1q_f32(values + (size_t)v * LANES);
            magnitude[v] = vmaxq_u32(magnitude[v], magnitude_of(plane));
        }
    for (uint32_t p = 0; p < rows->classes; p++, values += rows->step)
        for (uint32_t v = 0; v < vectors; v++) {
            const float32x4_t plane = vld1q_f32(values + (size_t)v * LANES);
            magnitude[v] = vmaxq_u32(magnitude[v], magnitude_of(plane));
            best[v] = vmaxq_f32(best[v], plane);
        }
    for (uint32_t v = 0; v < vectors; v++)
        vst1q_f32(scores + (size_t)v * LANES, vbslq_f32(is_bad(magnitude[v]), none, best[v]));
}

static void best_of_planes(const struct rung__scan_rows *rows, uint32_t first, uint32_t count,
                           float *scores)
{
    const float *values = rows->values + first;
    uint32_t i = 0;
    for (; i + COLUMNS_MAX * LANES <= count; i += COLUMNS_MAX * LANES)
        best_of_columns(rows, values + i, COLUMNS_MAX, scores + i);
    for (; i + LANES <= count; i += LANES)
        best_of_columns(rows, values + i, 1, scores + i);
    rung__scan_best_of_planes_c(rows, first + i, count - i, scores + i);
}

static void best_of_table(const struct rung__scan_rows *rows, uint32_t first, uint32_t count,
                          float *scores)
{
    static const uint32_t lanes[LANES] = {0, 1, 2, 3};
    const uint32_t columns = rows->others + rows->classes;
    /* The last vector of a row ends with it, and must not reach back to the others. */
    if (columns < rows->others + LANES || rows->others > LANES) {
        rung__scan_best_of_table_c(rows, first, count, scores);
        return;
    }
    const float32x4_t none = vdupq_n_f32(-__builtin_inff());
    const uint32x4_t is_other = vcltq_u32(vld1q_u32(lanes), vdupq_n_u32(rows->others));
    const float *row = rows->values + first * rows->step;
    for (uint32_t i = 0; i < count; i++, row += rows->step) {
        float32x4_t values = vld1q_f32(row);
        float32x4_t best = vbslq_f32(is_other, none, values);
        uint32x4_t magnitude = magnitude_of(values);
        for (uint32_t c = LANES; c < columns; c += LANES) {
            values = vld1q_f32(row + (c + LANES <= columns ? c : columns - LANES));
            magnitude = vmaxq_u32(magnitude, magnitude_of(values));
            best = vmaxq_f32(best, values);
        }
        scores[i] = is_any(is_bad(magnitude)) ? -__builtin_inff() : vmaxvq_f32(best);
    }
}

/* ---- greatest scores ------------------------------------------------------------------------- */

static uint32_t count_in(const float *scores, uint32_t count, struct rung__scan_range range)
{
    const float32x4_t least = vdupq_n_f32(range.least), below = vdupq_n_f32(range.below);
    uint32x4_t sums = vdupq_n_u32(0); /* of lanes, −1 for each that is in */
    uint32_t in = 0, i = 0;
    for (; i + LANES <= count; i += LANES) {
        const float32x4_t values = vld1q_f32(scores + i);
        sums = vaddq_u32(sums, vandq_u32(vcgeq_f32(values, least), vcltq_f32(values, below)));
    }
    for (; i < count; i++)
        in += scores[i] >= range.least && scores[i] < range.below;
    return in - vaddvq_u32(sums);
}

static void fold(const float *scores, uint32_t count, uint32_t width, float *greatest)
{
    uint32_t i = 0;
    for (; i < width; i += LANES)
        vst1q_f32(greatest + i, vdupq_n_f32(-__builtin_inff()));
    for (i = 0; i + LANES <= count; i += LANES) {
        float *to = greatest + (i & (width - 1));
        const float32x4_t before = vld1q_f32(to), values = vld1q_f32(scores + i);
        vst1q_f32(to, vbslq_f32(vcgtq_f32(values, before), values, before)); /* NaN is not above */
    }
    for (; i < count; i++) {
        float *to = greatest + (i & (width - 1));
        *to = scores[i] > *to ? scores[i] : *to;
    }
}

void rung__scan_init_neon(struct rung__scan_kernels *kernels)
{
    kernels->mark = mark;
    kernels->rate = rate;
    kernels->best_of_planes = best_of_planes;
    kernels->best_of_table = best_of_table;
    kernels->count_in = count_in;
    kernels->fold = fold;
}
