/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/preprocess.h"

#include <assert.h>

#include "artifact/tensors.h"
#include "kernel/resample.h"
#include "kernel/store.h"

/*
 * The scalar oracle of preprocess.md. A frame goes by canvas rows: each is made in `values`, whose
 * margins hold the fill, and stored at once. Source rows are filtered horizontally into lines, of
 * which only those are kept that a vertical window can span.
 */

/** Offsets of the parts of the workspace in bytes, and their sizes. */
struct layout {
    uint64_t x_axis, y_axis, x_weights, y_weights;
    uint64_t lines, line_bytes;
    uint64_t values;
    uint64_t total;
    uint32_t line_count;
};

/** One frame in the making. */
struct frame {
    const struct rung__canvas *canvas;
    const struct rung__placement *placement;
    const struct rung__surface *surface;
    void *tensor;
    struct layout layout;
    uint8_t *workspace;
    size_t pixel_bytes;
    uint32_t offsets[3]; /**< of the stored channels inside a pixel */
    uint32_t *values;    /**< the canvas row: three channels of canvas-width values */
};

static uint64_t take(struct layout *layout, uint64_t bytes)
{
    const uint64_t offset = layout->total;
    layout->total += (bytes + 7) / 8 * 8;
    return offset;
}

static void lay_out_bilinear(const struct rung__placement *placement, struct layout *layout)
{
    layout->x_axis = take(layout, placement->width * sizeof(struct rung__pair));
    layout->y_axis = take(layout, placement->height * sizeof(struct rung__pair));
    layout->line_count = 2;
    layout->line_bytes = (uint64_t)placement->width * 3 * sizeof(uint16_t);
}

static void lay_out_triangle(const struct rung__placement *placement, struct layout *layout)
{
    const struct rung__crop *crop = &placement->crop;
    const uint64_t x_taps = rung__axis_triangle_taps(placement->width, crop->width);
    const uint64_t y_taps = rung__axis_triangle_taps(placement->height, crop->height);
    layout->x_axis = take(layout, placement->width * sizeof(struct rung__window));
    layout->y_axis = take(layout, placement->height * sizeof(struct rung__window));
    layout->x_weights = take(layout, placement->width * x_taps * sizeof(uint32_t));
    layout->y_weights = take(layout, placement->height * y_taps * sizeof(uint32_t));
    layout->line_count = (uint32_t)y_taps;
    layout->line_bytes = (uint64_t)placement->width * 3;
}

static void lay_out_nearest(const struct rung__placement *placement, struct layout *layout)
{
    layout->x_axis = take(layout, placement->width * sizeof(uint32_t));
    layout->y_axis = take(layout, placement->height * sizeof(uint32_t));
}

static struct layout lay_out(const struct rung__canvas *canvas,
                             const struct rung__placement *placement)
{
    struct layout layout = {0};
    if (canvas->resampler == RUNG_RESAMPLER_BILINEAR)
        lay_out_bilinear(placement, &layout);
    else if (canvas->resampler == RUNG_RESAMPLER_TRIANGLE)
        lay_out_triangle(placement, &layout);
    else
        lay_out_nearest(placement, &layout);
    layout.lines = take(&layout, layout.line_count * layout.line_bytes);
    layout.values = take(&layout, (uint64_t)canvas->width * 3 * sizeof(uint32_t));
    return layout;
}

uint64_t rung__preprocess_workspace(const struct rung__canvas *canvas,
                                    const struct rung__placement *placement)
{
    return lay_out(canvas, placement).total;
}

uint64_t rung__tensor_bytes(const struct rung__canvas *canvas)
{
    const uint32_t elements = canvas->layout == RUNG_LAYOUT_BGRA ? 4 : 3;
    return (uint64_t)canvas->width * canvas->height * elements * rung__dtype_bytes(canvas->dtype);
}

static void *part(const struct frame *frame, uint64_t offset)
{
    return frame->workspace + (size_t)offset;
}

/** The crop's row `y` in one stored channel. */
static const uint8_t *source_row(const struct frame *frame, uint32_t y, uint32_t channel)
{
    const struct rung__crop *crop = &frame->placement->crop;
    return frame->surface->pixels + ((size_t)crop->y + y) * (size_t)frame->surface->stride +
           crop->x * frame->pixel_bytes + frame->offsets[channel];
}

/** Where the content of a channel begins in the canvas row. */
static uint32_t *content(const struct frame *frame, uint32_t channel)
{
    return frame->values + (size_t)channel * frame->canvas->width + frame->placement->x;
}

static void store_content_row(const struct frame *frame, uint32_t y)
{
    rung__store_row(frame->canvas, frame->values, frame->placement->y + y, frame->tensor);
}

