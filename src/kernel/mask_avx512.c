/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "kernel/mask_rows.h"

#define LANES 16u

static __mmask16 lanes_of(uint32_t count)
{
    return (__mmask16)(count < LANES ? (1u << count) - 1 : 0xffff);
}

/** The order of numbers as the order of integers, as the oracle has it (mask_c.c). */
static inline __m512i ranks_at(__mmask16 lanes, const float *values)
{
    const __m512i bits = _mm512_maskz_loadu_epi32(lanes, values);
    const __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff));
    const __mmask16 none = _mm512_cmpgt_epi32_mask(magnitude, _mm512_set1_epi32(0x7f800000));
    const __m512i rank = _mm512_mask_sub_epi32(magnitude, _mm512_movepi32_mask(bits),
                                               _mm512_setzero_si512(), magnitude);
    return _mm512_mask_mov_epi32(rank, none, _mm512_set1_epi32(INT32_MIN));
}

static void best_of_planes(const float *scores, size_t step, uint32_t classes, uint32_t count,
                           uint8_t *to)
{
    for (uint32_t x = 0; x < count; x += LANES) {
        const __mmask16 lanes = lanes_of(count - x);
        __m512i best = ranks_at(lanes, scores + x);
        __m512i which = _mm512_setzero_si512(), number = which;
        for (uint32_t i = 1; i < classes; i++) {
            const __m512i rank = ranks_at(lanes, scores + i * step + x);
            const __mmask16 better = _mm512_cmpgt_epi32_mask(rank, best);
            best = _mm512_max_epi32(best, rank);
            number = _mm512_add_epi32(number, _mm512_set1_epi32(1));
            which = _mm512_mask_mov_epi32(which, better, number);
        }
        _mm_mask_storeu_epi8(to + x, lanes, _mm512_cvtepi32_epi8(which));
    }
}

static void cut(const float *values, uint32_t count, float least, float enough, uint8_t *to)
{
    for (uint32_t x = 0; x < count; x += LANES) {
        const __mmask16 lanes = lanes_of(count - x);
        const __m512 value = _mm512_maskz_loadu_ps(lanes, values + x);
        const __mmask16 less = _mm512_cmp_ps_mask(value, _mm512_set1_ps(least), _CMP_LT_OQ);
        const __mmask16 sure = _mm512_cmp_ps_mask(value, _mm512_set1_ps(enough), _CMP_GE_OQ);
        const __m128i asked = _mm_mask_mov_epi8(_mm_set1_epi8(RUNG__MASK_ASK), less | sure,
                                                _mm_maskz_set1_epi8(sure, 1));
        _mm_mask_storeu_epi8(to + x, lanes, asked);
    }
}

void rung__mask_avx512(const struct rung__mask_request *request, uint8_t *to)
{
    static const struct rung__mask_parts parts = {best_of_planes, rung__mask_best_of_table_avx2,
                                                  cut};
    rung__mask_rows(&parts, request, to);
}
