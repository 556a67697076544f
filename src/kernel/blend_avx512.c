/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/blend.h"

#include <immintrin.h>
#include <stddef.h>

/*
 * As the blends by AVX2, but blocks of 32 pixels: unpacking goes by quarters of 128 bits and
 * leaves the pixels 0..15 and 16..31 in order.
 */

#define BLOCK 32u

/** V, or elements of 4 bytes, of the pixels 0..15 and 16..31. */
struct pixels {
    __m512i low, high;
};

/** What one row needs in registers. */
struct row {
    struct rung__blend_row of; /**< a copy, which no store can change */
    __m512i weights;           /**< of a pair */
    __m512 scale[3], bias[3];
};

static inline struct row begin(const struct rung__blend_row *of)
{
    const int weights = (int)(of->weight << 16 | (256 - of->weight));
    struct row row = {.of = *of, .weights = _mm512_set1_epi32(weights)};
    for (uint32_t c = 0; c < 3; c++) {
        row.scale[c] = _mm512_set1_ps(of->scale[c]);
        row.bias[c] = _mm512_set1_ps(of->bias[c]);
    }
    return row;
}

static inline struct pixels blend(const struct row *row, uint32_t c, uint32_t x)
{
    const __m512i first = _mm512_loadu_si512(row->of.first[c] + x);
    const __m512i second = _mm512_loadu_si512(row->of.second[c] + x);
    const __m512i back = _mm512_set1_epi32(1 << 23);
    return (struct pixels){
        _mm512_dpwssd_epi32(back, _mm512_unpacklo_epi16(first, second), row->weights),
        _mm512_dpwssd_epi32(back, _mm512_unpackhi_epi16(first, second), row->weights)};
}

/* ---- elements of a type ---------------------------------------------------------------------- */

/** V is below 2^24: the conversion is exact; then two roundings. */
static inline __m512 scaled(__m512i v, const struct row *row, uint32_t c)
{
    return _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(v), row->scale[c]), row->bias[c]);
}

static inline struct pixels elements_f32(const struct row *row, uint32_t c, uint32_t x)
{
    const struct pixels v = blend(row, c, x);
    return (struct pixels){_mm512_castps_si512(scaled(v.low, row, c)),
                           _mm512_castps_si512(scaled(v.high, row, c))};
}

static inline __m512i elements_f16(const struct row *row, uint32_t c, uint32_t x)
{
    const struct pixels v = blend(row, c, x);
    const __m256i low = _mm512_cvtps_ph(scaled(v.low, row, c), _MM_FROUND_TO_NEAREST_INT);
    const __m256i high = _mm512_cvtps_ph(scaled(v.high, row, c), _MM_FROUND_TO_NEAREST_INT);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

static inline __m256i both(__m128i low, __m128i high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/** No scale and bias lead to 2^31: all are converted, halves to even, then clamped. */
static inline __m256i elements_i8(const struct row *row, uint32_t c, uint32_t x)
{
    const struct pixels v = blend(row, c, x);
    return both(_mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(scaled(v.low, row, c))),
                _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(scaled(v.high, row, c))));
}

/** V rounded, with 16 fraction bits that are not used. */
static inline struct pixels rounded(const struct row *row, uint32_t c, uint32_t x)
{
    const __m512i half = _mm512_set1_epi32(32768);
    const struct pixels v = blend(row, c, x);
    return (struct pixels){_mm512_add_epi32(v.low, half), _mm512_add_epi32(v.high, half)};
}

static inline __m256i elements_u8(const struct row *row, uint32_t c, uint32_t x)
{
    const struct pixels v = rounded(row, c, x);
    return both(_mm512_cvtepi32_epi8(_mm512_srli_epi32(v.low, 16)),
                _mm512_cvtepi32_epi8(_mm512_srli_epi32(v.high, 16)));
}

/* ---- interleaving: as by AVX2, each channel is permuted once and blends do the rest ---------- */

/* Where p is in a vector of n elements, the channel c has pixel (n·j + p − c) / 3 for whole ones.
 */
static const uint8_t places_16[3][16] = {
    {0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10, 5},
    {5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10},
    {10, 5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15},
};
static const uint8_t places_32[3][32] = {
    {0,  11, 22, 1,  12, 23, 2,  13, 24, 3,  14, 25, 4,  15, 26, 5,
     16, 27, 6,  17, 28, 7,  18, 29, 8,  19, 30, 9,  20, 31, 10, 21},
    {21, 0,  11, 22, 1,  12, 23, 2,  13, 24, 3,  14, 25, 4,  15, 26,
     5,  16, 27, 6,  17, 28, 7,  18, 29, 8,  19, 30, 9,  20, 31, 10},
    {10, 21, 0,  11, 22, 1,  12, 23, 2,  13, 24, 3,  14, 25, 4,  15,
     26, 5,  16, 27, 6,  17, 28, 7,  18, 29, 8,  19, 30, 9,  20, 31},
};

/** Every third element, from the second and from the third on. */
#define AT_1 0x92492492u
#define AT_2 0x24924924u

static inline __m512i place_f32(__m512i elements, uint32_t c)
{
    const __m128i places = _mm_loadu_si128((const __m128i *)places_16[c]);
    return _mm512_permutexvar_epi32(_mm512_cvtepu8_epi32(places), elements);
}