/* ---- bilinear -------------------------------------------------------------------------------- */

/** All three channels at once, so that each pair is read once. */
static void bilinear_line(const struct frame *frame, uint32_t y, uint16_t *line)
{
    const struct rung__pair *pairs = part(frame, frame->layout.x_axis);
    const uint32_t width = frame->placement->width;
    const size_t step = frame->pixel_bytes;
    const uint8_t *rows[3] = {source_row(frame, y, 0), source_row(frame, y, 1),
                              source_row(frame, y, 2)};
    uint16_t *lines[3] = {line, line + width, line + (size_t)2 * width};
    for (uint32_t x = 0; x < width; x++) {
        const size_t first = pairs[x].first * step, second = pairs[x].second * step;
        const uint32_t far = pairs[x].weight, near = 256 - far;
        for (uint32_t c = 0; c < 3; c++)
            lines[c][x] = (uint16_t)(rows[c][first] * near + rows[c][second] * far);
    }
}

static void bilinear_blend(const struct frame *frame, const uint16_t *first, const uint16_t *second,
                           uint32_t weight)
{
    const uint32_t width = frame->placement->width;
    /* Factors of 16 bits: compilers then multiply eight at a time. */
    const uint16_t far = (uint16_t)weight, near = (uint16_t)(256 - weight);
    for (uint32_t c = 0; c < 3; c++, first += width, second += width) {
        uint32_t *to = content(frame, c);
        for (uint32_t x = 0; x < width; x++)
            to[x] = (uint32_t)first[x] * near + (uint32_t)second[x] * far;
    }
}

static void run_bilinear(const struct frame *frame)
{
    const struct rung__placement *placement = frame->placement;
    struct rung__pair *rows = part(frame, frame->layout.y_axis);
    uint16_t *lines[2] = {part(frame, frame->layout.lines),
                          part(frame, frame->layout.lines + frame->layout.line_bytes)};
    uint32_t held[2] = {UINT32_MAX, UINT32_MAX};
    rung__axis_bilinear(placement->width, placement->crop.width, part(frame, frame->layout.x_axis));
    rung__axis_bilinear(placement->height, placement->crop.height, rows);
    for (uint32_t y = 0; y < placement->height; y++) {
        /* The two rows of a pair are neighbours: one is odd, one even. */
        const uint32_t wanted[2] = {rows[y].first, rows[y].second};
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t slot = wanted[i] & 1;
            if (held[slot] != wanted[i])
                bilinear_line(frame, wanted[i], lines[slot]);
            held[slot] = wanted[i];
        }
        bilinear_blend(frame, lines[wanted[0] & 1], lines[wanted[1] & 1], rows[y].weight);
        store_content_row(frame, y);
    }
}

/* ---- triangle -------------------------------------------------------------------------------- */

#define WEIGHT_BITS 22
#define WEIGHT_HALF (1u << (WEIGHT_BITS - 1))

/** Weights of a window add up to a little more than 1 at most; sums stay below 2^31. */
static uint32_t triangle_value(uint32_t sum)
{
    const uint32_t value = sum >> WEIGHT_BITS;
    return value < 255 ? value : 255;
}

static void triangle_line(const struct frame *frame, uint32_t y, uint8_t *line)
{
    const struct rung__window *windows = part(frame, frame->layout.x_axis);
    const uint32_t width = frame->placement->width;
    const size_t step = frame->pixel_bytes;
    const uint32_t taps = rung__axis_triangle_taps(width, frame->placement->crop.width);
    for (uint32_t c = 0; c < 3; c++, line += width) {
        const uint8_t *row = source_row(frame, y, c);
        const uint32_t *weights = part(frame, frame->layout.x_weights);
        for (uint32_t x = 0; x < width; x++, weights += taps) {
            const uint8_t *sample = row + windows[x].first * step;
            uint32_t sum = WEIGHT_HALF;
            for (uint32_t j = 0; j < windows[x].count; j++, sample += step)
                sum += *sample * weights[j];
            line[x] = (uint8_t)triangle_value(sum);
        }
    }
}

static uint8_t *triangle_slot(const struct frame *frame, uint32_t y)
{
    assert(frame->layout.line_count > 0); /* a crop is not empty */
    const uint64_t slot = y % frame->layout.line_count;
    return part(frame, frame->layout.lines + slot * frame->layout.line_bytes);
}

