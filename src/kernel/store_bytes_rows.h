/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which store a row of bytes goes through: the end of each file that gives put_f32(), put_f16(),
 * put_i8() and put_u8(), store_planar(), store_interleaved() and store_bgra(), and STORE_BYTES, the
 * name of the function.
 */
#include <string.h>

INLINE void store(put_elements *put, const struct rung__canvas *canvas, const uint8_t *row,
                  size_t size, uint32_t y, void *tensor)
{
    const size_t first = (size_t)y * canvas->width * size;
    if (canvas->layout == RUNG_LAYOUT_PLANAR)
        store_planar(put, canvas, row, size, (uint8_t *)tensor + first);
    else
        store_interleaved(put, canvas, row, size, (uint8_t *)tensor + 3 * first);
}

void STORE_BYTES(const struct rung__canvas *canvas, const uint8_t *row, uint32_t y, void *tensor)
{
    const size_t width = canvas->width;
    if (canvas->layout == RUNG_LAYOUT_BGRA)
        store_bgra(canvas, row, (uint8_t *)tensor + 4 * width * y);
    else if (canvas->dtype == RUNG_DTYPE_F32)
        store(put_f32, canvas, row, sizeof(float), y, tensor);
    else if (canvas->dtype == RUNG_DTYPE_F16)
        store(put_f16, canvas, row, sizeof(uint16_t), y, tensor);
    else if (canvas->dtype == RUNG_DTYPE_I8)
        store(put_i8, canvas, row, sizeof(int8_t), y, tensor);
    else if (canvas->layout == RUNG_LAYOUT_PLANAR)
        store(put_u8, canvas, row, sizeof(uint8_t), y, tensor);
    else
        memcpy((uint8_t *)tensor + 3 * width * y, row, 3 * width);
}
