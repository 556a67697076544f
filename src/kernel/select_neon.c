/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>

#include "kernel/select_grid.h"

#define KEYS  4u /* a vector */
#define LANES 8u /* of a block, a vector */
#define PARTS (RUNG__SELECT_LANES / LANES)

/* ---- keys ------------------------------------------------------------------------------------ */

/** Step 1 for a vector of candidates. */
struct rule {
    uint32x4_t min_confidence, band_confidence, band_min, band_max;
    int32x4_t k;
    bool band_is_on;
};

static struct rule make_rule(const struct rung__selection *selection, uint32_t k)
{
    const uint16_t least = selection->min_confidence, band = selection->band_confidence;
    return (struct rule){
        .min_confidence = vdupq_n_u32(least > 0 ? least : 1),
        .band_confidence = vdupq_n_u32(band > 0 ? band : 1),
        .band_min = vdupq_n_u32(selection->band_min),
        .band_max = vdupq_n_u32(selection->band_max),
        .k = vdupq_n_s32((int32_t)k),
        .band_is_on = band || selection->band_min || selection->band_max,
    };
}

/** `size` is w and h from the lowest bits on. */
static inline uint32x4_t admits(const struct rule *rule, uint32x4_t size, uint32x4_t confidence)
{
    const uint32x4_t w = vandq_u32(size, vdupq_n_u32(0xffff)), h = vshrq_n_u32(size, 16);
    const uint32x4_t side = vminq_u32(w, h);
    uint32x4_t good = vcgeq_u32(confidence, rule->min_confidence);
    if (rule->band_is_on) {
        const uint32x4_t units = vqshlq_u32(side, rule->k); /* what overflows is beyond any band */
        const uint32x4_t inside =
            vandq_u32(vcgeq_u32(units, rule->band_min), vcltq_u32(units, rule->band_max));
        good = vorrq_u32(good, vandq_u32(inside, vcgeq_u32(confidence, rule->band_confidence)));
    }
    return vandq_u32(good, vtstq_u32(side, side));
}

/** Four candidates by their words of 32 bits; those after the last are as if all zero. */
static inline uint32x4x4_t load(const struct rung__candidate *candidates, uint32_t count)
{
    struct rung__candidate last[KEYS] = {{0}};
    if (count < KEYS) {
        for (uint32_t i = 0; i < count; i++)
            last[i] = candidates[i];
        candidates = last;
    }
    return vld4q_u32((const uint32_t *)candidates);
}

/** Appends the keys whose lane is set; writes up to two behind them. */
static inline uint32_t append(uint64_t *keys, uint32_t kept, uint64x2_t two, uint64x2_t lanes)
{
    keys[kept] = vgetq_lane_u64(two, 0);
    kept += (uint32_t)vgetq_lane_u64(lanes, 0) & 1;
    keys[kept] = vgetq_lane_u64(two, 1);
    return kept + ((uint32_t)vgetq_lane_u64(lanes, 1) & 1);
}

static uint32_t admit(const struct rung__candidate *candidates, uint32_t count,
                      const struct rung__selection *selection, uint32_t k, uint64_t limit,
                      uint64_t *keys, uint32_t *admitted)
{
    static const uint32_t first_numbers[KEYS] = {0, 1, 2, 3};
    const struct rule rule = make_rule(selection, k);
    const uint32x4_t field = vdupq_n_u32(0xffff);
    const uint64x2_t limits = vdupq_n_u64(limit);
    uint32x4_t number = vld1q_u32(first_numbers), all = vdupq_n_u32(0);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i += KEYS) {
        const uint32x4x4_t words = load(&candidates[i], count - i);
        const uint32x4_t place = words.val[0], confidence = vandq_u32(words.val[2], field);
        const uint32x4_t good = admits(&rule, words.val[1], confidence);
        const uint32x4_t below = vshlq_n_u32(vsubq_u32(field, confidence), 16);
        const uint32x4_t high = vorrq_u32(below, vshrq_n_u32(place, 16));
        const uint32x4_t low = vorrq_u32(vshlq_n_u32(place, 16), number);
        const uint64x2_t front = vreinterpretq_u64_u32(vzip1q_u32(low, high));
        const uint64x2_t back = vreinterpretq_u64_u32(vzip2q_u32(low, high));
        const uint64x2_t front_good = vreinterpretq_u64_u32(vzip1q_u32(good, good));
        const uint64x2_t back_good = vreinterpretq_u64_u32(vzip2q_u32(good, good));
        kept = append(keys, kept, front, vandq_u64(front_good, vcleq_u64(front, limits)));
        kept = append(keys, kept, back, vandq_u64(back_good, vcleq_u64(back, limits)));
        all = vsubq_u32(all, good);
        number = vaddq_u32(number, vdupq_n_u32(KEYS));
    }
    *admitted = vaddvq_u32(all);
    return kept;
}

/* ---- suppression ----------------------------------------------------------------------------- */

/** The candidate in every lane. */
struct query {
    uint16x8_t left, right, top, bottom, class_id;
    float32x4_t area, inside;
};

