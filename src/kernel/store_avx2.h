/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_STORE_AVX2_H
#define RUNG__KERNEL_STORE_AVX2_H

#include <immintrin.h>
#include <stdint.h>

/*
 * Stores of preprocess.md for 16 pixels: from V (16 fraction bits) to the elements of a type, and
 * from three channels of elements to interleaved ones.
 */

/** V, or elements of 4 bytes, of the pixels 0..7 and 8..15. */
struct rung__avx2_16 {
    __m256i low, high;
};

/** What turns V into the value of a channel. */
struct rung__avx2_scale {
    __m256 scale, bias;
};

static inline struct rung__avx2_scale rung__avx2_scale(float scale, float bias)
{
    return (struct rung__avx2_scale){_mm256_set1_ps(scale), _mm256_set1_ps(bias)};
}

/** V is below 2^24: the conversion is exact; then two roundings. */
static inline __m256 rung__avx2_scaled(__m256i v, const struct rung__avx2_scale *by)
{
    return _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(v), by->scale), by->bias);
}

static inline struct rung__avx2_16 rung__avx2_f32(struct rung__avx2_16 v,
                                                  const struct rung__avx2_scale *by)
{
    return (struct rung__avx2_16){_mm256_castps_si256(rung__avx2_scaled(v.low, by)),
                                  _mm256_castps_si256(rung__avx2_scaled(v.high, by))};
}

static inline __m256i rung__avx2_f16(struct rung__avx2_16 v, const struct rung__avx2_scale *by)
{
    const __m128i low = _mm256_cvtps_ph(rung__avx2_scaled(v.low, by), _MM_FROUND_TO_NEAREST_INT);
    const __m128i high = _mm256_cvtps_ph(rung__avx2_scaled(v.high, by), _MM_FROUND_TO_NEAREST_INT);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/** Whole numbers of 32 bits that fit 16, in order. */
static inline __m128i rung__avx2_bytes(struct rung__avx2_16 v, __m128i pack(__m128i, __m128i))
{
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(v.low, v.high), 0xd8);
    return pack(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}

/** No scale and bias lead to 2^31: all are converted, halves to even, then clamped. */
static inline __m128i rung__avx2_i8(struct rung__avx2_16 v, const struct rung__avx2_scale *by)
{
    const struct rung__avx2_16 whole = {_mm256_cvtps_epi32(rung__avx2_scaled(v.low, by)),
                                        _mm256_cvtps_epi32(rung__avx2_scaled(v.high, by))};
    return rung__avx2_bytes(whole, _mm_packs_epi16);
}

static inline __m128i rung__avx2_u8(struct rung__avx2_16 v)
{
    const __m256i half = _mm256_set1_epi32(32768);
    const struct rung__avx2_16 whole = {_mm256_srli_epi32(_mm256_add_epi32(v.low, half), 16),
                                        _mm256_srli_epi32(_mm256_add_epi32(v.high, half), 16)};
    return rung__avx2_bytes(whole, _mm_packus_epi16);
}

/*
 * Interleaving: each channel is permuted once, so that its elements are where they belong in any
 * of the three vectors of the result. These places never coincide: blends do the rest.
 */

/** Eight pixels of 4-byte elements. */
static inline void rung__avx2_interleave_32(__m256i a, __m256i b, __m256i c, void *to)
{
    __m256i *out = to;
    a = _mm256_permutevar8x32_epi32(a, _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5));
    b = _mm256_permutevar8x32_epi32(b, _mm256_setr_epi32(5, 0, 3, 6, 1, 4, 7, 2));
    c = _mm256_permutevar8x32_epi32(c, _mm256_setr_epi32(2, 5, 0, 3, 6, 1, 4, 7));
    _mm256_storeu_si256(out, _mm256_blend_epi32(_mm256_blend_epi32(a, b, 0x92), c, 0x24));
    _mm256_storeu_si256(out + 1, _mm256_blend_epi32(_mm256_blend_epi32(a, b, 0x24), c, 0x49));
    _mm256_storeu_si256(out + 2, _mm256_blend_epi32(_mm256_blend_epi32(a, b, 0x49), c, 0x92));
}

/** Eight pixels of 2-byte elements. */
static inline void rung__avx2_interleave_16(__m128i a, __m128i b, __m128i c, void *to)
{
    __m128i *out = to;
    a = _mm_shuffle_epi8(a, _mm_setr_epi8(0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15, 4, 5, 10, 11));
    b = _mm_shuffle_epi8(b, _mm_setr_epi8(10, 11, 0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15, 4, 5));
    c = _mm_shuffle_epi8(c, _mm_setr_epi8(4, 5, 10, 11, 0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15));
    _mm_storeu_si128(out, _mm_blend_epi16(_mm_blend_epi16(a, b, 0x92), c, 0x24));
    _mm_storeu_si128(out + 1, _mm_blend_epi16(_mm_blend_epi16(a, b, 0x24), c, 0x49));
    _mm_storeu_si128(out + 2, _mm_blend_epi16(_mm_blend_epi16(a, b, 0x49), c, 0x92));
}

/** Sixteen pixels of bytes. */
static inline void rung__avx2_interleave_8(__m128i a, __m128i b, __m128i c, void *to)
{
    const __m128i at_1 = _mm_setr_epi8(0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0);
    const __m128i at_2 = _mm_setr_epi8(0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0);
    __m128i *out = to;
    a = _mm_shuffle_epi8(a, _mm_setr_epi8(0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10, 5));
    b = _mm_shuffle_epi8(b, _mm_setr_epi8(5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10));
    c = _mm_shuffle_epi8(c, _mm_setr_epi8(10, 5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15));
    _mm_storeu_si128(out, _mm_blendv_epi8(_mm_blendv_epi8(a, b, at_1), c, at_2));
    _mm_storeu_si128(out + 1, _mm_blendv_epi8(_mm_blendv_epi8(b, c, at_1), a, at_2));
    _mm_storeu_si128(out + 2, _mm_blendv_epi8(_mm_blendv_epi8(c, a, at_1), b, at_2));
}

/** Sixteen pixels of bytes and a fourth channel of 255. */
static inline void rung__avx2_interleave_alpha(__m128i a, __m128i b, __m128i c, void *to)
{
    const __m128i alpha = _mm_set1_epi8(-1);
    const __m128i ab_low = _mm_unpacklo_epi8(a, b), ab_high = _mm_unpackhi_epi8(a, b);
    const __m128i c_low = _mm_unpacklo_epi8(c, alpha), c_high = _mm_unpackhi_epi8(c, alpha);
    __m128i *out = to;
    _mm_storeu_si128(out, _mm_unpacklo_epi16(ab_low, c_low));
    _mm_storeu_si128(out + 1, _mm_unpackhi_epi16(ab_low, c_low));
    _mm_storeu_si128(out + 2, _mm_unpacklo_epi16(ab_high, c_high));
    _mm_storeu_si128(out + 3, _mm_unpackhi_epi16(ab_high, c_high));
}

#endif
