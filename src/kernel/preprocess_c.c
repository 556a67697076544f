/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/preprocess.h"

#include <assert.h>

#include "base/memory.h"
#include "kernel/resample.h"
#include "kernel/store.h"

/*
 * The scalar oracle of preprocess.md. A frame goes by canvas rows: each is made in `values`, whose
 * margins hold the fill, and stored at once. Source rows are filtered horizontally into lines, of
 * which only those are kept that a vertical window can span.
 */

/** Offsets of the parts of the tables and of the scratch in bytes, and their sizes. */
struct layout {
    uint64_t x_axis, y_axis, x_weights, y_weights, tables_bytes;
    uint64_t lines, line_bytes, values, scratch_bytes;
    uint32_t line_count;
};

/** One frame in the making. */
struct frame {
    const struct rung__canvas *canvas;
    const struct rung__placement *placement;
    const struct rung__surface *surface;
    void *tensor;
    struct layout layout;
    uint8_t *tables, *scratch;
    size_t pixel_bytes;
    uint32_t offsets[3]; /**< of the stored channels inside a pixel */
    uint32_t *values;    /**< the canvas row: three channels of canvas-width values */
};

static uint64_t take(uint64_t *total, uint64_t bytes)
{
    const uint64_t offset = *total;
    *total += rung__align(bytes);
    return offset;
}

static void lay_out_bilinear(const struct rung__placement *placement, struct layout *layout)
{
    layout->x_axis = take(&layout->tables_bytes, placement->width * sizeof(struct rung__pair));
    layout->y_axis = take(&layout->tables_bytes, placement->height * sizeof(struct rung__pair));
    layout->line_count = 2;
    layout->line_bytes = (uint64_t)placement->width * 3 * sizeof(uint16_t);
}

static void lay_out_triangle(const struct rung__placement *placement, struct layout *layout)
{
    const struct rung__crop *crop = &placement->crop;
    const uint64_t x_taps = rung__axis_triangle_taps(placement->width, crop->width);
    const uint64_t y_taps = rung__axis_triangle_taps(placement->height, crop->height);
    layout->x_axis = take(&layout->tables_bytes, placement->width * sizeof(struct rung__window));
    layout->y_axis = take(&layout->tables_bytes, placement->height * sizeof(struct rung__window));
    layout->x_weights = take(&layout->tables_bytes, placement->width * x_taps * sizeof(uint32_t));
    layout->y_weights = take(&layout->tables_bytes, placement->height * y_taps * sizeof(uint32_t));
    layout->line_count = (uint32_t)y_taps;
    layout->line_bytes = (uint64_t)placement->width * 3;
}

static void lay_out_nearest(const struct rung__placement *placement, struct layout *layout)
{
    layout->x_axis = take(&layout->tables_bytes, placement->width * sizeof(uint32_t));
    layout->y_axis = take(&layout->tables_bytes, placement->height * sizeof(uint32_t));
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
    layout.lines = take(&layout.scratch_bytes, layout.line_count * layout.line_bytes);
    layout.values = take(&layout.scratch_bytes, (uint64_t)canvas->width * 3 * sizeof(uint32_t));
    return layout;
}

static uint64_t tables_bytes(const struct rung__resampler *self, const struct rung__canvas *canvas,
                             const struct rung__placement *placement)
{
    (void)self;
    return lay_out(canvas, placement).tables_bytes;
}

static uint64_t scratch_bytes(const struct rung__resampler *self, const struct rung__canvas *canvas,
                              const struct rung__placement *placement)
{
    (void)self;
    return lay_out(canvas, placement).scratch_bytes;
}

static void *table(const struct frame *frame, uint64_t offset)
{
    return frame->tables + (size_t)offset;
}

