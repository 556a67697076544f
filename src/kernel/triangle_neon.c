/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>
#include <string.h>

#include "kernel/store_bytes.h"
#include "kernel/triangle.h"

/*
 * Weights stay whole: a multiply-add of 32-bit lanes holds every sum. A line has four parts, the
 * bytes of each of its rows.
 */

#define UNIT        4u  /* lanes of a vector */
#define LANES       16u /* of a block */
#define WINDOW      16u
#define TAPS        RUNG__TRIANGLE_TAPS
#define ROWS        4
#define COLUMNS     16 /* of a blend at once */
#define WEIGHT_BITS 22
#define WEIGHT_HALF (1u << (WEIGHT_BITS - 1))
#define INLINE      static inline __attribute__((always_inline))

static void pack(const uint32_t weights[4], struct rung__triangle_step *to)
{
    memcpy(to->words, weights, sizeof to->words);
}

/** 0..256, of which narrowing makes bytes. */
INLINE uint32x4_t sums_end(uint32x4_t sums)
{
    return vshrq_n_u32(sums, WEIGHT_BITS);
}

/** Of eight columns. */
INLINE uint8x8_t bytes_of(uint32x4_t low, uint32x4_t high)
{
    return vqmovn_u16(vqmovn_high_u32(vqmovn_u32(sums_end(low)), sums_end(high)));
}

/* ---- along a row ----------------------------------------------------------------------------- */

/** What brings the samples of each tap into 32-bit lanes: above each byte zero. */
INLINE void picks_of(const uint32_t *from, uint8x16_t picks[TAPS])
{
    const uint32x4_t all = vld1q_u32(from), above = vdupq_n_u32(0xffffff00);
    const uint32x4_t taps[TAPS] = {all, vshrq_n_u32(all, 8), vshrq_n_u32(all, 16),
                                   vshrq_n_u32(all, 24)};
    for (uint32_t t = 0; t < TAPS; t++)
        picks[t] = vreinterpretq_u8_u32(vorrq_u32(taps[t], above));
}

/** Stores the columns of two rows; the next unit may replace the last of them. */
INLINE void store_rows(uint32x4_t first, uint32x4_t second, uint8_t *to, size_t pitch)
{
    const uint32x2_t columns = vreinterpret_u32_u8(bytes_of(first, second));
    const uint32_t words[2] = {vget_lane_u32(columns, 0), vget_lane_u32(columns, 1)};
    memcpy(to, &words[0], sizeof *words);
    memcpy(to + pitch, &words[1], sizeof *words);
}

/** The columns of a unit, in four rows. */
INLINE void filter_unit(const struct rung__triangle_axis *axis, const uint8_t *const rows[ROWS],
                        const uint32_t *weights, uint32_t unit, uint8_t *to)
{
    const uint32x4_t half = vdupq_n_u32(WEIGHT_HALF);
    uint32x4_t sums[ROWS] = {half, half, half, half};
    uint8x16_t picks[TAPS];
    size_t at = axis->offsets[unit];
    picks_of(axis->picks + (size_t)unit * UNIT, picks);
    for (uint32_t s = 0; s < axis->steps;
         s++, weights += (size_t)TAPS * LANES, at += axis->step_bytes)
        for (uint32_t i = 0; i < ROWS; i++) {
            const uint8x16_t samples = vld1q_u8(rows[i] + at);
            for (uint32_t t = 0; t < TAPS; t++) {
                const uint32x4_t tap = vreinterpretq_u32_u8(vqtbl1q_u8(samples, picks[t]));
                sums[i] = vmlaq_u32(sums[i], tap, vld1q_u32(weights + (size_t)t * LANES));
            }
        }
    store_rows(sums[0], sums[1], to, axis->pitch);
    store_rows(sums[2], sums[3], to + 2 * (size_t)axis->pitch, axis->pitch);
}

INLINE void filter(const struct rung__triangle_axis *shared, const uint8_t *const rows[ROWS],
                   uint32_t first, uint32_t end, uint8_t *line, uint32_t columns)
{
    const struct rung__triangle_axis axis = *shared; /* which no store can change */
    const size_t block_weights = (size_t)axis.steps * TAPS * LANES;
    uint8_t *to = line + (size_t)first * LANES / UNIT * columns;
    for (uint32_t block = first; block < end; block++) {
        const uint32_t *weights = axis.weights + block * block_weights;
        rung__triangle_prefetch(&axis, rows, block);
        for (uint32_t i = 0; i < LANES / UNIT; i++, to += columns)
            filter_unit(&axis, rows, weights + (size_t)i * UNIT, block * (LANES / UNIT) + i, to);
    }
}

/** All lanes full: pixels are near each other. */
static void filter_dense(const struct rung__triangle_axis *axis, const uint8_t *const rows[ROWS],
                         uint32_t first, uint32_t end, uint8_t *line)
{
    filter(axis, rows, first, end, line, 4);
}

/** A pixel in each unit. */
static void filter_sparse(const struct rung__triangle_axis *axis, const uint8_t *const rows[ROWS],
                          uint32_t first, uint32_t end, uint8_t *line)
{
    filter(axis, rows, first, end, line, 3);
}

static const struct rung__triangle_filter filters[] = {
    {LANES, UNIT, 4, WINDOW, filter_dense},
    {LANES, UNIT, 3, WINDOW, filter_sparse},
};

/* ---- down the columns ------------------------------------------------------------------------ */

INLINE uint32x4x4_t widened(uint8x16_t bytes)
{
    const uint16x8_t low = vmovl_u8(vget_low_u8(bytes)), high = vmovl_high_u8(bytes);
    return (uint32x4x4_t){{vmovl_u16(vget_low_u16(low)), vmovl_high_u16(low),
                           vmovl_u16(vget_low_u16(high)), vmovl_high_u16(high)}};
}

INLINE uint8x16_t blend_columns(const struct rung__triangle_window *window, size_t at)
{
    const uint32x4_t half = vdupq_n_u32(WEIGHT_HALF);
    uint32x4_t sums[4] = {half, half, half, half};
    for (uint32_t step = 0; step < window->steps; step++) {
        const uint8_t *row = window->lines[step] + at;
        const uint32_t *weights = window->weights[step].words;
        for (int i = 0; i < ROWS; i++, row += window->pitch) {
            const uint32x4x4_t samples = widened(vld1q_u8(row));
            for (int j = 0; j < 4; j++)
                sums[j] = vmlaq_n_u32(sums[j], samples.val[j], weights[i]);
        }
    }
    return vcombine_u8(bytes_of(sums[0], sums[1]), bytes_of(sums[2], sums[3]));
}

static void blend(const struct rung__triangle_window *window, uint32_t count, uint8_t *to)
{
    uint32_t at = 0;
    for (; at + COLUMNS <= count; at += COLUMNS)
        vst1q_u8(to + at, blend_columns(window, at));
    if (at < count) {
        uint8_t rest[COLUMNS];
        vst1q_u8(rest, blend_columns(window, at));
        memcpy(to + at, rest, count - at);
    }
}

/* ---- the resampler --------------------------------------------------------------------------- */

static const struct rung__triangle_parts parts = {
    filters, sizeof filters / sizeof *filters, TAPS, ROWS * sizeof(uint8_t), pack,
    blend,   rung__store_bytes_neon,
};

const struct rung__resampler rung__triangle_neon = {
    rung__triangle_tables_bytes, rung__triangle_make_tables, rung__triangle_scratch_bytes,
    rung__triangle_rows, &parts};
