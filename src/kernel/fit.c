/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/fit.h"

#include "kernel/exact.h"

/** The largest side whose record units, 8 a pixel, fit 16 bits. */
#define SIDE_OF_K0 8191u

static uint32_t clamp_side(uint64_t side, uint32_t limit)
{
    if (side < 1)
        return 1;
    return side > limit ? limit : (uint32_t)side;
}

/** True when the canvas's width, not its height, limits a picture of this size. */
static bool is_width_limited(const struct rung__canvas *canvas, uint32_t width, uint32_t height)
{
    return (uint64_t)canvas->width * height <= (uint64_t)canvas->height * width;
}

/** The largest centred part of the crop with the canvas's aspect. */
static struct rung__crop cover(const struct rung__canvas *canvas, const struct rung__crop *crop)
{
    struct rung__crop part = *crop;
    if (is_width_limited(canvas, crop->width, crop->height))
        part.width =
            clamp_side((uint64_t)crop->height * canvas->width / canvas->height, crop->width);
    else
        part.height =
            clamp_side((uint64_t)crop->width * canvas->height / canvas->width, crop->height);
    part.x += (crop->width - part.width) / 2;
    part.y += (crop->height - part.height) / 2;
    return part;
}

static uint32_t scaled_side(const struct rung__canvas *canvas, uint64_t n, uint64_t d,
                            uint32_t limit)
{
    const bool nearest = canvas->rounding == RUNG_ROUNDING_NEAREST;
    return clamp_side(nearest ? rung__divide_even(n, d) : n / d, limit);
}

static void letterbox(const struct rung__canvas *canvas, struct rung__placement *out)
{
    const uint64_t width = out->crop.width, height = out->crop.height;
    if (is_width_limited(canvas, out->crop.width, out->crop.height))
        out->height = scaled_side(canvas, height * canvas->width, width, canvas->height);
    else
        out->width = scaled_side(canvas, width * canvas->height, height, canvas->width);
    if (canvas->fit == RUNG_FIT_LETTERBOX) {
        out->x = (canvas->width - out->width) / 2;
        out->y = (canvas->height - out->height) / 2;
    }
}

void rung__fit(const struct rung__canvas *canvas, const struct rung__crop *crop,
               struct rung__placement *out)
{
    *out = (struct rung__placement){.crop = *crop, canvas->width, canvas->height, 0, 0};
    if (canvas->fit == RUNG_FIT_COVER)
        out->crop = cover(canvas, crop);
    else if (canvas->fit != RUNG_FIT_STRETCH)
        letterbox(canvas, out);
}

/** A = size/content, B = (start·content − origin·size)/content, U = 8/2^k. */
static struct rung__axis axis(uint32_t k, uint32_t start, uint32_t size, uint32_t content,
                              uint32_t origin)
{
    const int64_t divisor = (int64_t)content << k;
    const int64_t offset = (int64_t)start * content - (int64_t)origin * size;
    const uint32_t low = start * 8, high = (start + size) * 8;
    return (struct rung__axis){
        .au = rung__rational_to_f32((int64_t)size * 8, divisor),
        .bu = rung__rational_to_f32(offset * 8, divisor),
        .low = (int32_t)((low + (1u << k) - 1) >> k),
        .high = (int32_t)(high >> k),
    };
}

void rung__mapping(const struct rung__placement *placement, uint32_t source_width,
                   uint32_t source_height, struct rung__mapping *out)
{
    const uint32_t side = source_width > source_height ? source_width : source_height;
    const struct rung__crop *crop = &placement->crop;
    uint32_t k = 0;
    while (side > SIDE_OF_K0 << k)
        k++;
    out->k = k;
    out->x = axis(k, crop->x, crop->width, placement->width, placement->x);
    out->y = axis(k, crop->y, crop->height, placement->height, placement->y);
}

bool rung__axis_edge(const struct rung__axis *axis, float canvas, int32_t *out)
{
    const float product = canvas * axis->au;
    const float t = product + axis->bu;
    if ((rung__f32_bits(t) & 0x7f800000u) == 0x7f800000u)
        return false;
    /* The limits are whole, so clamping first gives the same and keeps the rounding in range. */
    if (t <= (float)axis->low)
        *out = axis->low;
    else if (t >= (float)axis->high)
        *out = axis->high;
    else
        *out = rung__round_even_near(t);
    return true;
}
