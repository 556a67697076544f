/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "kernel/select_grid.h"

#define KEYS  4u  /* a vector */
#define LANES 16u /* of a block, a vector */

/* ---- keys ------------------------------------------------------------------------------------ */

/** Step 1 for a vector of candidates, as 64-bit numbers; all are less than 2^63. */
struct rule {
    __m256i below_min, below_band, band_min_less_one, band_max, field;
    __m128i k;
    bool band_is_on;
};

static __m256i less_one(uint16_t value)
{
    return _mm256_set1_epi64x((long long)value - 1);
}

static struct rule make_rule(const struct rung__selection *selection, uint32_t k)
{
    const uint16_t least = selection->min_confidence, band = selection->band_confidence;
    return (struct rule){
        .below_min = less_one(least > 0 ? least : 1),
        .below_band = less_one(band > 0 ? band : 1),
        .band_min_less_one = less_one(selection->band_min),
        .band_max = _mm256_set1_epi64x(selection->band_max),
        .field = _mm256_set1_epi64x(0xffff),
        .k = _mm_cvtsi32_si128((int)k),
        .band_is_on = band || selection->band_min || selection->band_max,
    };
}

/** `place` is x, y, w and h from the lowest bits on. */
static inline __m256i admits(const struct rule *rule, __m256i place, __m256i confidence)
{
    const __m256i w_and_h = _mm256_srli_epi64(place, 32), h = _mm256_srli_epi64(place, 48);
    const __m256i side = _mm256_and_si256(_mm256_min_epu16(w_and_h, h), rule->field);
    const __m256i some = _mm256_cmpgt_epi64(side, _mm256_setzero_si256());
    __m256i good = _mm256_cmpgt_epi64(confidence, rule->below_min);
    if (rule->band_is_on) {
        const __m256i size = _mm256_sll_epi64(side, rule->k);
        const __m256i sure = _mm256_cmpgt_epi64(confidence, rule->below_band);
        const __m256i above = _mm256_cmpgt_epi64(size, rule->band_min_less_one);
        const __m256i under = _mm256_cmpgt_epi64(rule->band_max, size);
        good = _mm256_or_si256(good, _mm256_and_si256(sure, _mm256_and_si256(above, under)));
    }
    return _mm256_and_si256(some, good);
}

/** The lanes of a 4-bit mask moved to the front, as numbers of 32-bit halves. */
static const int32_t fronts[16][8] = {
    {0},
    {0, 1},
    {2, 3},
    {0, 1, 2, 3},
    {4, 5},
    {0, 1, 4, 5},
    {2, 3, 4, 5},
    {0, 1, 2, 3, 4, 5},
    {6, 7},
    {0, 1, 6, 7},
    {2, 3, 6, 7},
    {0, 1, 2, 3, 6, 7},
    {4, 5, 6, 7},
    {0, 1, 4, 5, 6, 7},
    {2, 3, 4, 5, 6, 7},
    {0, 1, 2, 3, 4, 5, 6, 7},
};

static inline __m256i to_front(__m256i lanes, uint32_t mask)
{
    return _mm256_permutevar8x32_epi32(lanes, _mm256_loadu_si256((const __m256i *)fronts[mask]));
}

static inline uint32_t mask_of(__m256i lanes)
{
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(lanes));
}

/** Candidates after the last are as if all zero: none is admitted. */
static inline void load(const struct rung__candidate *candidates, uint32_t count, __m256i *a,
                        __m256i *b)
{
    struct rung__candidate last[KEYS] = {{0}};
    if (count < KEYS) {
        for (uint32_t i = 0; i < count; i++)
            last[i] = candidates[i];
        candidates = last;
    }
    *a = _mm256_loadu_si256((const __m256i *)candidates);
    *b = _mm256_loadu_si256((const __m256i *)(candidates + 2));
}

static uint32_t admit(const struct rung__candidate *candidates, uint32_t count,
                      const struct rung__selection *selection, uint32_t k, uint64_t limit,
                      uint64_t *keys, uint32_t *admitted)
{
    const struct rule rule = make_rule(selection, k);
    const __m256i corner = _mm256_set1_epi64x(0xffffffff0000);
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN);
    const __m256i limits = _mm256_xor_si256(_mm256_set1_epi64x((long long)limit), sign);
    __m256i number = _mm256_setr_epi64x(0, 1, 2, 3), a, b;
    uint32_t kept = 0;
    *admitted = 0;
    for (uint32_t i = 0; i < count; i += KEYS) {
        load(&candidates[i], count - i, &a, &b);
        const __m256i place = _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(a, b), 0xd8);
        const __m256i rest = _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(a, b), 0xd8);
        const __m256i confidence = _mm256_and_si256(rest, rule.field);
        const __m256i good = admits(&rule, place, confidence);
        const __m256i below = _mm256_slli_epi64(_mm256_sub_epi64(rule.field, confidence), 48);
        const __m256i rises = _mm256_and_si256(_mm256_slli_epi64(place, 16), corner);
        const __m256i key = _mm256_or_si256(_mm256_or_si256(below, rises), number);
        const __m256i beyond = _mm256_cmpgt_epi64(_mm256_xor_si256(key, sign), limits);
        const uint32_t keep = mask_of(_mm256_andnot_si256(beyond, good));
        _mm256_storeu_si256((__m256i *)(keys + kept), to_front(key, keep));
        kept += (uint32_t)__builtin_popcount(keep);
        *admitted += (uint32_t)__builtin_popcount(mask_of(good));
        number = _mm256_add_epi64(number, _mm256_set1_epi64x(KEYS));
    }
    return kept;
}

