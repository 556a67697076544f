/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/store_bytes.h"

#include "artifact/tensors.h"
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

static void store_planar(const struct rung__canvas *canvas, const uint8_t *row, uint32_t element,
                         uint8_t *first, size_t plane)
{
    const struct rung__neon_to to = {{first, first + plane, first + 2 * plane}, 3, element};
    switch (canvas->dtype) {
    case RUNG_DTYPE_F32:
        store(rung__neon_put_planar_f32, canvas, row, to);
        break;
    case RUNG_DTYPE_F16:
        store(rung__neon_put_planar_f16, canvas, row, to);
        break;
    case RUNG_DTYPE_I8:
        store(rung__neon_put_planar_i8, canvas, row, to);
        break;
    default:
        store(rung__neon_put_planar_u8, canvas, row, to);
        break;
    }
}

static void store_mixed(const struct rung__canvas *canvas, const uint8_t *row, uint32_t element,
                        uint8_t *first)
{
    const struct rung__neon_to to = {{first}, 1, 3 * element};
    switch (canvas->dtype) {
    case RUNG_DTYPE_F32:
        store(rung__neon_put_mixed_f32, canvas, row, to);
        break;
    case RUNG_DTYPE_F16:
        store(rung__neon_put_mixed_f16, canvas, row, to);
        break;
    case RUNG_DTYPE_I8:
        store(rung__neon_put_mixed_i8, canvas, row, to);
        break;
    default:
        store(rung__neon_put_mixed_u8, canvas, row, to);
        break;
    }
}

void rung__store_bytes_neon(const struct rung__canvas *canvas, const uint8_t *row, uint32_t y,
                            void *tensor)
{
    const size_t width = canvas->width, before = width * y;
    const uint32_t element = rung__dtype_bytes(canvas->dtype);
    uint8_t *to = tensor;
    if (canvas->layout == RUNG_LAYOUT_BGRA)
        store(rung__neon_put_bgra, canvas, row, (struct rung__neon_to){{to + 4 * before}, 1, 4});
    else if (canvas->layout == RUNG_LAYOUT_PLANAR)
        store_planar(canvas, row, element, to + element * before, element * width * canvas->height);
    else
        store_mixed(canvas, row, element, to + 3 * element * before);
}