static inline void interleave_f32(__m512i a, __m512i b, __m512i c, uint8_t *to)
{
    const __mmask16 at_1 = (__mmask16)AT_1, at_2 = (__mmask16)AT_2;
    a = place_f32(a, 0);
    b = place_f32(b, 1);
    c = place_f32(c, 2);
    _mm512_storeu_si512(to, _mm512_mask_mov_epi32(_mm512_mask_mov_epi32(a, at_1, b), at_2, c));
    _mm512_storeu_si512(to + 64, _mm512_mask_mov_epi32(_mm512_mask_mov_epi32(b, at_1, c), at_2, a));
    _mm512_storeu_si512(to + 128,
                        _mm512_mask_mov_epi32(_mm512_mask_mov_epi32(c, at_1, a), at_2, b));
}

static inline __m512i place_f16(__m512i elements, uint32_t c)
{
    const __m256i places = _mm256_loadu_si256((const __m256i *)places_32[c]);
    return _mm512_permutexvar_epi16(_mm512_cvtepu8_epi16(places), elements);
}

static inline void interleave_f16(__m512i a, __m512i b, __m512i c, uint8_t *to)
{
    a = place_f16(a, 0);
    b = place_f16(b, 1);
    c = place_f16(c, 2);
    _mm512_storeu_si512(to, _mm512_mask_mov_epi16(_mm512_mask_mov_epi16(a, AT_1, b), AT_2, c));
    _mm512_storeu_si512(to + 64, _mm512_mask_mov_epi16(_mm512_mask_mov_epi16(c, AT_1, a), AT_2, b));
    _mm512_storeu_si512(to + 128,
                        _mm512_mask_mov_epi16(_mm512_mask_mov_epi16(b, AT_1, c), AT_2, a));
}

static inline __m256i place_8(__m256i elements, uint32_t c)
{
    return _mm256_permutexvar_epi8(_mm256_loadu_si256((const __m256i *)places_32[c]), elements);
}

static inline void interleave_8(__m256i a, __m256i b, __m256i c, uint8_t *to)
{
    __m256i *out = (__m256i *)to;
    a = place_8(a, 0);
    b = place_8(b, 1);
    c = place_8(c, 2);
    _mm256_storeu_si256(out, _mm256_mask_mov_epi8(_mm256_mask_mov_epi8(a, AT_1, b), AT_2, c));
    _mm256_storeu_si256(out + 1, _mm256_mask_mov_epi8(_mm256_mask_mov_epi8(c, AT_1, a), AT_2, b));
    _mm256_storeu_si256(out + 2, _mm256_mask_mov_epi8(_mm256_mask_mov_epi8(b, AT_1, c), AT_2, a));
}

/** Of three channels, each rounded. */
static inline __m512i bgra(__m512i b, __m512i g, __m512i r)
{
    const __m512i byte_1 = _mm512_set1_epi32(0xff00), byte_2 = _mm512_set1_epi32(0xff0000);
    const __m512i alpha = _mm512_set1_epi32((int)0xff000000);
    const __m512i br = _mm512_or_si512(_mm512_srli_epi32(b, 16), _mm512_and_si512(r, byte_2));
    const __m512i ga = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi32(g, 8), byte_1), alpha);
    return _mm512_or_si512(br, ga);
}

/* ---- one block of one channel, and of all ---------------------------------------------------- */

static inline void planar_f32(const struct row *row, uint32_t c, uint32_t x, uint8_t *to)
{
    const struct pixels f = elements_f32(row, c, x);
    _mm512_storeu_si512(to, f.low);
    _mm512_storeu_si512(to + 64, f.high);
}

static inline void planar_f16(const struct row *row, uint32_t c, uint32_t x, uint8_t *to)
{
    _mm512_storeu_si512(to, elements_f16(row, c, x));
}

static inline void planar_i8(const struct row *row, uint32_t c, uint32_t x, uint8_t *to)
{
    _mm256_storeu_si256((__m256i *)to, elements_i8(row, c, x));
}

static inline void planar_u8(const struct row *row, uint32_t c, uint32_t x, uint8_t *to)
{
    _mm256_storeu_si256((__m256i *)to, elements_u8(row, c, x));
}

static inline void mixed_f32(const struct row *row, uint32_t x, uint8_t *to)
{
    const struct pixels a = elements_f32(row, 0, x), b = elements_f32(row, 1, x);
    const struct pixels c = elements_f32(row, 2, x);
    interleave_f32(a.low, b.low, c.low, to);
    interleave_f32(a.high, b.high, c.high, to + 192);
}

static inline void mixed_f16(const struct row *row, uint32_t x, uint8_t *to)
{
    interleave_f16(elements_f16(row, 0, x), elements_f16(row, 1, x), elements_f16(row, 2, x), to);
}

static inline void mixed_i8(const struct row *row, uint32_t x, uint8_t *to)
{
    interleave_8(elements_i8(row, 0, x), elements_i8(row, 1, x), elements_i8(row, 2, x), to);
}

static inline void mixed_u8(const struct row *row, uint32_t x, uint8_t *to)
{
    interleave_8(elements_u8(row, 0, x), elements_u8(row, 1, x), elements_u8(row, 2, x), to);
}

static inline void mixed_bgra(const struct row *row, uint32_t x, uint8_t *to)
{
    const struct pixels b = rounded(row, 0, x), g = rounded(row, 1, x), r = rounded(row, 2, x);
    _mm512_storeu_si512(to, bgra(b.low, g.low, r.low));
    _mm512_storeu_si512(to + 64, bgra(b.high, g.high, r.high));
}

#define BLENDS rung__blends_avx512
#include "kernel/blend_rows.h"