static inline struct query make_query(const struct rung__select_grid *grid,
                                      const struct rung__select_box *box)
{
    return (struct query){
        .left = vdupq_n_u16(box->left),
        .right = vdupq_n_u16(box->right),
        .top = vdupq_n_u16(box->top),
        .bottom = vdupq_n_u16(box->bottom),
        .class_id = vdupq_n_u16(box->class_id),
        .area = vdupq_n_f32(box->area),
        .inside = vdupq_n_f32(box->area * grid->inside),
    };
}

/** A bit for each lane of a block; lanes are all ones or zeros. */
static inline uint32_t bits_of(const uint16x8_t parts[PARTS])
{
    static const uint8_t of_lanes[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vld1q_u8(of_lanes);
    const uint8x16_t low = vmovn_high_u16(vmovn_u16(parts[0]), parts[1]);
    const uint8x16_t high = vmovn_high_u16(vmovn_u16(parts[2]), parts[3]);
    uint8x16_t sums = vpaddq_u8(vandq_u8(low, bits), vandq_u8(high, bits));
    sums = vpaddq_u8(sums, sums);
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u32(vreinterpretq_u32_u8(sums), 0);
}

/** The lanes that share area with the candidate: no end is before the other's start. */
static inline uint32_t touching(const struct rung__select_block *block, const struct query *query)
{
    uint16x8_t parts[PARTS];
    for (uint32_t i = 0, from = 0; i < PARTS; i++, from += LANES) {
        const uint16x8_t x = vandq_u16(vcleq_u16(vld1q_u16(block->left + from), query->right),
                                       vcgeq_u16(vld1q_u16(block->right + from), query->left));
        const uint16x8_t y = vandq_u16(vcleq_u16(vld1q_u16(block->top + from), query->bottom),
                                       vcgeq_u16(vld1q_u16(block->bottom + from), query->top));
        parts[i] = vandq_u16(x, y);
    }
    return bits_of(parts);
}

static inline uint32_t same_class(const struct rung__select_grid *grid,
                                  const struct rung__select_block *block, const struct query *query)
{
    uint16x8_t parts[PARTS];
    if (!(grid->selection->flags & RUNG_SUPPRESS_PER_CLASS))
        return UINT32_MAX;
    for (uint32_t i = 0; i < PARTS; i++)
        parts[i] = vceqq_u16(vld1q_u16(block->class_id + (size_t)i * LANES), query->class_id);
    return bits_of(parts);
}

/** Lengths of runs, whose ends are both inside. */
static inline float32x4_t length(uint16x4_t less_one)
{
    return vcvtq_f32_u32(vaddq_u32(vmovl_u16(less_one), vdupq_n_u32(1)));
}

/** What shared areas tell of eight lanes: surely ruled out, or close to the limit. */
struct verdict {
    uint16x8_t sure, close;
};

/** Narrows the lanes of two vectors. */
static inline uint16x8_t both(uint32x4_t low, uint32x4_t high)
{
    return vmovn_high_u32(vmovn_u32(low), high);
}

static inline struct verdict judge_eight(const struct rung__select_grid *grid,
                                         const struct rung__select_block *block, uint32_t from,
                                         const struct query *query)
{
    const uint16x8_t left = vmaxq_u16(vld1q_u16(block->left + from), query->left);
    const uint16x8_t right = vminq_u16(vld1q_u16(block->right + from), query->right);
    const uint16x8_t top = vmaxq_u16(vld1q_u16(block->top + from), query->top);
    const uint16x8_t bottom = vminq_u16(vld1q_u16(block->bottom + from), query->bottom);
    const uint16x8_t width = vsubq_u16(right, left), height = vsubq_u16(bottom, top);
    uint32x4_t sure[2], close[2];
    for (int i = 0; i < 2; i++) {
        const uint16x4_t w = i ? vget_high_u16(width) : vget_low_u16(width);
        const uint16x4_t h = i ? vget_high_u16(height) : vget_low_u16(height);
        const float32x4_t shared = vmulq_f32(length(w), length(h));
        const float32x4_t scaled = vmulq_n_f32(shared, grid->shared);
        const float32x4_t areas =
            vaddq_f32(vld1q_f32(block->area + from + (size_t)4 * i), query->area);
        sure[i] = vcgeq_f32(scaled, vmulq_n_f32(areas, grid->enough));
        close[i] = vorrq_u32(vcgeq_f32(scaled, vmulq_n_f32(areas, grid->least)),
                             vcgeq_f32(shared, query->inside));
    }
    return (struct verdict){both(sure[0], sure[1]), both(close[0], close[1])};
}

/** Is the candidate ruled out by one of the lanes that are set? */
static inline bool lanes_rule_out(const struct rung__select_grid *grid,
                                  const struct rung__select_block *block, uint32_t lanes,
                                  const struct query *query, const struct rung__select_box *box)
{
    const uint16x8_t none = vdupq_n_u16(0);
    uint16x8_t sure[PARTS], close[PARTS];
    for (uint32_t i = 0, from = 0; i < PARTS; i++, from += LANES) {
        struct verdict verdict = {none, none};
        if (lanes >> from & 0xff)
            verdict = judge_eight(grid, block, from, query);
        sure[i] = verdict.sure;
        close[i] = verdict.close;
    }
    if (bits_of(sure) & lanes)
        return true;
    const uint32_t asked = bits_of(close) & lanes;
    return asked && rung__select_any_rules_out(grid, block, asked, box);
}

#define INIT rung__select_init_neon
#include "kernel/select_search.h"
