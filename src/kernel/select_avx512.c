/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "kernel/select_grid.h"

#define KEYS 8u /* a vector */

/* ---- keys ------------------------------------------------------------------------------------ */

/** Step 1 for a vector of candidates, as 64-bit numbers. */
struct rule {
    __m512i min_confidence, band_confidence, band_min, band_max, field;
    __m128i k;
    bool band_is_on;
};

static struct rule make_rule(const struct rung__selection *selection, uint32_t k)
{
    const uint16_t least = selection->min_confidence;
    return (struct rule){
        .min_confidence = _mm512_set1_epi64(least > 0 ? least : 1),
        .band_confidence =
            _mm512_set1_epi64(selection->band_confidence > 0 ? selection->band_confidence : 1),
        .band_min = _mm512_set1_epi64(selection->band_min),
        .band_max = _mm512_set1_epi64(selection->band_max),
        .field = _mm512_set1_epi64(0xffff),
        .k = _mm_cvtsi32_si128((int)k),
        .band_is_on = selection->band_confidence || selection->band_min || selection->band_max,
    };
}

/** `place` is x, y, w and h from the lowest bits on. */
static inline __mmask8 admits(const struct rule *rule, __m512i place, __m512i confidence)
{
    const __m512i w = _mm512_and_si512(_mm512_srli_epi64(place, 32), rule->field);
    const __m512i h = _mm512_srli_epi64(place, 48);
    const __m512i side = _mm512_min_epu64(w, h);
    const __mmask8 some = _mm512_test_epi64_mask(side, side);
    __mmask8 good = _mm512_cmpge_epu64_mask(confidence, rule->min_confidence);
    if (rule->band_is_on) {
        const __m512i size = _mm512_sll_epi64(side, rule->k);
        const __mmask8 sure = _mm512_cmpge_epu64_mask(confidence, rule->band_confidence);
        const __mmask8 above = _mm512_mask_cmpge_epu64_mask(sure, size, rule->band_min);
        good |= _mm512_mask_cmplt_epu64_mask(above, size, rule->band_max);
    }
    return some & good;
}

static uint32_t admit(const struct rung__candidate *candidates, uint32_t count,
                      const struct rung__selection *selection, uint32_t k, uint64_t limit,
                      uint64_t *keys, uint32_t *admitted)
{
    const struct rule rule = make_rule(selection, k);
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const __m512i corner = _mm512_set1_epi64(0xffffffff0000);
    const __m512i limits = _mm512_set1_epi64((long long)limit);
    __m512i number = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    uint32_t kept = 0;
    *admitted = 0;
    for (uint32_t i = 0; i < count; i += KEYS) {
        const uint32_t rest = count - i;
        const uint32_t halves = rest < KEYS ? (1u << 2 * rest) - 1 : 0xffff;
        const __m512i a = _mm512_maskz_loadu_epi64((__mmask8)halves, &candidates[i]);
        const __m512i b = _mm512_maskz_loadu_epi64((__mmask8)(halves >> 8),
                                                   (const uint64_t *)&candidates[i] + KEYS);
        const __m512i place = _mm512_permutex2var_epi64(a, even, b);
        const __m512i confidence =
            _mm512_and_si512(_mm512_permutex2var_epi64(a, odd, b), rule.field);
        const __mmask8 good = admits(&rule, place, confidence);
        const __m512i below = _mm512_slli_epi64(_mm512_sub_epi64(rule.field, confidence), 48);
        const __m512i rises = _mm512_and_si512(_mm512_slli_epi64(place, 16), corner);
        const __m512i key = _mm512_or_si512(_mm512_or_si512(below, rises), number);
        const __mmask8 keep = _mm512_mask_cmple_epu64_mask(good, key, limits);
        _mm512_storeu_si512(keys + kept, _mm512_maskz_compress_epi64(keep, key));
        kept += (uint32_t)_mm_popcnt_u32(keep);
        *admitted += (uint32_t)_mm_popcnt_u32(good);
        number = _mm512_add_epi64(number, _mm512_set1_epi64(KEYS));
    }
    return kept;
}

/* ---- suppression ----------------------------------------------------------------------------- */

/** The candidate in every lane. */
struct query {
    __m512i left, right, top, bottom, class_id;
    __m512 area, inside;
};