static void *line(const struct frame *frame, uint32_t slot)
{
    return frame->scratch + (size_t)(frame->layout.lines + slot * frame->layout.line_bytes);
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
    const struct rung__pair *pairs = table(frame, frame->layout.x_axis);
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

static void bilinear_tables(const struct frame *frame)
{
    const struct rung__placement *placement = frame->placement;
    rung__axis_bilinear(placement->width, placement->crop.width,
                        table(frame, frame->layout.x_axis));
    rung__axis_bilinear(placement->height, placement->crop.height,
                        table(frame, frame->layout.y_axis));
}

static void bilinear_rows(const struct frame *frame, uint32_t first, uint32_t end)
{
    const struct rung__pair *rows = table(frame, frame->layout.y_axis);
    uint16_t *lines[2] = {line(frame, 0), line(frame, 1)};
    uint32_t held[2] = {UINT32_MAX, UINT32_MAX};
    for (uint32_t y = first; y < end; y++) {
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
    const struct rung__window *windows = table(frame, frame->layout.x_axis);
    const uint32_t width = frame->placement->width;
    const size_t step = frame->pixel_bytes;
    const uint32_t taps = rung__axis_triangle_taps(width, frame->placement->crop.width);
    for (uint32_t c = 0; c < 3; c++, line += width) {
        const uint8_t *row = source_row(frame, y, c);
        const uint32_t *weights = table(frame, frame->layout.x_weights);
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
    return line(frame, y % frame->layout.line_count);
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

static void triangle_tables(const struct frame *frame)
{
    const struct rung__placement *placement = frame->placement;
    rung__axis_triangle(placement->width, placement->crop.width, table(frame, frame->layout.x_axis),
                        table(frame, frame->layout.x_weights));
    rung__axis_triangle(placement->height, placement->crop.height,
                        table(frame, frame->layout.y_axis), table(frame, frame->layout.y_weights));
}

static void triangle_rows(const struct frame *frame, uint32_t first, uint32_t end)
{
    const struct rung__window *windows = table(frame, frame->layout.y_axis);
    const uint32_t *weights = table(frame, frame->layout.y_weights);
    uint32_t ready = 0; /* source rows below this one were filtered */
    for (uint32_t y = first; y < end; y++) {
        const uint32_t behind = windows[y].first + windows[y].count;
        if (ready < windows[y].first)
            ready = windows[y].first;
        for (; ready < behind; ready++)
            triangle_line(frame, ready, triangle_slot(frame, ready));
        triangle_blend(frame, &windows[y], weights + (size_t)y * frame->layout.line_count);
        store_content_row(frame, y);
    }
}

/* ---- nearest --------------------------------------------------------------------------------- */

static void nearest_tables(const struct frame *frame)
{
    const struct rung__placement *placement = frame->placement;
    rung__axis_nearest(placement->width, placement->crop.width, table(frame, frame->layout.x_axis));
    rung__axis_nearest(placement->height, placement->crop.height,
                       table(frame, frame->layout.y_axis));
}

static void nearest_rows(const struct frame *frame, uint32_t first, uint32_t end)
{
    const struct rung__placement *placement = frame->placement;
    const uint32_t *columns = table(frame, frame->layout.x_axis);
    const uint32_t *rows = table(frame, frame->layout.y_axis);
    for (uint32_t y = first; y < end; y++) {
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

/* By resampler; they work on rows of the content. */
static const struct {
    void (*tables)(const struct frame *frame);
    void (*rows)(const struct frame *frame, uint32_t first, uint32_t end);
} parts[] = {
    [RUNG_RESAMPLER_BILINEAR] = {bilinear_tables, bilinear_rows},
    [RUNG_RESAMPLER_TRIANGLE] = {triangle_tables, triangle_rows},
    [RUNG_RESAMPLER_NEAREST] = {nearest_tables, nearest_rows},
};

static struct frame begin(const struct rung__preprocess_frame *of, void *scratch)
{
    struct frame frame = {
        .canvas = of->canvas,
        .placement = of->placement,
        .surface = of->surface,
        .tensor = of->tensor,
        .layout = lay_out(of->canvas, of->placement),
        .tables = of->tables,
        .scratch = scratch,
        .pixel_bytes = rung__pixel_bytes(of->surface->format),
    };
    rung__pixel_channels(of->canvas, of->surface, frame.offsets);
    return frame;
}

static void make_tables(const struct rung__resampler *self, const struct rung__preprocess_frame *of)
{
    (void)self;
    const struct frame frame = begin(of, NULL);
    parts[of->canvas->resampler].tables(&frame);
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
    fill_values(frame);
    for (uint32_t row = first; row < end; row++)
        rung__store_row(frame->canvas, frame->values, row, frame->tensor);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/** Rows above the content, rows of it, rows below it: each may be none. */
static void rows(const struct rung__resampler *self, const struct rung__preprocess_frame *of,
                 uint32_t first, uint32_t end, void *scratch)
{
    (void)self;
    struct frame frame = begin(of, scratch);
    const uint32_t top = of->placement->y, bottom = top + of->placement->height;
    frame.values = (uint32_t *)(frame.scratch + (size_t)frame.layout.values);
    store_fill_rows(&frame, first, least(end, top)); /* whose margins the content's rows keep */
    const uint32_t from = first > top ? first : top, to = least(end, bottom);
    if (from < to)
        parts[of->canvas->resampler].rows(&frame, from - top, to - top);
    if (end > bottom)
        store_fill_rows(&frame, first > bottom ? first : bottom, end);
}

const struct rung__resampler rung__resampler_c = {tables_bytes, make_tables, scratch_bytes, rows,
                                                  NULL};
