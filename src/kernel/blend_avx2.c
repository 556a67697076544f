/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/blend.h"

#include <stddef.h>
#include <string.h>

#include "kernel/store_avx2.h"

/*
 * Blocks of 16 pixels. Pairs of h − 32768 and the weights that add up to 256 give V − 2^23 by one
 * instruction. Unpacking goes by halves of 128 bits: the lanes are ordered so that it leaves the
 * pixels in theirs.
 */

#define BLOCK 16u

/** What one row needs in registers. */
struct row {
    struct rung__blend_row of; /**< a copy, which no store can change */
    __m256i weights;           /**< of a pair */
    struct rung__avx2_scale scale[3];
};

static inline struct row begin(const struct rung__blend_row *of)
{
    const int weights = (int)(of->weight << 16 | (256 - of->weight));
    struct row row = {.of = *of, .weights = _mm256_set1_epi32(weights)};
    for (uint32_t c = 0; c < 3; c++)
        row.scale[c] = rung__avx2_scale(of->scale[c], of->bias[c]);
    return row;
}

/** V of the 16 pixels from x on. */
static inline struct rung__avx2_16 blend(const struct row *row, uint32_t c, uint32_t x)
{
    const __m256i first = _mm256_loadu_si256((const __m256i *)(row->of.first[c] + x));
    const __m256i second = _mm256_loadu_si256((const __m256i *)(row->of.second[c] + x));
    const __m256i back = _mm256_set1_epi32(1 << 23);
    const __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(first, second), row->weights);
    const __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi16(first, second), row->weights);
    return (struct rung__avx2_16){_mm256_add_epi32(low, back), _mm256_add_epi32(high, back)};
}

/* ---- one block of one channel, and of all ---------------------------------------------------- */

static inline void planar_f32(const struct row *row, uint32_t c, uint32_t x, uint8_t *to)
{
    const struct rung__avx2_16 f = rung__avx2_f32(blend(row, c, x), &row->scale[c]);
    _mm256_storeu_si256((__m256i *)to, f.low);
    _mm256_storeu_si256((__m256i *)to + 1, f.high);
}

static inline void planar_f16(const struct row *row, uint32_t c, uint32_t x, uint8_t *to)
{
    _mm256_storeu_si256((__m256i *)to, rung__avx2_f16(blend(row, c, x), &row->scale[c]));
}

static inline void planar_i8(const struct row *row, uint32_t c, uint32_t x, uint8_t *to)
{
    _mm_storeu_si128((__m128i *)to, rung__avx2_i8(blend(row, c, x), &row->scale[c]));
}

static inline void planar_u8(const struct row *row, uint32_t c, uint32_t x, uint8_t *to)
{
    _mm_storeu_si128((__m128i *)to, rung__avx2_u8(blend(row, c, x)));
}

static inline void mixed_f32(const struct row *row, uint32_t x, uint8_t *to)
{
    const struct rung__avx2_16 a = rung__avx2_f32(blend(row, 0, x), &row->scale[0]);
    const struct rung__avx2_16 b = rung__avx2_f32(blend(row, 1, x), &row->scale[1]);
    const struct rung__avx2_16 c = rung__avx2_f32(blend(row, 2, x), &row->scale[2]);
    rung__avx2_interleave_32(a.low, b.low, c.low, to);
    rung__avx2_interleave_32(a.high, b.high, c.high, to + 96);
}

static inline void mixed_f16(const struct row *row, uint32_t x, uint8_t *to)
{
    const __m256i a = rung__avx2_f16(blend(row, 0, x), &row->scale[0]);
    const __m256i b = rung__avx2_f16(blend(row, 1, x), &row->scale[1]);
    const __m256i c = rung__avx2_f16(blend(row, 2, x), &row->scale[2]);
    rung__avx2_interleave_16(_mm256_castsi256_si128(a), _mm256_castsi256_si128(b),
                             _mm256_castsi256_si128(c), to);
    rung__avx2_interleave_16(_mm256_extracti128_si256(a, 1), _mm256_extracti128_si256(b, 1),
                             _mm256_extracti128_si256(c, 1), to + 48);
}

static inline void mixed_i8(const struct row *row, uint32_t x, uint8_t *to)
{
    rung__avx2_interleave_8(rung__avx2_i8(blend(row, 0, x), &row->scale[0]),
                            rung__avx2_i8(blend(row, 1, x), &row->scale[1]),
                            rung__avx2_i8(blend(row, 2, x), &row->scale[2]), to);
}

static inline void mixed_u8(const struct row *row, uint32_t x, uint8_t *to)
{
    rung__avx2_interleave_8(rung__avx2_u8(blend(row, 0, x)), rung__avx2_u8(blend(row, 1, x)),
                            rung__avx2_u8(blend(row, 2, x)), to);
}

static inline void mixed_bgra(const struct row *row, uint32_t x, uint8_t *to)
{
    rung__avx2_interleave_alpha(rung__avx2_u8(blend(row, 0, x)), rung__avx2_u8(blend(row, 1, x)),
                                rung__avx2_u8(blend(row, 2, x)), to);
}

#define BLENDS rung__blends_avx2
#include "kernel/blend_rows.h"
