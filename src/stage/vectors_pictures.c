/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/vectors_reader.h"

#include "artifact/header.h"
#include "base/error.h"
#include "kernel/exact.h"

#define SOURCE_MAX UINT16_MAX
#define VALUES_MAX 65536u

/** As a vector file writes them. */
static const struct rung__names layout_names = {
    "layout",
    (const struct rung__name[]){{RUNG_LAYOUT_PLANAR, "NCHW"},
                                {RUNG_LAYOUT_INTERLEAVED, "NHWC"},
                                {RUNG_LAYOUT_BGRA, "BGRA8"}},
    3};

static const struct rung__names format_names = {
    "format",
    (const struct rung__name[]){{RUNG_PIXEL_RGB8, "RGB8"},
                                {RUNG_PIXEL_BGR8, "BGR8"},
                                {RUNG_PIXEL_RGBA8, "RGBA8"},
                                {RUNG_PIXEL_BGRA8, "BGRA8"},
                                {RUNG_PIXEL_RGBX8, "RGBX8"},
                                {RUNG_PIXEL_BGRX8, "BGRX8"},
                                {RUNG_PIXEL_GRAY8, "GRAY8"}},
    7};

static void read_scale_and_bias(struct rung__json_reader *reader, struct rung__canvas *canvas)
{
    uint32_t scale[3] = {0}, bias[3] = {0};
    rung__vectors_bits32s(reader, "scale", scale, 3);
    rung__vectors_bits32s(reader, "bias", bias, 3);
    for (size_t c = 0; c < 3; c++) {
        canvas->scale[c] = rung__f32_from_bits(scale[c]);
        canvas->bias[c] = rung__f32_from_bits(bias[c]);
    }
}

/* ---- geometry and arithmetic ----------------------------------------------------------------- */

void rung__vectors_read_fit(struct rung__vectors_case *vector, struct rung__json_reader *reader)
{
    struct rung__json_reader expect;
    struct rung__vectors_fit *fit = &vector->fit;
    uint32_t au[2] = {0}, bu[2] = {0}, low[2] = {0}, high[2] = {0};
    rung__vectors_read_place(reader, &fit->place);
    rung__vectors_enter(reader, "expect", &expect);
    rung__vectors_read_placement(&expect, &fit->placement);
    fit->mapping.k = rung__vectors_u32(&expect, "k");
    rung__vectors_bits32s(&expect, "AU", au, 2);
    rung__vectors_bits32s(&expect, "BU", bu, 2);
    rung__vectors_u32s(&expect, "edge_min", INT32_MAX, low, 2);
    rung__vectors_u32s(&expect, "edge_max", INT32_MAX, high, 2);
    struct rung__axis *const axes[2] = {&fit->mapping.x, &fit->mapping.y};
    for (size_t a = 0; a < 2; a++)
        *axes[a] = (struct rung__axis){rung__f32_from_bits(au[a]), rung__f32_from_bits(bu[a]),
                                       (int32_t)low[a], (int32_t)high[a]};
    rung__vectors_leave(reader, &expect);
}

void rung__vectors_read_axis(struct rung__vectors_case *vector, struct rung__json_reader *reader)
{
    struct rung__vectors_axis *axis = &vector->axis;
    axis->samples = (uint32_t)rung__json_u64(reader, "in", 1, SOURCE_MAX, true, 1);
    axis->outputs = (uint32_t)rung__json_u64(reader, "out", 1, RUNG__SIDE_MAX, true, 1);
    rung__vectors_read_blob(vector, reader, "expect", &axis->table);
}

void rung__vectors_read_math(struct rung__vectors_case *vector, struct rung__json_reader *reader)
{
    struct rung__json_reader expect;
    const size_t count = json_array_size(rung__vectors_array(reader, "x", 1, VALUES_MAX));
    uint32_t *x = rung__vectors_own(vector, reader, count, sizeof *x);
    uint32_t *exp = rung__vectors_own(vector, reader, count, sizeof *exp);
    uint16_t *sigmoid = rung__vectors_own(vector, reader, count, sizeof *sigmoid);
    rung__vectors_bits32s(reader, "x", x, count);
    rung__vectors_enter(reader, "expect", &expect);
    rung__vectors_bits32s(&expect, "exp", exp, count);
    const json_t *confidences = rung__vectors_array(&expect, "sigmoid_q16", count, count);
    for (size_t i = 0; confidences && i < count; i++)
        sigmoid[i] =
            (uint16_t)rung__vectors_item(&expect, "sigmoid_q16", confidences, i, 0, UINT16_MAX);
    vector->math = (struct rung__vectors_math){count, x, exp, sigmoid};
    rung__vectors_leave(reader, &expect);
}