/** One canvas row from the lines of its window. */
static void triangle_blend(const struct frame *frame, const struct rung__window *window,
                           const uint32_t *weights)
{
    const uint32_t width = frame->placement->width;
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t *to = content(frame, c);
        for (uint32_t x = 0; x < width; x++)
            to[x] = WEIGHT_HALF;
        for (uint32_t j = 0; j < window->count; j++) {
            const uint8_t *line = triangle_slot(frame, window->first + j) + (size_t)c * width;
            for (uint32_t x = 0; x < width; x++)
                to[x] += line[x] * weights[j];
        }
        for (uint32_t x = 0; x < width; x++)
            to[x] = triangle_value(to[x]) << 16;
    }
}

static void run_triangle(const struct frame *frame)
{
    const struct rung__placement *placement = frame->placement;
    struct rung__window *windows = part(frame, frame->layout.y_axis);
    uint32_t *weights = part(frame, frame->layout.y_weights);
    uint32_t ready = 0; /* source rows below this one were filtered */
    rung__axis_triangle(placement->width, placement->crop.width, part(frame, frame->layout.x_axis),
                        part(frame, frame->layout.x_weights));
    rung__axis_triangle(placement->height, placement->crop.height, windows, weights);
    for (uint32_t y = 0; y < placement->height; y++) {
        const uint32_t end = windows[y].first + windows[y].count;
        if (ready < windows[y].first)
            ready = windows[y].first;
        for (; ready < end; ready++)
            triangle_line(frame, ready, triangle_slot(frame, ready));
        triangle_blend(frame, &windows[y], weights + (size_t)y * frame->layout.line_count);
        store_content_row(frame, y);
    }
}

/* ---- nearest --------------------------------------------------------------------------------- */

static void run_nearest(const struct frame *frame)
{
    const struct rung__placement *placement = frame->placement;
    uint32_t *columns = part(frame, frame->layout.x_axis);
    uint32_t *rows = part(frame, frame->layout.y_axis);
    rung__axis_nearest(placement->width, placement->crop.width, columns);
    rung__axis_nearest(placement->height, placement->crop.height, rows);
    for (uint32_t y = 0; y < placement->height; y++) {
        for (uint32_t c = 0; c < 3; c++) {
            const uint8_t *row = source_row(frame, rows[y], c);
            uint32_t *to = content(frame, c);
            for (uint32_t x = 0; x < placement->width; x++)
                to[x] = (uint32_t)row[columns[x] * frame->pixel_bytes] << 16;
        }
        store_content_row(frame, y);
    }
}

/* ---- the frame ------------------------------------------------------------------------------- */

static void find_channels(struct frame *frame)
{
    static const uint32_t rgb[3] = {0, 1, 2}, bgr[3] = {2, 1, 0};
    const uint32_t format = frame->surface->format;
    const bool source_is_bgr =
        format == RUNG_PIXEL_BGR8 || format == RUNG_PIXEL_BGRA8 || format == RUNG_PIXEL_BGRX8;
    const bool stored_is_bgr =
        frame->canvas->order == RUNG_CHANNEL_ORDER_BGR || frame->canvas->layout == RUNG_LAYOUT_BGRA;
    const uint32_t *order = source_is_bgr == stored_is_bgr ? rgb : bgr;
    for (uint32_t c = 0; c < 3; c++)
        frame->offsets[c] = format == RUNG_PIXEL_GRAY8 ? 0 : order[c];
}

static void fill_values(const struct frame *frame)
{
    const size_t width = frame->canvas->width;
    for (size_t c = 0; c < 3; c++)
        for (size_t x = 0; x < width; x++)
            frame->values[c * width + x] = (uint32_t)frame->canvas->fill[c] << 16;
}

static void store_fill_rows(const struct frame *frame, uint32_t first, uint32_t end)
{
    for (uint32_t row = first; row < end; row++)
        rung__store_row(frame->canvas, frame->values, row, frame->tensor);
}

void rung__preprocess_c(const struct rung__canvas *canvas, const struct rung__placement *placement,
                        const struct rung__surface *surface, void *workspace, void *tensor)
{
    struct frame frame = {.canvas = canvas,
                          .placement = placement,
                          .surface = surface,
                          .tensor = tensor,
                          .layout = lay_out(canvas, placement),
                          .workspace = workspace,
                          .pixel_bytes = rung__pixel_bytes(surface->format)};
    frame.values = part(&frame, frame.layout.values);
    find_channels(&frame);

    fill_values(&frame);
    store_fill_rows(&frame, 0, placement->y);
    if (canvas->resampler == RUNG_RESAMPLER_BILINEAR)
        run_bilinear(&frame);
    else if (canvas->resampler == RUNG_RESAMPLER_TRIANGLE)
        run_triangle(&frame);
    else
        run_nearest(&frame);
    if (placement->y + placement->height < canvas->height) {
        fill_values(&frame);
        store_fill_rows(&frame, placement->y + placement->height, canvas->height);
    }
}
