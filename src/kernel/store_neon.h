/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_STORE_NEON_H
#define RUNG__KERNEL_STORE_NEON_H

#include <arm_neon.h>
#include <string.h>

#include "artifact/format.h"

/*
 * Stores of preprocess.md for 16 pixels: from V (16 fraction bits) in three channels to the
 * elements of a type in a layout. What is stored has a name, since a compiler may have macros for
 * intrinsics.
 */

#define RUNG__NEON_PIXELS 16u
#define RUNG__NEON_INLINE static inline __attribute__((always_inline))

/** What turns V into the value of a channel. */
struct rung__neon_scale {
    float32x4_t scale, bias;
};

/** Where a row goes on. */
struct rung__neon_to {
    uint8_t *planes[3]; /**< the first alone where one is for all channels */
    uint32_t count;     /**< of planes */
    uint32_t pixel;     /**< bytes */
};

/** Stores 16 pixels. */
typedef void rung__neon_put(const uint32x4x4_t v[3], const struct rung__neon_scale scale[3],
                            uint8_t *const to[3]);

RUNG__NEON_INLINE void rung__neon_scales(const struct rung__canvas *canvas,
                                         struct rung__neon_scale scale[3])
{
    for (int c = 0; c < 3; c++)
        scale[c] = (struct rung__neon_scale){vdupq_n_f32(canvas->scale[c] * 0x1p-16f),
                                             vdupq_n_f32(canvas->bias[c])};
}

/* ---- elements -------------------------------------------------------------------------------- */

/** V is below 2^24: the conversion is exact; then two roundings. */
RUNG__NEON_INLINE float32x4_t rung__neon_scaled(uint32x4_t v, const struct rung__neon_scale *by)
{
    return vaddq_f32(vmulq_f32(vcvtq_f32_u32(v), by->scale), by->bias);
}

RUNG__NEON_INLINE float32x4x4_t rung__neon_f32(uint32x4x4_t v, const struct rung__neon_scale *by)
{
    return (float32x4x4_t){{rung__neon_scaled(v.val[0], by), rung__neon_scaled(v.val[1], by),
                            rung__neon_scaled(v.val[2], by), rung__neon_scaled(v.val[3], by)}};
}

RUNG__NEON_INLINE uint16x8x2_t rung__neon_f16(uint32x4x4_t v, const struct rung__neon_scale *by)
{
    const float32x4x4_t f = rung__neon_f32(v, by);
    const float16x8_t low = vcvt_high_f16_f32(vcvt_f16_f32(f.val[0]), f.val[1]);
    const float16x8_t high = vcvt_high_f16_f32(vcvt_f16_f32(f.val[2]), f.val[3]);
    return (uint16x8x2_t){{vreinterpretq_u16_f16(low), vreinterpretq_u16_f16(high)}};
}

/** Halves to even; each step narrower clamps. */
RUNG__NEON_INLINE int8x16_t rung__neon_i8(uint32x4x4_t v, const struct rung__neon_scale *by)
{
    const float32x4x4_t f = rung__neon_f32(v, by);
    const int16x8_t low =
        vqmovn_high_s32(vqmovn_s32(vcvtnq_s32_f32(f.val[0])), vcvtnq_s32_f32(f.val[1]));
    const int16x8_t high =
        vqmovn_high_s32(vqmovn_s32(vcvtnq_s32_f32(f.val[2])), vcvtnq_s32_f32(f.val[3]));
    return vqmovn_high_s16(vqmovn_s16(low), high);
}

RUNG__NEON_INLINE uint8x16_t rung__neon_u8(uint32x4x4_t v)
{
    const uint16x8_t low = vrshrn_high_n_u32(vrshrn_n_u32(v.val[0], 16), v.val[1], 16);
    const uint16x8_t high = vrshrn_high_n_u32(vrshrn_n_u32(v.val[2], 16), v.val[3], 16);
    return vmovn_high_u16(vmovn_u16(low), high);
}

/* ---- planar ---------------------------------------------------------------------------------- */

RUNG__NEON_INLINE void rung__neon_put_planar_f32(const uint32x4x4_t v[3],
                                                 const struct rung__neon_scale scale[3],
                                                 uint8_t *const to[3])
{
    for (size_t c = 0; c < 3; c++) {
        const float32x4x4_t f = rung__neon_f32(v[c], &scale[c]);
        for (size_t i = 0; i < 4; i++)
            vst1q_f32((float *)to[c] + 4 * i, f.val[i]);
    }
}

