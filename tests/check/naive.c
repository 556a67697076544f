/* SPDX-License-Identifier: Apache-2.0 */
#include "naive.h"

#include <string.h>

/* ---- fit ------------------------------------------------------------------------------------- */

static uint32_t at_least_one(uint64_t side, uint32_t limit)
{
    return side < 1 ? 1 : side > limit ? limit : (uint32_t)side;
}

/** The rounded quotient by looking at both neighbours. */
static uint64_t quotient(uint64_t n, uint64_t d, uint32_t rounding)
{
    const uint64_t below = n / d, above = below + 1;
    if (rounding == RUNG_ROUNDING_FLOOR)
        return below;
    const uint64_t to_below = n - below * d, to_above = above * d - n;
    if (to_below != to_above)
        return to_below < to_above ? below : above;
    return below % 2 == 0 ? below : above;
}

/** The largest part of the canvas's aspect, by trying every size that is not larger. */
static void naive_cover(const struct rung__canvas *canvas, struct rung__crop *crop)
{
    const uint64_t ow = canvas->width, oh = canvas->height;
    uint32_t width = crop->width, height = crop->height;
    /* Too wide as long as width/height > ow/oh, too high the other way round. */
    if (width * oh > height * ow)
        while (width > 1 && width * oh > crop->height * ow)
            width--;
    else
        while (height > 1 && height * ow > crop->width * oh)
            height--;
    crop->x += (crop->width - width) / 2;
    crop->y += (crop->height - height) / 2;
    crop->width = width;
    crop->height = height;
}

struct rung__placement naive_fit(const struct rung__canvas *canvas, const struct rung__crop *crop)
{
    const uint64_t ow = canvas->width, oh = canvas->height, cw = crop->width, ch = crop->height;
    struct rung__placement out = {*crop, canvas->width, canvas->height, 0, 0};
    if (canvas->fit == RUNG_FIT_COVER)
        naive_cover(canvas, &out.crop);
    if (canvas->fit == RUNG_FIT_COVER || canvas->fit == RUNG_FIT_STRETCH)
        return out;
    if (ow * ch <= oh * cw)
        out.height = at_least_one(quotient(ch * ow, cw, canvas->rounding), canvas->height);
    else
        out.width = at_least_one(quotient(cw * oh, ch, canvas->rounding), canvas->width);
    if (canvas->fit == RUNG_FIT_LETTERBOX) {
        out.x = (canvas->width - out.width) / 2;
        out.y = (canvas->height - out.height) / 2;
    }
    return out;
}

/* ---- samples --------------------------------------------------------------------------------- */

/** A picture as one stored channel of the crop. */
struct plane {
    const struct rung__surface *surface;
    struct rung__crop crop;
    uint32_t offset;
};

static int64_t sample(const struct plane *plane, int64_t x, int64_t y)
{
    const struct rung__surface *surface = plane->surface;
    const uint64_t at = (plane->crop.y + (uint64_t)y) * surface->stride +
                        (plane->crop.x + (uint64_t)x) * rung__pixel_bytes(surface->format);
    return surface->pixels[at + plane->offset];
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static int64_t floor_div(int64_t n, int64_t d)
{
    return n >= 0 ? n / d : -((-n + d - 1) / d);
}

/** Output i of n over m samples: the two samples and the weight of the second. */
static void bilinear(int64_t i, int64_t n, int64_t m, int64_t out[3])
{
    const int64_t num = (2 * i + 1) * m - n, den = 2 * n;
    const int64_t q = floor_div(num, den), r = num - q * den;
    out[0] = clamp(q, 0, m - 1);
    out[1] = clamp(q + 1, 0, m - 1);
    out[2] = (r * 256 + n) / den;
}

static int64_t bilinear_value(const struct plane *plane, const struct rung__placement *at,
                              int64_t i, int64_t j)
{
    int64_t x[3], y[3], h[2];
    bilinear(i, at->width, plane->crop.width, x);
    bilinear(j, at->height, plane->crop.height, y);
    for (int k = 0; k < 2; k++)
        h[k] = sample(plane, x[0], y[k]) * (256 - x[2]) + sample(plane, x[1], y[k]) * x[2];
    return h[0] * (256 - y[2]) + h[1] * y[2];
}

static int64_t triangle_weight(int64_t i, int64_t n, int64_t m, int64_t j)
{
    const int64_t centre = (2 * i + 1) * m, distance = 2 * n * j + n - centre;
    const int64_t weight = 2 * (m > n ? m : n) - (distance < 0 ? -distance : distance);
    return weight > 0 ? weight : 0;
}

static int64_t triangle_coefficient(int64_t i, int64_t n, int64_t m, int64_t j)
{
    int64_t total = 0;
    for (int64_t k = 0; k < m; k++)
        total += triangle_weight(i, n, m, k);
    return (2 * triangle_weight(i, n, m, j) * (1 << 22) + total) / (2 * total);
}

static int64_t triangle_row(const struct plane *plane, int64_t n, int64_t i, int64_t y)
{
    int64_t sum = 1 << 21;
    for (int64_t j = 0; j < plane->crop.width; j++)
        if (triangle_weight(i, n, plane->crop.width, j) > 0)
            sum += sample(plane, j, y) * triangle_coefficient(i, n, plane->crop.width, j);
    return clamp(sum >> 22, 0, 255);
}

static int64_t triangle_value(const struct plane *plane, const struct rung__placement *at,
                              int64_t i, int64_t j)
{
    const int64_t rows = plane->crop.height;
    int64_t sum = 1 << 21;
    for (int64_t y = 0; y < rows; y++)
        if (triangle_weight(j, at->height, rows, y) > 0)
            sum +=
                triangle_row(plane, at->width, i, y) * triangle_coefficient(j, at->height, rows, y);
    return clamp(sum >> 22, 0, 255) << 16;
}

static int64_t nearest_value(const struct plane *plane, const struct rung__placement *at, int64_t i,
                             int64_t j)
{
    const int64_t m = plane->crop.width, rows = plane->crop.height;
    const int64_t x = clamp((2 * i + 1) * m / (2 * (int64_t)at->width), 0, m - 1);
    const int64_t y = clamp((2 * j + 1) * rows / (2 * (int64_t)at->height), 0, rows - 1);
    return sample(plane, x, y) << 16;
}

/* ---- store ----------------------------------------------------------------------------------- */

static double f16_magnitude(uint32_t bits)
{
    const int exponent = (int)(bits >> 10);
    double value = exponent ? (bits & 0x3ff) + 1024.0 : bits;
    for (int e = exponent ? exponent : 1; e > 25; e--)
        value *= 2;
    for (int e = exponent ? exponent : 1; e < 25; e++)
        value /= 2;
    return value;
}

uint16_t naive_f16(float value)
{
    const double magnitude = value < 0 ? -(double)value : (double)value;
    uint32_t sign;
    memcpy(&sign, &value, sizeof sign);
    sign = sign >> 31 << 15;
    /* f16_magnitude(0x7c00) is 65,536, what infinity stands for in rounding. */
    uint32_t low = 0, high = 0x7c00;
    if (magnitude >= f16_magnitude(high))
        return (uint16_t)(sign | high);
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        *(f16_magnitude(middle) <= magnitude ? &low : &high) = middle;
    }
    const double to_low = magnitude - f16_magnitude(low), to_high = f16_magnitude(high) - magnitude;
    if (to_low != to_high)
        return (uint16_t)(sign | (to_low < to_high ? low : high));
    return (uint16_t)(sign | (low % 2 == 0 ? low : high));
}

