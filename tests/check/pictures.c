/* SPDX-License-Identifier: Apache-2.0 */
#include "pictures.h"

struct picture picture_make(struct sweep *sweep, uint32_t width, uint32_t height, uint32_t format,
                            uint32_t padding)
{
    const size_t row = (size_t)width * rung__pixel_bytes(format), stride = row + padding;
    struct picture picture = {.pixels = guard_bytes(stride * (height - 1) + row, 0)};
    /* One in eight is black and one is white: sums at their extremes. */
    const uint32_t kind = sweep_range(sweep, 0, 7);
    for (size_t i = 0; i < picture.pixels.size; i++)
        picture.pixels.bytes[i] = kind > 1 ? (uint8_t)sweep_bits(sweep) : kind ? 255 : 0;
    picture.surface = (struct rung__surface){picture.pixels.bytes, stride, width, height, format};
    return picture;
}

/** Scales and biases of everyday models, and such as leave f16 or i8. */
static void choose_scale(struct sweep *sweep, struct rung__canvas *canvas)
{
    static const float scales[] = {1.0f, 1.0f / 255.0f, 0.0171247534f, -0.5f, 300.0f, 0x1p-60f, 0};
    static const float biases[] = {0.0f, -2.117903948f, -128.0f, 0.5f, 60000.0f};
    for (int c = 0; c < 3; c++) {
        const bool plain = canvas->dtype == RUNG_DTYPE_U8;
        canvas->scale[c] = plain ? 1.0f : scales[sweep_range(sweep, 0, 6)];
        canvas->bias[c] = plain ? 0.0f : biases[sweep_range(sweep, 0, 4)];
        canvas->fill[c] = (uint8_t)sweep_bits(sweep);
    }
}

struct rung__canvas picture_canvas(struct sweep *sweep, uint32_t side)
{
    struct rung__canvas canvas = {
        .width = sweep_range(sweep, 1, side),
        .height = sweep_range(sweep, 1, side),
        .channels = 3,
        .dtype = (uint8_t)sweep_range(sweep, RUNG_DTYPE_F32, RUNG_DTYPE_U8),
        .layout = (uint8_t)sweep_range(sweep, RUNG_LAYOUT_PLANAR, RUNG_LAYOUT_BGRA),
        .fit = (uint8_t)sweep_range(sweep, RUNG_FIT_STRETCH, RUNG_FIT_COVER),
        .rounding = (uint8_t)sweep_range(sweep, RUNG_ROUNDING_FLOOR, RUNG_ROUNDING_NEAREST),
        .resampler = (uint8_t)sweep_range(sweep, RUNG_RESAMPLER_BILINEAR, RUNG_RESAMPLER_NEAREST),
        .order = (uint8_t)sweep_range(sweep, RUNG_CHANNEL_ORDER_RGB, RUNG_CHANNEL_ORDER_BGR),
    };
    if (canvas.layout == RUNG_LAYOUT_BGRA) {
        canvas.dtype = RUNG_DTYPE_U8;
        canvas.order = RUNG_CHANNEL_ORDER_BGR;
    }
    choose_scale(sweep, &canvas);
    return canvas;
}

struct rung__crop picture_crop(struct sweep *sweep, uint32_t width, uint32_t height)
{
    struct rung__crop crop = {0, 0, width, height};
    if (sweep_bits(sweep) & 1) {
        crop.x = sweep_range(sweep, 0, width - 1);
        crop.y = sweep_range(sweep, 0, height - 1);
        crop.width = sweep_range(sweep, 1, width - crop.x);
        crop.height = sweep_range(sweep, 1, height - crop.y);
    }
    return crop;
}

void picture_free(struct picture *picture)
{
    guard_free(&picture->pixels);
}
