/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "kernel/bilinear.h"
#include "kernel/bilinear_fetch.h"

/*
 * Blocks of 16 pixels. A register is two halves of 128 bits; four of them, with two pixels in each
 * half, are transposed into one register of pairs a channel.
 */

#define BLOCK 16u

/**
 * h − 32768 of each channel is one instruction: the pixels less 128 by their weights, which are
 * never 0 and 256 together.
 */
static inline void store_line(int16_t *line, __m256i pairs, __m256i weights)
{
    const __m256i less = _mm256_xor_si256(pairs, _mm256_set1_epi8(-128));
    _mm256_storeu_si256((__m256i *)line, _mm256_maddubs_epi16(weights, less));
}

static inline __m256i halves(__m128i low, __m128i high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/** Pairs of neighbours, `apart` pixels from one half to the other. */
typedef __m256i load_pairs(const uint8_t *row, const int32_t *offsets, uint32_t apart);

#define INLINE static inline __attribute__((always_inline))

/* ---- colour: two neighbours a half ----------------------------------------------------------- */

INLINE __m256i colour_near(const uint8_t *row, const int32_t *offsets, uint32_t apart)
{
    return halves(_mm_loadu_si128((const __m128i *)(row + offsets[0])),
                  _mm_loadu_si128((const __m128i *)(row + offsets[apart])));
}

static inline __m128i load_two(const uint8_t *row, const int32_t *offsets)
{
    const __m128i first = _mm_loadl_epi64((const __m128i *)(row + offsets[0]));
    const double *second = (const double *)(row + offsets[1]);
    return _mm_castpd_si128(_mm_loadh_pd(_mm_castsi128_pd(first), second));
}

INLINE __m256i colour_far(const uint8_t *row, const int32_t *offsets, uint32_t apart)
{
    return halves(load_two(row, offsets), load_two(row, offsets + apart));
}

/** Pairs of each channel: of a pixel, the next one, and the fourth and fifth from it. */
INLINE __m256i four(const uint8_t *row, const int32_t *offsets, const uint8_t *shuffle,
                    load_pairs *load)
{
    return _mm256_shuffle_epi8(load(row, offsets, 4), _mm256_loadu_si256((const __m256i *)shuffle));
}

INLINE void filter_colour(const struct rung__bilinear_columns *shared, const uint8_t *row,
                          const uint8_t *ahead, int16_t *lines, size_t pitch, load_pairs *load)
{
    struct rung__bilinear_columns at = *shared; /* which no store can change */
    struct rung__bilinear_ahead fetched = rung__bilinear_ahead(&at, ahead, BLOCK);
    for (; at.blocks > 0; rung__bilinear_next(&at, BLOCK, 8), lines += BLOCK) {
        rung__bilinear_fetch(&fetched, at.offsets, BLOCK);
        const __m256i p = four(row, at.offsets, at.shuffles, load);
        const __m256i q = four(row, at.offsets + 2, at.shuffles + 32, load);
        const __m256i r = four(row, at.offsets + 8, at.shuffles + 64, load);
        const __m256i s = four(row, at.offsets + 10, at.shuffles + 96, load);
        const __m256i pq_01 = _mm256_unpacklo_epi32(p, q), rs_01 = _mm256_unpacklo_epi32(r, s);
        const __m256i pq_2 = _mm256_unpackhi_epi32(p, q), rs_2 = _mm256_unpackhi_epi32(r, s);
        const __m256i weights = _mm256_loadu_si256((const __m256i *)at.weights);
        store_line(lines, _mm256_unpacklo_epi64(pq_01, rs_01), weights);
        store_line(lines + pitch, _mm256_unpackhi_epi64(pq_01, rs_01), weights);
        store_line(lines + 2 * pitch, _mm256_unpacklo_epi64(pq_2, rs_2), weights);
    }
}

static void filter_colour_near(const struct rung__bilinear_columns *columns, const uint8_t *row,
                               const uint8_t *ahead, int16_t *lines, size_t pitch)
{
    filter_colour(columns, row, ahead, lines, pitch, colour_near);
}

static void filter_colour_far(const struct rung__bilinear_columns *columns, const uint8_t *row,
                              const uint8_t *ahead, int16_t *lines, size_t pitch)
{
    filter_colour(columns, row, ahead, lines, pitch, colour_far);
}

/* ---- gray: eight neighbours a half ----------------------------------------------------------- */

INLINE __m256i gray_near(const uint8_t *row, const int32_t *offsets, uint32_t apart)
{
    return colour_near(row, offsets, apart);
}

INLINE __m256i gray_far(const uint8_t *row, const int32_t *offsets, uint32_t apart)
{
    uint16_t pairs[BLOCK];
    (void)apart;
    for (uint32_t i = 0; i < BLOCK; i++)
        memcpy(&pairs[i], row + offsets[i], sizeof *pairs);
    return _mm256_loadu_si256((const __m256i *)pairs);
}

INLINE void filter_gray(const struct rung__bilinear_columns *shared, const uint8_t *row,
                        const uint8_t *ahead, int16_t *line, load_pairs *load)
{
    struct rung__bilinear_columns at = *shared;
    struct rung__bilinear_ahead fetched = rung__bilinear_ahead(&at, ahead, BLOCK);
    for (; at.blocks > 0; rung__bilinear_next(&at, BLOCK, 2), line += BLOCK) {
        rung__bilinear_fetch(&fetched, at.offsets, BLOCK);
        const __m256i shuffle = _mm256_loadu_si256((const __m256i *)at.shuffles);
        const __m256i pairs = _mm256_shuffle_epi8(load(row, at.offsets, 8), shuffle);
        store_line(line, _mm256_permute4x64_epi64(pairs, 0xd8),
                   _mm256_loadu_si256((const __m256i *)at.weights));
    }
}

static void filter_gray_near(const struct rung__bilinear_columns *columns, const uint8_t *row,
                             const uint8_t *ahead, int16_t *lines, size_t pitch)
{
    (void)pitch;
    filter_gray(columns, row, ahead, lines, gray_near);
}

static void filter_gray_far(const struct rung__bilinear_columns *columns, const uint8_t *row,
                            const uint8_t *ahead, int16_t *lines, size_t pitch)
{
    (void)pitch;
    filter_gray(columns, row, ahead, lines, gray_far);
}

static const struct rung__bilinear_kernels kernels = {
    .block = BLOCK,
    .order = {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15},
    .colour = {{filter_colour_near, 2, true, 16, {0, 2, 1, 3, 4, 6, 5, 7}},
               {filter_colour_far, 2, false, 8, {0, 2, 1, 3, 4, 6, 5, 7}}},
    .gray = {{filter_gray_near, 8, true, 16, {0, 1}}, {filter_gray_far, 8, false, 2, {0, 1}}},
    .blends = rung__blends_avx2,
};

const struct rung__resampler rung__bilinear_avx2 = {
    rung__bilinear_tables_bytes, rung__bilinear_make_tables, rung__bilinear_scratch_bytes,
    rung__bilinear_rows, &kernels};
