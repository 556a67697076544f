/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>
#include <string.h>

#include "kernel/bilinear.h"
#include "kernel/bilinear_fetch.h"

/*
 * Blocks of 16 pixels, eight at a time: four registers of two pixels each are transposed into one
 * register of pairs a channel. Lines hold h itself, for which unsigned products suffice.
 */

#define BLOCK 16u
#define HALF  8u

#define INLINE static inline __attribute__((always_inline))

/** h of eight pixels. */
INLINE void store_line(int16_t *line, uint8x16_t pairs, uint8x16_t weights)
{
    const uint16x8_t low = vmull_u8(vget_low_u8(pairs), vget_low_u8(weights));
    const uint16x8_t high = vmull_high_u8(pairs, weights);
    vst1q_u16((uint16_t *)line, vpaddq_u16(low, high));
}

/** Pairs of neighbours. */
typedef uint8x16_t load_pairs(const uint8_t *row, const int32_t *offsets);

/* ---- colour: two neighbours ------------------------------------------------------------------ */

INLINE uint8x16_t load_near(const uint8_t *row, const int32_t *offsets)
{
    return vld1q_u8(row + offsets[0]);
}

INLINE uint8x16_t colour_far(const uint8_t *row, const int32_t *offsets)
{
    return vcombine_u8(vld1_u8(row + offsets[0]), vld1_u8(row + offsets[1]));
}

/** The pixels 2·i and 2·i + 1: pairs of each channel. */
INLINE uint32x4_t two(const struct rung__bilinear_columns *at, const uint8_t *row, uint32_t i,
                      load_pairs *load)
{
    const uint8x16_t shuffle = vld1q_u8(at->shuffles + (size_t)i * 16);
    return vreinterpretq_u32_u8(vqtbl1q_u8(load(row, at->offsets + (size_t)i * 2), shuffle));
}

INLINE uint8x16_t join(uint32x4_t low, uint32x4_t high, int half)
{
    const uint64x2_t a = vreinterpretq_u64_u32(low), b = vreinterpretq_u64_u32(high);
    return vreinterpretq_u8_u64(half ? vzip2q_u64(a, b) : vzip1q_u64(a, b));
}

INLINE void filter_colour(const struct rung__bilinear_columns *shared, const uint8_t *row,
                          const uint8_t *ahead, int16_t *lines, size_t pitch, load_pairs *load)
{
    struct rung__bilinear_columns at = *shared; /* which no store can change */
    struct rung__bilinear_ahead fetched = rung__bilinear_ahead(&at, ahead, BLOCK);
    for (; at.blocks > 0; rung__bilinear_next(&at, BLOCK, 8)) {
        rung__bilinear_fetch(&fetched, at.offsets, BLOCK);
        for (uint32_t i = 0; i < BLOCK / 2; i += HALF / 2, lines += HALF) {
            const uint32x4_t p = two(&at, row, i, load), q = two(&at, row, i + 1, load);
            const uint32x4_t r = two(&at, row, i + 2, load), s = two(&at, row, i + 3, load);
            const uint32x4_t pq_01 = vzip1q_u32(p, q), rs_01 = vzip1q_u32(r, s);
            const uint32x4_t pq_2 = vzip2q_u32(p, q), rs_2 = vzip2q_u32(r, s);
            const uint8x16_t weights = vld1q_u8(at.weights + (size_t)i * 4);
            store_line(lines, join(pq_01, rs_01, 0), weights);
            store_line(lines + pitch, join(pq_01, rs_01, 1), weights);
            store_line(lines + 2 * pitch, join(pq_2, rs_2, 0), weights);
        }
    }
}

static void filter_colour_near(const struct rung__bilinear_columns *columns, const uint8_t *row,
                               const uint8_t *ahead, int16_t *lines, size_t pitch)
{
    filter_colour(columns, row, ahead, lines, pitch, load_near);
}

static void filter_colour_far(const struct rung__bilinear_columns *columns, const uint8_t *row,
                              const uint8_t *ahead, int16_t *lines, size_t pitch)
{
    filter_colour(columns, row, ahead, lines, pitch, colour_far);
}

/* ---- gray: eight neighbours ------------------------------------------------------------------ */

INLINE uint8x16_t gray_far(const uint8_t *row, const int32_t *offsets)
{
    uint16_t pairs[HALF];
    for (uint32_t i = 0; i < HALF; i++)
        memcpy(&pairs[i], row + offsets[i], sizeof *pairs);
    return vreinterpretq_u8_u16(vld1q_u16(pairs));
}

INLINE void filter_gray(const struct rung__bilinear_columns *shared, const uint8_t *row,
                        const uint8_t *ahead, int16_t *line, load_pairs *load)
{
    struct rung__bilinear_columns at = *shared;
    struct rung__bilinear_ahead fetched = rung__bilinear_ahead(&at, ahead, BLOCK);
    for (; at.blocks > 0; rung__bilinear_next(&at, BLOCK, 2)) {
        rung__bilinear_fetch(&fetched, at.offsets, BLOCK);
        for (size_t x = 0; x < BLOCK; x += HALF, line += HALF) {
            const uint8x16_t bytes = load(row, at.offsets + x);
            store_line(line, vqtbl1q_u8(bytes, vld1q_u8(at.shuffles + 2 * x)),
                       vld1q_u8(at.weights + 2 * x));
        }
    }
}

static void filter_gray_near(const struct rung__bilinear_columns *columns, const uint8_t *row,
                             const uint8_t *ahead, int16_t *lines, size_t pitch)
{
    (void)pitch;
    filter_gray(columns, row, ahead, lines, load_near);
}

static void filter_gray_far(const struct rung__bilinear_columns *columns, const uint8_t *row,
                            const uint8_t *ahead, int16_t *lines, size_t pitch)
{
    (void)pitch;
    filter_gray(columns, row, ahead, lines, gray_far);
}

/* ---- the resampler --------------------------------------------------------------------------- */

static const struct rung__bilinear_kernels kernels = {
    .block = BLOCK,
    .order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    .colour = {{filter_colour_near, 2, true, 16, {0, 1, 2, 3, 4, 5, 6, 7}},
               {filter_colour_far, 2, false, 8, {0, 1, 2, 3, 4, 5, 6, 7}}},
    .gray = {{filter_gray_near, HALF, true, 16, {0, 1}}, {filter_gray_far, HALF, false, 2, {0, 1}}},
    .blends = rung__blends_neon,
};

const struct rung__resampler rung__bilinear_neon = {
    rung__bilinear_tables_bytes, rung__bilinear_make_tables, rung__bilinear_scratch_bytes,
    rung__bilinear_rows, &kernels};
