/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/blend.h"

#include "kernel/store_neon.h"

#define INLINE RUNG__NEON_INLINE

/** V of the 16 pixels from x on: lines of h and the weights, which add up to 256. */
INLINE uint32x4x4_t blended(const struct rung__blend_row *row, int c, uint32_t x)
{
    const uint16_t far = (uint16_t)row->weight, near = (uint16_t)(256 - row->weight);
    const uint16x8x2_t a = vld1q_u16_x2((const uint16_t *)row->first[c] + x);
    const uint16x8x2_t b = vld1q_u16_x2((const uint16_t *)row->second[c] + x);
    uint32x4x4_t v;
    for (size_t i = 0; i < 2; i++) {
        const uint32x4_t low = vmull_n_u16(vget_low_u16(a.val[i]), near);
        const uint32x4_t high = vmull_high_n_u16(a.val[i], near);
        v.val[2 * i] = vmlal_n_u16(low, vget_low_u16(b.val[i]), far);
        v.val[2 * i + 1] = vmlal_high_n_u16(high, b.val[i], far);
    }
    return v;
}

INLINE void blend(const struct rung__blend_row *shared, rung__neon_put *put, uint32_t planes,
                  uint32_t pixel)
{
    const struct rung__blend_row row = *shared; /* which no store can change */
    struct rung__neon_to to = {{row.to[0], row.to[1], row.to[2]}, planes, pixel};
    struct rung__neon_scale scale[3];
    for (int c = 0; c < 3; c++)
        scale[c] = (struct rung__neon_scale){vdupq_n_f32(row.scale[c]), vdupq_n_f32(row.bias[c])};
    for (uint32_t x = 0; x < row.width; x += RUNG__NEON_PIXELS) {
        const uint32x4x4_t v[3] = {blended(&row, 0, x), blended(&row, 1, x), blended(&row, 2, x)};
        rung__neon_put_next(put, v, scale, row.width - x, &to);
    }
}

static void planar_f32(const struct rung__blend_row *row)
{
    blend(row, rung__neon_put_planar_f32, 3, 4);
}

static void planar_f16(const struct rung__blend_row *row)
{
    blend(row, rung__neon_put_planar_f16, 3, 2);
}

static void planar_i8(const struct rung__blend_row *row)
{
    blend(row, rung__neon_put_planar_i8, 3, 1);
}

static void planar_u8(const struct rung__blend_row *row)
{
    blend(row, rung__neon_put_planar_u8, 3, 1);
}

static void mixed_f32(const struct rung__blend_row *row)
{
    blend(row, rung__neon_put_mixed_f32, 1, 12);
}

static void mixed_f16(const struct rung__blend_row *row)
{
    blend(row, rung__neon_put_mixed_f16, 1, 6);
}

static void mixed_i8(const struct rung__blend_row *row)
{
    blend(row, rung__neon_put_mixed_i8, 1, 3);
}

static void mixed_u8(const struct rung__blend_row *row)
{
    blend(row, rung__neon_put_mixed_u8, 1, 3);
}

static void mixed_bgra(const struct rung__blend_row *row)
{
    blend(row, rung__neon_put_bgra, 1, 4);
}

rung__blend *const rung__blends_neon[RUNG_LAYOUT_BGRA + 1][RUNG_DTYPE_U8 + 1] = {
    [RUNG_LAYOUT_PLANAR] = {[RUNG_DTYPE_F32] = planar_f32,
                            [RUNG_DTYPE_F16] = planar_f16,
                            [RUNG_DTYPE_I8] = planar_i8,
                            [RUNG_DTYPE_U8] = planar_u8},
    [RUNG_LAYOUT_INTERLEAVED] = {[RUNG_DTYPE_F32] = mixed_f32,
                                 [RUNG_DTYPE_F16] = mixed_f16,
                                 [RUNG_DTYPE_I8] = mixed_i8,
                                 [RUNG_DTYPE_U8] = mixed_u8},
    [RUNG_LAYOUT_BGRA] = {[RUNG_DTYPE_U8] = mixed_bgra},
};
