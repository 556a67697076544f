/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "kernel/bilinear.h"
#include "kernel/bilinear_fetch.h"

/*
 * Blocks of 32 pixels, of which 16 are shuffled together out of 128 bytes: these lie side by side
 * in the row, or eight are read for each pixel.
 */

#define BLOCK 32u
#define GROUP 16u

#define INLINE static inline __attribute__((always_inline))

/** As by AVX2: h − 32768 of each channel by one instruction. */
static inline void store_line(int16_t *line, __m512i pairs, __m512i weights)
{
    const __m512i less = _mm512_xor_si512(pairs, _mm512_set1_epi8(-128));
    _mm512_storeu_si512(line, _mm512_maddubs_epi16(weights, less));
}

/** What a group is shuffled out of. */
struct bytes {
    __m512i low, high;
};

typedef struct bytes load_group(const uint8_t *row, const int32_t *offsets);

INLINE struct bytes load_near(const uint8_t *row, const int32_t *offsets)
{
    return (struct bytes){_mm512_loadu_si512(row + offsets[0]),
                          _mm512_loadu_si512(row + offsets[0] + 64)};
}

INLINE __m128i load_two(const uint8_t *row, const int32_t *offsets)
{
    const __m128i first = _mm_loadl_epi64((const __m128i *)(row + offsets[0]));
    const double *second = (const double *)(row + offsets[1]);
    return _mm_castpd_si128(_mm_loadh_pd(_mm_castsi128_pd(first), second));
}

INLINE __m256i load_four(const uint8_t *row, const int32_t *offsets)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load_two(row, offsets)),
                                   load_two(row, offsets + 2), 1);
}

INLINE __m512i load_eight(const uint8_t *row, const int32_t *offsets)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(load_four(row, offsets)),
                              load_four(row, offsets + 4), 1);
}

INLINE struct bytes load_far(const uint8_t *row, const int32_t *offsets)
{
    return (struct bytes){load_eight(row, offsets), load_eight(row, offsets + 8)};
}

INLINE struct bytes load_far_gray(const uint8_t *row, const int32_t *offsets)
{
    uint16_t pairs[GROUP];
    for (uint32_t i = 0; i < GROUP; i++)
        memcpy(&pairs[i], row + offsets[i], sizeof *pairs);
    const __m256i all = _mm256_loadu_si256((const __m256i *)pairs);
    return (struct bytes){_mm512_castsi256_si512(all), _mm512_setzero_si512()};
}

/** The pairs of two channels. */
INLINE __m512i two_channels(const struct bytes *bytes, const uint8_t *shuffle)
{
    return _mm512_permutex2var_epi8(bytes->low, _mm512_loadu_si512(shuffle), bytes->high);
}

/** The pairs of one channel in the lower half. */
INLINE __m512i one_channel(const struct bytes *bytes, const uint8_t *shuffle)
{
    const __m256i half = _mm256_loadu_si256((const __m256i *)shuffle);
    return _mm512_permutex2var_epi8(bytes->low, _mm512_castsi256_si512(half), bytes->high);
}

/** Four pairs of the one group, then four of the other, from the lower or the upper halves. */
INLINE __m512i join(__m512i first, __m512i second, int half)
{
    const __m512i lower = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i upper = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    return _mm512_permutex2var_epi64(first, half ? upper : lower, second);
}

INLINE void filter_colour(const struct rung__bilinear_columns *shared, const uint8_t *row,
                          const uint8_t *ahead, int16_t *lines, size_t pitch, load_group *load)
{
    struct rung__bilinear_columns at = *shared; /* which no store can change */
    struct rung__bilinear_ahead fetched = rung__bilinear_ahead(&at, ahead, GROUP);
    for (; at.blocks > 0; rung__bilinear_next(&at, BLOCK, 8), lines += BLOCK) {
        rung__bilinear_fetch(&fetched, at.offsets, GROUP);
        const struct bytes first = load(row, at.offsets), second = load(row, at.offsets + GROUP);
        const uint8_t *next = at.shuffles + 8 * (size_t)GROUP;
        const __m512i first_01 = two_channels(&first, at.shuffles);
        const __m512i second_01 = two_channels(&second, next);
        const __m512i first_2 = one_channel(&first, at.shuffles + 4 * (size_t)GROUP);
        const __m512i second_2 = one_channel(&second, next + 4 * (size_t)GROUP);
        const __m512i weights = _mm512_loadu_si512(at.weights);
        store_line(lines, join(first_01, second_01, 0), weights);
        store_line(lines + pitch, join(first_01, second_01, 1), weights);
        rung__bilinear_fetch(&fetched, at.offsets + GROUP, GROUP);
        store_line(lines + 2 * pitch, join(first_2, second_2, 0), weights);
    }
}

INLINE void filter_gray(const struct rung__bilinear_columns *shared, const uint8_t *row,
                        const uint8_t *ahead, int16_t *line, load_group *load)
{
    struct rung__bilinear_columns at = *shared;
    struct rung__bilinear_ahead fetched = rung__bilinear_ahead(&at, ahead, BLOCK);
    for (; at.blocks > 0; rung__bilinear_next(&at, BLOCK, 2), line += BLOCK) {
        rung__bilinear_fetch(&fetched, at.offsets, BLOCK);
        const struct bytes first = load(row, at.offsets), second = load(row, at.offsets + GROUP);
        const __m512i pairs = join(one_channel(&first, at.shuffles),
                                   one_channel(&second, at.shuffles + 2 * (size_t)GROUP), 0);
        store_line(line, pairs, _mm512_loadu_si512(at.weights));
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
    filter_colour(columns, row, ahead, lines, pitch, load_far);
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
    filter_gray(columns, row, ahead, lines, load_far_gray);
}

static const struct rung__bilinear_kernels kernels = {
    .block = BLOCK,
    .order = {0, 1, 2,  3,  16, 17, 18, 19, 4,  5,  6,  7,  20, 21, 22, 23,
              8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31},
    .colour = {{filter_colour_near, GROUP, true, 128, {0, 1}},
               {filter_colour_far, GROUP, false, 8, {0, 1}}},
    .gray = {{filter_gray_near, GROUP, true, 128, {0, 1}},
             {filter_gray_far, GROUP, false, 2, {0, 1}}},
    .blends = rung__blends_avx512,
};

const struct rung__resampler rung__bilinear_avx512 = {
    rung__bilinear_tables_bytes, rung__bilinear_make_tables, rung__bilinear_scratch_bytes,
    rung__bilinear_rows, &kernels};
