/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "kernel/embedding.h"
#include "kernel/exact.h"

/*
 * Normalisation as embedding_c.c has it, eight numbers at a time: its sixteen partial sums are two
 * vectors, taken in turns. Products and sums are instructions of their own, never fused.
 */

#define FRACTION_BITS 23
#define ONE_EXPONENT  127u
#define LEAST_BELOW   60u
#define LANES         8u

static inline __m256i exponents_of(__m256i bits)
{
    return _mm256_and_si256(_mm256_srli_epi32(bits, FRACTION_BITS), _mm256_set1_epi32(0xff));
}

/** All ones in the lanes that there are from `at` on. */
static inline __m256i lanes_at(uint32_t at, uint32_t count)
{
    const int rest = count - at < LANES ? (int)(count - at) : (int)LANES;
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(rest), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/** Lanes that are missing are 0, which changes no sum. */
static inline __m256i load(const float *values, uint32_t at, uint32_t count)
{
    return _mm256_castps_si256(_mm256_maskload_ps(values + at, lanes_at(at, count)));
}

static inline void store(__m256 eight, uint32_t at, uint32_t count, float *to)
{
    if (count - at >= LANES)
        _mm256_storeu_ps(to + at, eight);
    else /* slow on some processors */
        _mm256_maskstore_ps(to + at, lanes_at(at, count), eight);
}

static uint32_t largest_exponent(const float *values, uint32_t count)
{
    uint32_t lanes[LANES], largest = 0;
    __m256i most = _mm256_setzero_si256();
    for (uint32_t i = 0; i < count; i += LANES)
        most = _mm256_max_epu32(most, exponents_of(load(values, i, count)));
    _mm256_storeu_si256((__m256i *)lanes, most);
    for (uint32_t i = 0; i < LANES; i++)
        largest = lanes[i] > largest ? lanes[i] : largest;
    return largest;
}

/** value × 2^(127 − largest), exactly, or 0. */
static inline __m256 scale(__m256i bits, uint32_t largest)
{
    const int below = largest > LEAST_BELOW ? (int)(largest - LEAST_BELOW - 1) : 0;
    const __m256i shift = _mm256_set1_epi32((int)((ONE_EXPONENT - largest) << FRACTION_BITS));
    const __m256i counts = _mm256_cmpgt_epi32(exponents_of(bits), _mm256_set1_epi32(below));
    return _mm256_castsi256_ps(_mm256_and_si256(_mm256_add_epi32(bits, shift), counts));
}

static float sum_of(__m256 a, __m256 b)
{
    const __m256 eight = _mm256_add_ps(a, b);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

/** Scales the numbers into `to`; returns the sum of their squares. */
static float scale_all(const float *values, uint32_t count, uint32_t largest, float *to)
{
    __m256 sum = _mm256_setzero_ps(), other = _mm256_setzero_ps();
    for (uint32_t i = 0; i < count; i += LANES) {
        const __m256 scaled = scale(load(values, i, count), largest);
        const __m256 next = _mm256_add_ps(sum, _mm256_mul_ps(scaled, scaled));
        store(scaled, i, count, to);
        sum = other;
        other = next;
    }
    return sum_of(sum, other);
}

void rung__normalise_avx2(const float *values, uint32_t count, float *to)
{
    const uint32_t largest = largest_exponent(values, count);
    if (largest == 0) {
        memset(to, 0, (size_t)count * sizeof *to);
        return;
    }
    const __m256 norm = _mm256_set1_ps(rung__root(scale_all(values, count, largest, to)));
    for (uint32_t i = 0; i < count; i += LANES) {
        const __m256 scaled = _mm256_castsi256_ps(load(to, i, count));
        store(_mm256_div_ps(scaled, norm), i, count, to);
    }
}