/* ---- pictures -------------------------------------------------------------------------------- */

void rung__vectors_read_admission(struct rung__vectors_case *vector,
                                  struct rung__json_reader *reader)
{
    struct rung__json_reader expect;
    struct rung__canvas *canvas = &vector->admission.canvas;
    *canvas = (struct rung__canvas){.width = 32,
                                    .height = 32,
                                    .channels = 3,
                                    .layout = RUNG_LAYOUT_PLANAR,
                                    .fit = RUNG_FIT_STRETCH,
                                    .rounding = RUNG_ROUNDING_NEAREST,
                                    .resampler = RUNG_RESAMPLER_BILINEAR,
                                    .order = RUNG_CHANNEL_ORDER_RGB};
    canvas->dtype = (uint8_t)rung__vectors_word(reader, "dtype", &rung__dtype_names);
    read_scale_and_bias(reader, canvas);
    rung__vectors_enter(reader, "expect", &expect);
    vector->admission.admitted = rung__json_bool(&expect, "admitted", true, false);
    rung__vectors_leave(reader, &expect);
}

static void read_surface(struct rung__json_reader *reader, struct rung__vectors_preprocess *out)
{
    struct rung__json_reader inner;
    struct rung__surface *surface = &out->surface;
    const uint64_t most = RUNG__VECTORS_BYTES_MAX;
    rung__vectors_enter(reader, "surface", &inner);
    surface->width = (uint32_t)rung__json_u64(&inner, "width", 1, SOURCE_MAX, true, 1);
    surface->height = (uint32_t)rung__json_u64(&inner, "height", 1, SOURCE_MAX, true, 1);
    surface->stride = rung__json_u64(&inner, "stride", 1, most, true, 1);
    surface->format = rung__vectors_word(&inner, "format", &format_names);
    out->seed = rung__vectors_u32(&inner, "seed");
    out->surface_bytes = rung__json_u64(&inner, "bytes", 1, most, true, 1);
    rung__vectors_digest(&inner, "sha256", out->surface_digest);
    const uint64_t row_bytes = (uint64_t)surface->width * rung__pixel_bytes(surface->format);
    if (surface->stride < row_bytes ||
        out->surface_bytes != surface->stride * (surface->height - 1) + row_bytes)
        rung__json_refuse(&inner, "sides, stride and bytes of the surface do not agree");
    out->place.source_width = surface->width;
    out->place.source_height = surface->height;
    rung__vectors_leave(reader, &inner);
}

/** A canvas as a model file may have it, and of a size that can be made. */
static void check_canvas(struct rung__json_reader *reader, struct rung__canvas *canvas)
{
    if (reader->result != RUNG_OK)
        return;
    if (rung__canvas_admit(canvas) != RUNG_OK)
        rung__json_refuse(reader, "%s", rung_last_error());
    else if (rung__tensor_bytes(canvas) > RUNG__VECTORS_BYTES_MAX)
        rung__json_refuse(reader, "the tensor has more than %llu bytes",
                          (unsigned long long)RUNG__VECTORS_BYTES_MAX);
}

void rung__vectors_read_preprocess(struct rung__vectors_case *vector,
                                   struct rung__json_reader *reader)
{
    struct rung__vectors_preprocess *preprocess = &vector->preprocess;
    struct rung__canvas *canvas = &preprocess->place.canvas;
    uint32_t fill[3] = {0};
    read_surface(reader, preprocess);
    rung__vectors_read_place(reader, &preprocess->place);
    canvas->resampler = (uint8_t)rung__vectors_word(reader, "resampler", &rung__resampler_names);
    canvas->order = (uint8_t)rung__vectors_word(reader, "order", &rung__order_names);
    canvas->dtype = (uint8_t)rung__vectors_word(reader, "dtype", &rung__dtype_names);
    canvas->layout = (uint8_t)rung__vectors_word(reader, "layout", &layout_names);
    read_scale_and_bias(reader, canvas);
    rung__vectors_u32s(reader, "fill", UINT8_MAX, fill, 3);
    for (size_t c = 0; c < 3; c++)
        canvas->fill[c] = (uint8_t)fill[c];
    rung__json_u64(reader, "values_an_fma_would_change", 0, UINT32_MAX, false, 0);
    rung__vectors_read_blob(vector, reader, "expect", &preprocess->tensor);
    check_canvas(reader, canvas);
}
