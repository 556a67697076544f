/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/store_bytes.h"

#include "kernel/raster.h"
#include "kernel/store_neon.h"

#define INLINE RUNG__NEON_INLINE

/** V of 16 bytes. */
INLINE uint32x4x4_t values_of(uint8x16_t bytes)
{
    const uint16x8_t low = vmovl_u8(vget_low_u8(bytes)), high = vmovl_high_u8(bytes);
    return (uint32x4x4_t){{vshll_n_u16(vget_low_u16(low), 16), vshll_high_n_u16(low, 16),
                           vshll_n_u16(vget_low_u16(high), 16), vshll_high_n_u16(high, 16)}};
}

INLINE void store(rung__neon_put *put, const struct rung__canvas *canvas, const uint8_t *row,
                  struct rung__neon_to to)
{
    struct rung__neon_scale scale[3];
    rung__neon_scales(canvas, scale);
    for (uint32_t x = 0; x < canvas->width; x += RUNG__NEON_PIXELS) {
        const uint8x16x3_t bytes = vld3q_u8(row + 3 * (size_t)x);
        const uint32x4x4_t v[3] = {values_of(bytes.val[0]), values_of(bytes.val[1]),
                                   values_of(bytes.val[2])};
        rung__neon_put_next(put, v, scale, canvas->width - x, &to);
    }
}

static void store_planar(const struct rung__canvas *canvas, const uint8_t *row,
                         const struct rung__neon_to *to)
{
    switch (canvas->dtype) {
    case RUNG_DTYPE_F32:
        store(rung__neon_put_planar_f32, canvas, row, *to);
        break;
    case RUNG_DTYPE_F16:
        store(rung__neon_put_planar_f16, canvas, row, *to);
        break;
    case RUNG_DTYPE_I8:
        store(rung__neon_put_planar_i8, canvas, row, *to);
        break;
    default:
        store(rung__neon_put_planar_u8, canvas, row, *to);
        break;
    }
}

static void store_mixed(const struct rung__canvas *canvas, const uint8_t *row,
                        const struct rung__neon_to *to)
{
    switch (canvas->dtype) {
    case RUNG_DTYPE_F32:
        store(rung__neon_put_mixed_f32, canvas, row, *to);
        break;
    case RUNG_DTYPE_F16:
        store(rung__neon_put_mixed_f16, canvas, row, *to);
        break;
    case RUNG_DTYPE_I8:
        store(rung__neon_put_mixed_i8, canvas, row, *to);
        break;
    default:
        store(rung__neon_put_mixed_u8, canvas, row, *to);
        break;
    }
}

void rung__store_bytes_neon(const struct rung__canvas *canvas, const uint8_t *row, uint32_t y,
                            void *tensor)
{
    const struct rung__raster raster = rung__raster(canvas);
    struct rung__neon_to to = {.count = raster.planes, .pixel = (uint32_t)raster.pixel};
    for (uint32_t plane = 0; plane < raster.planes; plane++)
        to.planes[plane] = rung__raster_at(&raster, tensor, plane, y, 0);
    if (canvas->layout == RUNG_LAYOUT_BGRA)
        store(rung__neon_put_bgra, canvas, row, to);
    else if (canvas->layout == RUNG_LAYOUT_PLANAR)
        store_planar(canvas, row, &to);
    else
        store_mixed(canvas, row, &to);
}