static inline struct query make_query(const struct rung__select_grid *grid,
                                      const struct rung__select_box *box)
{
    return (struct query){
        .left = _mm512_set1_epi16((short)box->left),
        .right = _mm512_set1_epi16((short)box->right),
        .top = _mm512_set1_epi16((short)box->top),
        .bottom = _mm512_set1_epi16((short)box->bottom),
        .class_id = _mm512_set1_epi16((short)box->class_id),
        .area = _mm512_set1_ps(box->area),
        .inside = _mm512_set1_ps(box->area * grid->inside),
    };
}

/** The lanes that share area with the candidate: no end comes before the other's start. */
static inline uint32_t touching(const struct rung__select_block *block, const struct query *query)
{
    const __m512i a = _mm512_subs_epu16(_mm512_load_si512(block->left), query->right);
    const __m512i b = _mm512_subs_epu16(query->left, _mm512_load_si512(block->right));
    const __m512i c = _mm512_subs_epu16(_mm512_load_si512(block->top), query->bottom);
    const __m512i d = _mm512_subs_epu16(query->top, _mm512_load_si512(block->bottom));
    const __m512i apart = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
    return _mm512_testn_epi16_mask(apart, apart);
}

/** A run's length from its ends, both inside. */
static inline __m512 length(__m256i first, __m256i last)
{
    const __m512i less_one = _mm512_cvtepu16_epi32(_mm256_sub_epi16(last, first));
    return _mm512_cvtepi32_ps(_mm512_add_epi32(less_one, _mm512_set1_epi32(1)));
}

/** What shared areas tell: surely ruled out, or close to the limit, a bit a lane. */
struct verdict {
    uint32_t sure, close;
};

static inline struct verdict judge_half(const struct rung__select_grid *grid, __m256i left,
                                        __m256i right, __m256i top, __m256i bottom, __m512 area,
                                        const struct query *query)
{
    const __m512 shared = _mm512_mul_ps(length(left, right), length(top, bottom));
    const __m512 scaled = _mm512_mul_ps(shared, _mm512_set1_ps(grid->shared));
    const __m512 areas = _mm512_add_ps(area, query->area);
    const __m512 least = _mm512_mul_ps(areas, _mm512_set1_ps(grid->least));
    const __m512 enough = _mm512_mul_ps(areas, _mm512_set1_ps(grid->enough));
    return (struct verdict){
        _mm512_cmp_ps_mask(scaled, enough, _CMP_GE_OQ),
        (uint32_t)_mm512_cmp_ps_mask(scaled, least, _CMP_GE_OQ) |
            (uint32_t)_mm512_cmp_ps_mask(shared, query->inside, _CMP_GE_OQ),
    };
}

/** Of the lanes that are set. */
static inline struct verdict judge(const struct rung__select_grid *grid,
                                   const struct rung__select_block *block, uint32_t lanes,
                                   const struct query *query)
{
    const __m512i left = _mm512_max_epu16(_mm512_load_si512(block->left), query->left);
    const __m512i right = _mm512_min_epu16(_mm512_load_si512(block->right), query->right);
    const __m512i top = _mm512_max_epu16(_mm512_load_si512(block->top), query->top);
    const __m512i bottom = _mm512_min_epu16(_mm512_load_si512(block->bottom), query->bottom);
    const struct verdict low =
        judge_half(grid, _mm512_castsi512_si256(left), _mm512_castsi512_si256(right),
                   _mm512_castsi512_si256(top), _mm512_castsi512_si256(bottom),
                   _mm512_load_ps(block->area), query);
    const struct verdict high =
        judge_half(grid, _mm512_extracti64x4_epi64(left, 1), _mm512_extracti64x4_epi64(right, 1),
                   _mm512_extracti64x4_epi64(top, 1), _mm512_extracti64x4_epi64(bottom, 1),
                   _mm512_load_ps(block->area + 16), query);
    return (struct verdict){(low.sure | high.sure << 16) & lanes,
                            (low.close | high.close << 16) & lanes};
}

static inline uint32_t same_class(const struct rung__select_grid *grid,
                                  const struct rung__select_block *block, const struct query *query)
{
    if (!(grid->selection->flags & RUNG_SUPPRESS_PER_CLASS))
        return UINT32_MAX;
    return _mm512_cmpeq_epi16_mask(_mm512_load_si512(block->class_id), query->class_id);
}

static inline bool lanes_rule_out(const struct rung__select_grid *grid,
                                  const struct rung__select_block *block, uint32_t lanes,
                                  const struct query *query, const struct rung__select_box *box)
{
    const struct verdict verdict = judge(grid, block, lanes, query);
    return verdict.sure ||
           (verdict.close && rung__select_any_rules_out(grid, block, verdict.close, box));
}

#define INIT rung__select_init_avx512
#include "kernel/select_search.h"