int64_t naive_round(double value)
{
    const int64_t below = (int64_t)value - (value < (double)(int64_t)value);
    const double rest = value - (double)below;
    if (rest != 0.5)
        return rest < 0.5 ? below : below + 1;
    return below % 2 == 0 ? below : below + 1;
}

static void store(const struct rung__canvas *canvas, uint32_t c, int64_t value, uint64_t element,
                  uint8_t *tensor)
{
    /* volatile: each is rounded to f32 on its own, whatever the compiler would like. */
    volatile float scale = canvas->scale[c] / 65536.0f;
    volatile float product = (float)value * scale;
    volatile float sum = product + canvas->bias[c];
    const float f32 = sum;
    const uint16_t f16 = naive_f16(f32);
    switch (canvas->dtype) {
    case RUNG_DTYPE_F32:
        memcpy(tensor + element * 4, &f32, 4);
        break;
    case RUNG_DTYPE_F16:
        memcpy(tensor + element * 2, &f16, 2);
        break;
    case RUNG_DTYPE_I8:
        tensor[element] = (uint8_t)clamp(naive_round((double)f32), -128, 127);
        break;
    default:
        tensor[element] = (uint8_t)((value + 32768) >> 16);
    }
}

/** The byte of a pixel that holds red, green or blue (0, 1, 2). */
static uint32_t colour_offset(uint32_t format, uint32_t colour)
{
    switch (format) {
    case RUNG_PIXEL_GRAY8:
        return 0;
    case RUNG_PIXEL_BGR8:
    case RUNG_PIXEL_BGRA8:
    case RUNG_PIXEL_BGRX8:
        return 2 - colour;
    default:
        return colour;
    }
}

static int64_t value_at(const struct rung__canvas *canvas, const struct rung__placement *at,
                        const struct rung__surface *surface, uint32_t c, int64_t x, int64_t y)
{
    const bool bgr = canvas->layout == RUNG_LAYOUT_BGRA || canvas->order == RUNG_CHANNEL_ORDER_BGR;
    const struct plane plane = {surface, at->crop, colour_offset(surface->format, bgr ? 2 - c : c)};
    x -= at->x;
    y -= at->y;
    if (x < 0 || x >= at->width || y < 0 || y >= at->height)
        return (int64_t)canvas->fill[c] << 16;
    if (canvas->resampler == RUNG_RESAMPLER_BILINEAR)
        return bilinear_value(&plane, at, x, y);
    if (canvas->resampler == RUNG_RESAMPLER_TRIANGLE)
        return triangle_value(&plane, at, x, y);
    return nearest_value(&plane, at, x, y);
}

void naive_preprocess(const struct rung__canvas *canvas, const struct rung__crop *crop,
                      const struct rung__surface *surface, uint8_t *tensor)
{
    const struct rung__placement at = naive_fit(canvas, crop);
    const uint64_t width = canvas->width, height = canvas->height;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            for (uint32_t c = 0; c < 3; c++) {
                const uint64_t element =
                    canvas->layout == RUNG_LAYOUT_PLANAR        ? (c * height + y) * width + x
                    : canvas->layout == RUNG_LAYOUT_INTERLEAVED ? (y * width + x) * 3 + c
                                                                : (y * width + x) * 4 + c;
                store(canvas, c, value_at(canvas, &at, surface, c, x, y), element, tensor);
            }
            if (canvas->layout == RUNG_LAYOUT_BGRA)
                tensor[(y * width + x) * 4 + 3] = 255;
        }
}
