/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "kernel/mask_rows.h"

#define LANES 8u

/** The order of eight numbers as the order of integers, as the oracle has it (mask_c.c). */
static inline __m256i ranks_at(const float *values)
{
    /* Compilers read twice what they may, though most vectors lie in two lines of the cache. */
    const __m256i bits = _mm256_lddqu_si256((const __m256i *)values);
    const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fffffff));
    const __m256i none = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000));
    const __m256i rank = _mm256_sign_epi32(magnitude, bits);
    return _mm256_blendv_epi8(rank, _mm256_set1_epi32(INT32_MIN), none);
}

/** The lowest byte of each lane. */
static inline void store(__m256i lanes, uint8_t *to)
{
    const __m128i words =
        _mm_packus_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    _mm_storel_epi64((__m128i *)to, _mm_packus_epi16(words, words));
}

static void best_of_planes(const float *scores, size_t step, uint32_t classes, uint32_t count,
                           uint8_t *to)
{
    for (uint32_t x = 0; x < count; x += LANES) {
        const uint32_t at = rung__mask_within(x, LANES, count);
        __m256i best = ranks_at(scores + at);
        __m256i which = _mm256_setzero_si256(), number = which;
        for (uint32_t i = 1; i < classes; i++) {
            const __m256i rank = ranks_at(scores + i * step + at);
            const __m256i better = _mm256_cmpgt_epi32(rank, best);
            best = _mm256_max_epi32(best, rank);
            number = _mm256_add_epi32(number, _mm256_set1_epi32(1));
            which = _mm256_blendv_epi8(which, number, better);
        }
        store(which, to + at);
    }
}

/** The greatest of eight lanes, in all of them. */
static inline __m256i greatest(__m256i lanes)
{
    lanes = _mm256_max_epi32(lanes, _mm256_permute2x128_si256(lanes, lanes, 1));
    lanes = _mm256_max_epi32(lanes, _mm256_shuffle_epi32(lanes, 0x4e));
    return _mm256_max_epi32(lanes, _mm256_shuffle_epi32(lanes, 0xb1));
}

/** Each lane keeps the best of every eighth class, and the lowest of the best lanes wins. */
static inline uint32_t best_of(const float *scores, uint32_t classes)
{
    const __m256i from_0 = _mm256_setr_epi32(0, -1, -2, -3, -4, -5, -6, -7); /* negative classes */
    __m256i best = ranks_at(scores), which = from_0;
    for (uint32_t i = LANES; i < classes; i += LANES) {
        const uint32_t at = rung__mask_within(i, LANES, classes);
        const __m256i rank = ranks_at(scores + at);
        const __m256i number = _mm256_sub_epi32(from_0, _mm256_set1_epi32((int)at));
        which = _mm256_blendv_epi8(which, number, _mm256_cmpgt_epi32(rank, best));
        best = _mm256_max_epi32(best, rank);
    }
    const __m256i winners = _mm256_cmpeq_epi32(best, greatest(best));
    const __m256i low = _mm256_blendv_epi8(_mm256_set1_epi32(INT32_MIN), which, winners);
    return (uint32_t)-_mm256_extract_epi32(greatest(low), 0);
}

void rung__mask_best_of_table_avx2(const float *scores, uint32_t classes, uint32_t count,
                                   uint8_t *to)
{
    for (uint32_t x = 0; x < count; x++, scores += classes)
        to[x] = (uint8_t)best_of(scores, classes);
}

static void cut(const float *values, uint32_t count, float least, float enough, uint8_t *to)
{
    for (uint32_t x = 0; x < count; x += LANES) {
        const uint32_t at = rung__mask_within(x, LANES, count);
        const __m256 value = _mm256_loadu_ps(values + at);
        const __m256 less = _mm256_cmp_ps(value, _mm256_set1_ps(least), _CMP_LT_OQ);
        const __m256 sure = _mm256_cmp_ps(value, _mm256_set1_ps(enough), _CMP_GE_OQ);
        const __m256i known = _mm256_castps_si256(_mm256_or_ps(less, sure));
        const __m256i one = _mm256_srli_epi32(_mm256_castps_si256(sure), 31);
        const __m256i asked = _mm256_andnot_si256(known, _mm256_set1_epi32(RUNG__MASK_ASK));
        store(_mm256_or_si256(one, asked), to + at);
    }
}

void rung__mask_avx2(const struct rung__mask_request *request, uint8_t *to)
{
    static const struct rung__mask_parts parts = {best_of_planes, rung__mask_best_of_table_avx2,
                                                  cut};
    rung__mask_rows(&parts, request, to);
}