RUNG__NEON_INLINE void rung__neon_put_planar_f16(const uint32x4x4_t v[3],
                                                 const struct rung__neon_scale scale[3],
                                                 uint8_t *const to[3])
{
    for (size_t c = 0; c < 3; c++) {
        const uint16x8x2_t f = rung__neon_f16(v[c], &scale[c]);
        vst1q_u16((uint16_t *)to[c], f.val[0]);
        vst1q_u16((uint16_t *)to[c] + 8, f.val[1]);
    }
}

RUNG__NEON_INLINE void rung__neon_put_planar_i8(const uint32x4x4_t v[3],
                                                const struct rung__neon_scale scale[3],
                                                uint8_t *const to[3])
{
    for (int c = 0; c < 3; c++)
        vst1q_s8((int8_t *)to[c], rung__neon_i8(v[c], &scale[c]));
}

RUNG__NEON_INLINE void rung__neon_put_planar_u8(const uint32x4x4_t v[3],
                                                const struct rung__neon_scale scale[3],
                                                uint8_t *const to[3])
{
    (void)scale;
    for (int c = 0; c < 3; c++)
        vst1q_u8(to[c], rung__neon_u8(v[c]));
}

/* ---- interleaved ----------------------------------------------------------------------------- */

RUNG__NEON_INLINE void rung__neon_put_mixed_f32(const uint32x4x4_t v[3],
                                                const struct rung__neon_scale scale[3],
                                                uint8_t *const to[3])
{
    const float32x4x4_t a = rung__neon_f32(v[0], &scale[0]), b = rung__neon_f32(v[1], &scale[1]);
    const float32x4x4_t c = rung__neon_f32(v[2], &scale[2]);
    for (int i = 0; i < 4; i++) {
        const float32x4x3_t pixels = {{a.val[i], b.val[i], c.val[i]}};
        vst3q_f32((float *)to[0] + (size_t)12 * i, pixels);
    }
}

RUNG__NEON_INLINE void rung__neon_put_mixed_f16(const uint32x4x4_t v[3],
                                                const struct rung__neon_scale scale[3],
                                                uint8_t *const to[3])
{
    const uint16x8x2_t a = rung__neon_f16(v[0], &scale[0]), b = rung__neon_f16(v[1], &scale[1]);
    const uint16x8x2_t c = rung__neon_f16(v[2], &scale[2]);
    for (int i = 0; i < 2; i++) {
        const uint16x8x3_t pixels = {{a.val[i], b.val[i], c.val[i]}};
        vst3q_u16((uint16_t *)to[0] + (size_t)24 * i, pixels);
    }
}

RUNG__NEON_INLINE void rung__neon_put_mixed_i8(const uint32x4x4_t v[3],
                                               const struct rung__neon_scale scale[3],
                                               uint8_t *const to[3])
{
    const int8x16x3_t pixels = {{rung__neon_i8(v[0], &scale[0]), rung__neon_i8(v[1], &scale[1]),
                                 rung__neon_i8(v[2], &scale[2])}};
    vst3q_s8((int8_t *)to[0], pixels);
}

RUNG__NEON_INLINE void rung__neon_put_mixed_u8(const uint32x4x4_t v[3],
                                               const struct rung__neon_scale scale[3],
                                               uint8_t *const to[3])
{
    (void)scale;
    const uint8x16x3_t pixels = {{rung__neon_u8(v[0]), rung__neon_u8(v[1]), rung__neon_u8(v[2])}};
    vst3q_u8(to[0], pixels);
}

RUNG__NEON_INLINE void rung__neon_put_bgra(const uint32x4x4_t v[3],
                                           const struct rung__neon_scale scale[3],
                                           uint8_t *const to[3])
{
    (void)scale;
    const uint8x16x4_t pixels = {
        {rung__neon_u8(v[0]), rung__neon_u8(v[1]), rung__neon_u8(v[2]), vdupq_n_u8(255)}};
    vst4q_u8(to[0], pixels);
}

/* ---- a part of a row ------------------------------------------------------------------------- */

/** Stores the next pixels, 16 or the `left` that there still are: those through a buffer. */
RUNG__NEON_INLINE void rung__neon_put_next(rung__neon_put *put, const uint32x4x4_t v[3],
                                           const struct rung__neon_scale scale[3], uint32_t left,
                                           struct rung__neon_to *to)
{
    uint8_t rest[3][3 * sizeof(float) * RUNG__NEON_PIXELS];
    if (left >= RUNG__NEON_PIXELS) {
        put(v, scale, to->planes);
        for (uint32_t i = 0; i < to->count; i++)
            to->planes[i] += (size_t)RUNG__NEON_PIXELS * to->pixel;
        return;
    }
    put(v, scale, (uint8_t *const[]){rest[0], rest[1], rest[2]});
    for (uint32_t i = 0; i < to->count; i++)
        memcpy(to->planes[i], rest[i], (size_t)left * to->pixel);
}

#endif
