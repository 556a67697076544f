/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernel/exact.h"
#include "vectors_internal.h"

#define SOURCE_MAX  65535u
#define VALUES_MAX  65536u
#define SURFACE_MAX (UINT64_C(1) << 28)

/* Words in the order of their enumerations, which begin at 1. */
static const char *const fits[] = {"stretch", "letterbox", "letterbox-topleft", "cover", NULL};
static const char *const roundings[] = {"floor", "nearest", NULL};
static const char *const resamplers[] = {"bilinear", "triangle", "nearest", NULL};
static const char *const orders[] = {"RGB", "BGR", NULL};
static const char *const dtypes[] = {"f32", "f16", "i8", "u8", NULL};
static const char *const layouts[] = {"NCHW", "NHWC", "BGRA8", NULL};
static const char *const formats[] = {"RGB8",  "BGR8",  "RGBA8", "BGRA8",
                                      "RGBX8", "BGRX8", "GRAY8", NULL};

static uint8_t enumerated(struct rung__json_reader *reader, const char *key,
                          const char *const words[])
{
    return (uint8_t)(vectors_word(reader, key, words) + 1);
}

/* ---- parts that several groups have ---------------------------------------------------------- */

void vectors_read_place(struct rung__json_reader *reader, bool with_source,
                        struct vectors_place *place)
{
    uint32_t source[2] = {0}, crop[4] = {0}, canvas[2] = {0};
    if (with_source) {
        vectors_u32s(reader, "source", SOURCE_MAX, source, 2);
        place->source_width = source[0];
        place->source_height = source[1];
    }
    vectors_u32s(reader, "crop", SOURCE_MAX, crop, 4);
    vectors_u32s(reader, "canvas", RUNG__SIDE_MAX, canvas, 2);
    if (crop[2] == 0 || crop[0] + crop[2] > place->source_width || crop[3] == 0 ||
        crop[1] + crop[3] > place->source_height || canvas[0] == 0 || canvas[1] == 0)
        rung__json_refuse(reader, "the crop is not inside the source, or the canvas is empty");
    place->crop = (struct rung__crop){crop[0], crop[1], crop[2], crop[3]};
    place->canvas.width = canvas[0];
    place->canvas.height = canvas[1];
    place->canvas.channels = 3;
    place->canvas.fit = enumerated(reader, "fit", fits);
    place->canvas.rounding = enumerated(reader, "rounding", roundings);
}

void vectors_read_placement(struct rung__json_reader *reader, struct rung__placement *out)
{
    uint32_t content[2] = {0}, origin[2] = {0};
    vectors_u32s(reader, "content", RUNG__SIDE_MAX, content, 2);
    vectors_u32s(reader, "origin", RUNG__SIDE_MAX, origin, 2);
    out->width = content[0];
    out->height = content[1];
    out->x = origin[0];
    out->y = origin[1];
}

static void read_scale_and_bias(struct rung__json_reader *reader, struct rung__canvas *canvas)
{
    uint32_t scale[3] = {0}, bias[3] = {0};
    vectors_bits32(reader, "scale", scale, 3);
    vectors_bits32(reader, "bias", bias, 3);
    for (size_t c = 0; c < 3; c++) {
        canvas->scale[c] = rung__f32_from_bits(scale[c]);
        canvas->bias[c] = rung__f32_from_bits(bias[c]);
    }
}

/* ---- geometry, arithmetic, pictures ---------------------------------------------------------- */

rung_result vectors_read_fit(const struct vectors *vectors, size_t i, struct vectors_case *out)
{
    struct rung__json_reader reader, expect;
    struct vectors_fit *fit = &out->fit;
    uint32_t au[2] = {0}, bu[2] = {0}, low[2] = {0}, high[2] = {0};
    vectors_begin(vectors, i, out, &reader);
    vectors_read_place(&reader, true, &fit->place);
    vectors_enter(&reader, "expect", &expect);
    vectors_read_placement(&expect, &fit->placement);
    fit->mapping.k = vectors_u32(&expect, "k");
    vectors_bits32(&expect, "AU", au, 2);
    vectors_bits32(&expect, "BU", bu, 2);
    vectors_u32s(&expect, "edge_min", INT32_MAX, low, 2);
    vectors_u32s(&expect, "edge_max", INT32_MAX, high, 2);
    struct rung__axis *const axes[2] = {&fit->mapping.x, &fit->mapping.y};
    for (size_t a = 0; a < 2; a++)
        *axes[a] = (struct rung__axis){rung__f32_from_bits(au[a]), rung__f32_from_bits(bu[a]),
                                       (int32_t)low[a], (int32_t)high[a]};
    vectors_leave(&reader, &expect);
    return rung__json_reader_end(&reader);
}

