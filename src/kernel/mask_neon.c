/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>

#include "kernel/mask_rows.h"

#define LANES   4u
#define VECTORS 4u
#define PIXELS  (LANES * VECTORS)

/** The order of four numbers as the order of integers, as the oracle has it (mask_c.c). */
static inline int32x4_t ranks_at(const float *values)
{
    const int32x4_t bits = vreinterpretq_s32_f32(vld1q_f32(values));
    const int32x4_t magnitude = vandq_s32(bits, vdupq_n_s32(INT32_MAX));
    const int32x4_t rank = vbslq_s32(vcltzq_s32(bits), vnegq_s32(magnitude), magnitude);
    const uint32x4_t none = vcgtq_s32(magnitude, vdupq_n_s32(0x7f800000));
    return vbslq_s32(none, vdupq_n_s32(INT32_MIN), rank);
}

/** The lowest byte of each lane. */
static inline void store(const uint32x4_t lanes[VECTORS], uint8_t *to)
{
    const uint16x8_t low = vmovn_high_u32(vmovn_u32(lanes[0]), lanes[1]);
    const uint16x8_t high = vmovn_high_u32(vmovn_u32(lanes[2]), lanes[3]);
    vst1q_u8(to, vmovn_high_u16(vmovn_u16(low), high));
}

static void best_of_planes(const float *scores, size_t step, uint32_t classes, uint32_t count,
                           uint8_t *to)
{
    for (uint32_t x = 0; x < count; x += PIXELS) {
        const uint32_t at = rung__mask_within(x, PIXELS, count);
        int32x4_t best[VECTORS];
        uint32x4_t which[VECTORS];
        for (uint32_t v = 0; v < VECTORS; v++) {
            best[v] = ranks_at(scores + at + (size_t)v * LANES);
            which[v] = vdupq_n_u32(0);
        }
        for (uint32_t i = 1; i < classes; i++)
            for (uint32_t v = 0; v < VECTORS; v++) {
                const int32x4_t rank = ranks_at(scores + i * step + at + (size_t)v * LANES);
                which[v] = vbslq_u32(vcgtq_s32(rank, best[v]), vdupq_n_u32(i), which[v]);
                best[v] = vmaxq_s32(best[v], rank);
            }
        store(which, to + at);
    }
}

/** Each lane keeps the best of every fourth class, and the lowest of the best lanes wins. */
static inline uint32_t best_of(const float *scores, uint32_t classes)
{
    static const uint32_t first[LANES] = {0, 1, 2, 3};
    const uint32x4_t from_0 = vld1q_u32(first);
    int32x4_t best = ranks_at(scores);
    uint32x4_t which = from_0;
    for (uint32_t i = LANES; i < classes; i += LANES) {
        const uint32_t at = rung__mask_within(i, LANES, classes);
        const int32x4_t rank = ranks_at(scores + at);
        which = vbslq_u32(vcgtq_s32(rank, best), vaddq_u32(from_0, vdupq_n_u32(at)), which);
        best = vmaxq_s32(best, rank);
    }
    const uint32x4_t winners = vceqq_s32(best, vdupq_n_s32(vmaxvq_s32(best)));
    return vminvq_u32(vornq_u32(which, winners));
}

static void best_of_table(const float *scores, uint32_t classes, uint32_t count, uint8_t *to)
{
    for (uint32_t x = 0; x < count; x++, scores += classes)
        to[x] = (uint8_t)best_of(scores, classes);
}

static void cut(const float *values, uint32_t count, float least, float enough, uint8_t *to)
{
    for (uint32_t x = 0; x < count; x += PIXELS) {
        const uint32_t at = rung__mask_within(x, PIXELS, count);
        uint32x4_t lanes[VECTORS];
        for (uint32_t v = 0; v < VECTORS; v++) {
            const float32x4_t value = vld1q_f32(values + at + (size_t)v * LANES);
            const uint32x4_t less = vcltq_f32(value, vdupq_n_f32(least));
            const uint32x4_t sure = vcgeq_f32(value, vdupq_n_f32(enough));
            const uint32x4_t asked = vbicq_u32(vdupq_n_u32(RUNG__MASK_ASK), less);
            lanes[v] = vbslq_u32(sure, vdupq_n_u32(1), asked);
        }
        store(lanes, to + at);
    }
}

void rung__mask_neon(const struct rung__mask_request *request, uint8_t *to)
{
    static const struct rung__mask_parts parts = {best_of_planes, best_of_table, cut};
    rung__mask_rows(&parts, request, to);
}
