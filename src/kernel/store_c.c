/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/store.h"

#include "kernel/exact.h"

/** One channel of one row on its way into the tensor. */
struct line {
    const uint32_t *values;
    uint32_t count;
    uint32_t step;     /**< elements from one pixel to the next */
    float scale, bias; /**< scale is already divided by 65536 */
};

/** Values are below 2^24, so the conversion is exact; then two roundings. */
static float scaled(const struct line *line, uint32_t i)
{
    const float product = (float)(int32_t)line->values[i] * line->scale;
    return product + line->bias;
}

/** A copy of the line, which no store can change: so the loop over a plane goes by vectors. */
static void store_f32(const struct line *shared, float *to)
{
    const struct line line = *shared;
    for (uint32_t i = 0; line.step == 1 && i < line.count; i++)
        to[i] = scaled(&line, i);
    for (uint32_t i = 0; line.step != 1 && i < line.count; i++, to += line.step)
        *to = scaled(&line, i);
}

static void store_f16(const struct line *line, uint16_t *to)
{
    for (uint32_t i = 0; i < line->count; i++, to += line->step)
        *to = rung__f32_to_f16(scaled(line, i));
}

static void store_i8(const struct line *line, int8_t *to)
{
    for (uint32_t i = 0; i < line->count; i++, to += line->step) {
        const int64_t whole = rung__round_even(scaled(line, i));
        *to = (int8_t)(whole < -128 ? -128 : whole > 127 ? 127 : whole);
    }
}

static void store_u8(const struct line *line, uint8_t *to)
{
    for (uint32_t i = 0; i < line->count; i++, to += line->step)
        *to = (uint8_t)((line->values[i] + 32768) >> 16);
}

static void store_line(const struct line *line, uint32_t dtype, size_t element, void *tensor)
{
    switch (dtype) {
    case RUNG_DTYPE_F32:
        store_f32(line, (float *)tensor + element);
        break;
    case RUNG_DTYPE_F16:
        store_f16(line, (uint16_t *)tensor + element);
        break;
    case RUNG_DTYPE_I8:
        store_i8(line, (int8_t *)tensor + element);
        break;
    default:
        store_u8(line, (uint8_t *)tensor + element);
        break;
    }
}

static void store_alpha(uint32_t count, uint8_t *to)
{
    for (uint32_t i = 0; i < count; i++)
        to[4 * (size_t)i + 3] = 255;
}

void rung__store_row(const struct rung__canvas *canvas, const uint32_t *values, uint32_t row,
                     void *tensor)
{
    const size_t width = canvas->width, height = canvas->height;
    const bool planar = canvas->layout == RUNG_LAYOUT_PLANAR;
    const bool bgra = canvas->layout == RUNG_LAYOUT_BGRA;
    const uint32_t step = planar ? 1 : bgra ? 4 : 3;
    for (size_t c = 0; c < 3; c++) {
        const struct line line = {values + c * width, canvas->width, step,
                                  canvas->scale[c] * 0x1p-16f, canvas->bias[c]};
        const size_t element = planar ? (c * height + row) * width : row * width * step + c;
        store_line(&line, canvas->dtype, element, tensor);
    }
    if (bgra)
        store_alpha(canvas->width, (uint8_t *)tensor + row * width * 4);
}