rung_result vectors_read_axis(const struct vectors *vectors, size_t i, struct vectors_case *out)
{
    struct rung__json_reader reader;
    vectors_begin(vectors, i, out, &reader);
    out->axis.samples = (uint32_t)rung__json_u64(&reader, "in", 1, SOURCE_MAX, true, 1);
    out->axis.outputs = (uint32_t)rung__json_u64(&reader, "out", 1, RUNG__SIDE_MAX, true, 1);
    vectors_blob(out, &reader, "expect", &out->axis.table);
    return rung__json_reader_end(&reader);
}

rung_result vectors_read_admission(const struct vectors *vectors, size_t i,
                                   struct vectors_case *out)
{
    struct rung__json_reader reader, expect;
    struct rung__canvas *canvas = &out->admission.canvas;
    vectors_begin(vectors, i, out, &reader);
    *canvas = (struct rung__canvas){.width = 32,
                                    .height = 32,
                                    .channels = 3,
                                    .layout = RUNG_LAYOUT_PLANAR,
                                    .fit = RUNG_FIT_STRETCH,
                                    .rounding = RUNG_ROUNDING_NEAREST,
                                    .resampler = RUNG_RESAMPLER_BILINEAR,
                                    .order = RUNG_CHANNEL_ORDER_RGB};
    canvas->dtype = enumerated(&reader, "dtype", dtypes);
    read_scale_and_bias(&reader, canvas);
    vectors_enter(&reader, "expect", &expect);
    out->admission.admitted = rung__json_bool(&expect, "admitted", true, false);
    vectors_leave(&reader, &expect);
    return rung__json_reader_end(&reader);
}

static void read_surface(struct rung__json_reader *reader, struct vectors_preprocess *out)
{
    struct rung__json_reader inner;
    struct rung__surface *surface = &out->surface;
    vectors_enter(reader, "surface", &inner);
    surface->width = (uint32_t)rung__json_u64(&inner, "width", 1, SOURCE_MAX, true, 1);
    surface->height = (uint32_t)rung__json_u64(&inner, "height", 1, SOURCE_MAX, true, 1);
    surface->stride = rung__json_u64(&inner, "stride", 1, SURFACE_MAX, true, 1);
    surface->format = enumerated(&inner, "format", formats);
    out->seed = vectors_u32(&inner, "seed");
    out->surface_bytes = rung__json_u64(&inner, "bytes", 1, SURFACE_MAX, true, 1);
    vectors_digest(&inner, "sha256", out->surface_digest);
    const uint64_t row_bytes = (uint64_t)surface->width * rung__pixel_bytes(surface->format);
    if (surface->stride < row_bytes ||
        out->surface_bytes != surface->stride * (surface->height - 1) + row_bytes)
        rung__json_refuse(&inner, "sides, stride and bytes of the surface do not agree");
    out->place.source_width = surface->width;
    out->place.source_height = surface->height;
    vectors_leave(reader, &inner);
}

rung_result vectors_read_preprocess(const struct vectors *vectors, size_t i,
                                    struct vectors_case *out)
{
    struct rung__json_reader reader;
    struct vectors_preprocess *preprocess = &out->preprocess;
    struct rung__canvas *canvas = &preprocess->place.canvas;
    uint32_t fill[3] = {0};
    vectors_begin(vectors, i, out, &reader);
    read_surface(&reader, preprocess);
    vectors_read_place(&reader, false, &preprocess->place);
    canvas->resampler = enumerated(&reader, "resampler", resamplers);
    canvas->order = enumerated(&reader, "order", orders);
    canvas->dtype = enumerated(&reader, "dtype", dtypes);
    canvas->layout = enumerated(&reader, "layout", layouts);
    read_scale_and_bias(&reader, canvas);
    vectors_u32s(&reader, "fill", UINT8_MAX, fill, 3);
    for (size_t c = 0; c < 3; c++)
        canvas->fill[c] = (uint8_t)fill[c];
    rung__json_member(&reader, "values_an_fma_would_change");
    vectors_blob(out, &reader, "expect", &preprocess->tensor);
    return rung__json_reader_end(&reader);
}

rung_result vectors_read_math(const struct vectors *vectors, size_t i, struct vectors_case *out)
{
    struct rung__json_reader reader, expect;
    vectors_begin(vectors, i, out, &reader);
    const size_t count = json_array_size(vectors_array(&reader, "x", 1, VALUES_MAX));
    uint32_t *x = vectors_own(out, &reader, count, sizeof *x);
    uint32_t *exp = vectors_own(out, &reader, count, sizeof *exp);
    uint16_t *sigmoid = vectors_own(out, &reader, count, sizeof *sigmoid);
    vectors_bits32(&reader, "x", x, count);
    vectors_enter(&reader, "expect", &expect);
    vectors_bits32(&expect, "exp", exp, count);
    const json_t *confidences = vectors_array(&expect, "sigmoid_q16", count, count);
    for (size_t j = 0; sigmoid && j < count; j++)
        sigmoid[j] = (uint16_t)vectors_item(&expect, "sigmoid_q16", confidences, j, 0, UINT16_MAX);
    out->math = (struct vectors_math){count, x, exp, sigmoid};
    vectors_leave(&reader, &expect);
    return rung__json_reader_end(&reader);
}