/* ---- suppression ----------------------------------------------------------------------------- */

/** The candidate in every lane. */
struct query {
    __m256i left, right, top, bottom, class_id;
    __m256 area, inside;
};

static inline struct query make_query(const struct rung__select_grid *grid,
                                      const struct rung__select_box *box)
{
    return (struct query){
        .left = _mm256_set1_epi16((short)box->left),
        .right = _mm256_set1_epi16((short)box->right),
        .top = _mm256_set1_epi16((short)box->top),
        .bottom = _mm256_set1_epi16((short)box->bottom),
        .class_id = _mm256_set1_epi16((short)box->class_id),
        .area = _mm256_set1_ps(box->area),
        .inside = _mm256_set1_ps(box->area * grid->inside),
    };
}

static inline __m256i lanes_at(const uint16_t *values)
{
    return _mm256_load_si256((const __m256i *)values);
}

/** A bit for each of two vectors of 16-bit lanes that are all ones or zeros. */
static inline uint32_t bits_of(__m256i low, __m256i high)
{
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

/** Which of 16 lanes share area with the candidate: no end is before the other's start. */
static inline __m256i touching_half(const struct rung__select_block *block, uint32_t from,
                                    const struct query *query)
{
    const __m256i x =
        _mm256_or_si256(_mm256_subs_epu16(lanes_at(block->left + from), query->right),
                        _mm256_subs_epu16(query->left, lanes_at(block->right + from)));
    const __m256i y =
        _mm256_or_si256(_mm256_subs_epu16(lanes_at(block->top + from), query->bottom),
                        _mm256_subs_epu16(query->top, lanes_at(block->bottom + from)));
    return _mm256_cmpeq_epi16(_mm256_or_si256(x, y), _mm256_setzero_si256());
}

static inline uint32_t touching(const struct rung__select_block *block, const struct query *query)
{
    return bits_of(touching_half(block, 0, query), touching_half(block, LANES, query));
}

/** A run's length from its ends, both inside. */
static inline __m256 length(__m128i first, __m128i last)
{
    const __m256i less_one = _mm256_cvtepu16_epi32(_mm_sub_epi16(last, first));
    return _mm256_cvtepi32_ps(_mm256_add_epi32(less_one, _mm256_set1_epi32(1)));
}

/** What shared areas tell: surely ruled out, or close to the limit, a bit a lane. */
struct verdict {
    uint32_t sure, close;
};

static inline uint32_t at_least(__m256 value, __m256 limit)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(value, limit, _CMP_GE_OQ));
}

static inline __m128i eight_at(const uint16_t *values)
{
    return _mm_load_si128((const __m128i *)values);
}

static inline struct verdict judge_eight(const struct rung__select_grid *grid,
                                         const struct rung__select_block *block, uint32_t from,
                                         const struct query *query)
{
    const __m128i left =
        _mm_max_epu16(eight_at(block->left + from), _mm256_castsi256_si128(query->left));
    const __m128i right =
        _mm_min_epu16(eight_at(block->right + from), _mm256_castsi256_si128(query->right));
    const __m128i top =
        _mm_max_epu16(eight_at(block->top + from), _mm256_castsi256_si128(query->top));
    const __m128i bottom =
        _mm_min_epu16(eight_at(block->bottom + from), _mm256_castsi256_si128(query->bottom));
    const __m256 shared = _mm256_mul_ps(length(left, right), length(top, bottom));
    const __m256 scaled = _mm256_mul_ps(shared, _mm256_set1_ps(grid->shared));
    const __m256 areas = _mm256_add_ps(_mm256_load_ps(block->area + from), query->area);
    return (struct verdict){
        at_least(scaled, _mm256_mul_ps(areas, _mm256_set1_ps(grid->enough))),
        at_least(scaled, _mm256_mul_ps(areas, _mm256_set1_ps(grid->least))) |
            at_least(shared, query->inside),
    };
}

/** Of the lanes that are set. */
static inline struct verdict judge(const struct rung__select_grid *grid,
                                   const struct rung__select_block *block, uint32_t lanes,
                                   const struct query *query)
{
    struct verdict verdict = {0, 0};
    for (uint32_t from = 0; from < RUNG__SELECT_LANES; from += 8)
        if (lanes >> from & 0xff) {
            const struct verdict eight = judge_eight(grid, block, from, query);
            verdict.sure |= eight.sure << from;
            verdict.close |= eight.close << from;
        }
    return (struct verdict){verdict.sure & lanes, verdict.close & lanes};
}

static inline uint32_t same_class(const struct rung__select_grid *grid,
                                  const struct rung__select_block *block, const struct query *query)
{
    if (!(grid->selection->flags & RUNG_SUPPRESS_PER_CLASS))
        return UINT32_MAX;
    return bits_of(_mm256_cmpeq_epi16(lanes_at(block->class_id), query->class_id),
                   _mm256_cmpeq_epi16(lanes_at(block->class_id + LANES), query->class_id));
}

static inline bool lanes_rule_out(const struct rung__select_grid *grid,
                                  const struct rung__select_block *block, uint32_t lanes,
                                  const struct query *query, const struct rung__select_box *box)
{
    const struct verdict verdict = judge(grid, block, lanes, query);
    return verdict.sure ||
           (verdict.close && rung__select_any_rules_out(grid, block, verdict.close, box));
}

#define INIT rung__select_init_avx2
#include "kernel/select_search.h"
