/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernel/resample.h"
#include "kernel/triangle_layout.h"

#define TAPS     RUNG__TRIANGLE_TAPS
#define NO_PICKS 0x80808080u

/** The tables of a frame in the making. */
struct tables {
    const struct rung__triangle_parts *parts;
    const struct rung__preprocess_frame *frame;
    struct rung__triangle_layout layout;
    uint8_t *bytes;
    uint32_t pixel_bytes, channels[3];
    struct rung__window *windows; /**< of an axis */
    uint32_t *weights;
    uint32_t *samples;                  /**< where the first one of each column is in a row */
    struct rung__triangle_step *packed; /**< by pixel, step */
};

/** Packs the weights of a window that begins `lead` taps into its first step. */
static void pack(const struct rung__triangle_parts *parts, const uint32_t *weights, uint32_t lead,
                 uint32_t count, uint32_t steps, struct rung__triangle_step *to)
{
    for (uint32_t at = 0; at < steps * TAPS; at += TAPS, to++) {
        uint32_t taps[TAPS];
        if (at >= lead && at + TAPS <= lead + count) {
            parts->pack(weights + (at - lead), to);
            continue;
        }
        for (uint32_t t = 0; t < TAPS; t++)
            taps[t] = at + t >= lead && at + t < lead + count ? weights[at + t - lead] : 0;
        parts->pack(taps, to);
    }
}

static void make_pixels(const struct tables *tables)
{
    const uint32_t width = tables->frame->placement->width;
    const uint32_t samples = tables->frame->placement->crop.width;
    const uint32_t taps = rung__axis_triangle_taps(width, samples);
    const uint32_t steps = tables->layout.x_steps;
    rung__axis_triangle(width, samples, tables->windows, tables->weights);
    for (uint32_t x = 0; x < width; x++) {
        for (uint32_t c = 0; c < 3; c++)
            tables->samples[3 * x + c] =
                tables->windows[x].first * tables->pixel_bytes + tables->channels[c];
        pack(tables->parts, tables->weights + (size_t)x * taps, 0, tables->windows[x].count, steps,
             tables->packed + (size_t)x * steps);
    }
}

/** The bytes that a unit reads in each step. */
struct extent {
    uint32_t first, end;
};

static struct extent extent_of(const struct tables *tables,
                               const struct rung__triangle_filter *filter, uint32_t unit)
{
    const uint32_t count = tables->frame->placement->width * 3, last = (unit + 1) * filter->columns;
    struct extent extent = {UINT32_MAX, 0};
    for (uint32_t i = unit * filter->columns; i < last && i < count; i++) {
        const uint32_t sample = tables->samples[i];
        const uint32_t end = sample + (TAPS - 1) * tables->pixel_bytes + 1;
        extent.first = sample < extent.first ? sample : extent.first;
        extent.end = end > extent.end ? end : extent.end;
    }
    return extent;
}

static uint32_t units_of(const struct tables *tables, const struct rung__triangle_filter *filter)
{
    return (tables->frame->placement->width * 3 + filter->columns - 1) / filter->columns;
}

static bool fits(const struct tables *tables, const struct rung__triangle_filter *filter)
{
    const uint32_t units = units_of(tables, filter);
    for (uint32_t unit = 0; unit < units; unit++) {
        const struct extent extent = extent_of(tables, filter, unit);
        if (extent.end - extent.first > filter->window)
            return false;
    }
    return true;
}

static uint32_t choose_filter(const struct tables *tables)
{
    uint32_t i = 0;
    while (i + 1 < tables->parts->filter_count && !fits(tables, &tables->parts->filters[i]))
        i++;
    return i;
}

static void put_weights(const struct tables *tables, const struct rung__triangle_filter *filter,
                        uint32_t column, uint32_t lane)
{
    const uint32_t steps = tables->layout.x_steps, words = tables->parts->words;
    const struct rung__triangle_step *from = tables->packed + (size_t)(column / 3) * steps;
    uint32_t *to = (uint32_t *)(tables->bytes + tables->layout.x_weights) +
                   (size_t)(lane / filter->lanes) * steps * words * filter->lanes +
                   lane % filter->lanes;
    for (uint32_t s = 0; s < steps; s++)
        for (uint32_t w = 0; w < words; w++, to += filter->lanes)
            *to = from[s].words[w];
}

static void put_unit(const struct tables *tables, const struct rung__triangle_filter *filter,
                     uint32_t unit)
{
    const uint32_t count = tables->frame->placement->width * 3;
    const uint32_t start = extent_of(tables, filter, unit).first;
    uint32_t *picks =
        (uint32_t *)(tables->bytes + tables->layout.x_picks) + (size_t)unit * filter->unit;
    ((uint32_t *)(tables->bytes + tables->layout.x_offsets))[unit] = start;
    for (uint32_t i = 0; i < filter->columns && unit * filter->columns + i < count; i++) {
        const uint32_t column = unit * filter->columns + i;
        const uint32_t first = tables->samples[column] - start, step = tables->pixel_bytes;
        picks[i] =
            first | (first + step) << 8 | (first + 2 * step) << 16 | (first + 3 * step) << 24;
        put_weights(tables, filter, column, unit * filter->unit + i);
    }
}

/** Lanes without a column have no weight. */
static void clear_lanes(const struct tables *tables, uint32_t lanes)
{
    uint32_t *picks = (uint32_t *)(tables->bytes + tables->layout.x_picks);
    for (uint32_t i = 0; i < lanes; i++)
        picks[i] = NO_PICKS;
    memset(tables->bytes + tables->layout.x_weights, 0,
           (size_t)lanes * tables->layout.x_steps * tables->parts->words * sizeof(uint32_t));
}

static void make_columns(const struct tables *tables)
{
    struct rung__triangle_head *head =
        (struct rung__triangle_head *)(tables->bytes + tables->layout.head);
    uint32_t *offsets = (uint32_t *)(tables->bytes + tables->layout.x_offsets);
    head->filter = choose_filter(tables);
    const struct rung__triangle_filter *filter = &tables->parts->filters[head->filter];
    const uint32_t lanes =
        rung__triangle_blocks(filter, tables->frame->placement->width) * filter->lanes;
    const uint32_t units = units_of(tables, filter);
    clear_lanes(tables, lanes);
    for (uint32_t unit = 0; unit < units; unit++)
        put_unit(tables, filter, unit);
    for (uint32_t unit = units; unit < lanes / filter->unit; unit++)
        offsets[unit] = offsets[units - 1]; /* fill the last block up */
}

static void make_rows(const struct tables *tables)
{
    const uint32_t height = tables->frame->placement->height;
    const uint32_t samples = tables->frame->placement->crop.height;
    const uint32_t taps = rung__axis_triangle_taps(height, samples);
    struct rung__triangle_span *spans =
        (struct rung__triangle_span *)(tables->bytes + tables->layout.y_spans);
    struct rung__triangle_step *to =
        (struct rung__triangle_step *)(tables->bytes + tables->layout.y_weights);
    rung__axis_triangle(height, samples, tables->windows, tables->weights);
    for (uint32_t y = 0; y < height; y++, to += tables->layout.y_steps) {
        const struct rung__window window = tables->windows[y];
        const uint32_t lead = window.first % TAPS;
        spans[y] = (struct rung__triangle_span){window.first / TAPS,
                                                rung__triangle_steps(lead + window.count)};
        pack(tables->parts, tables->weights + (size_t)y * taps, lead, window.count, spans[y].count,
             to);
    }
}

void rung__triangle_make_tables(const struct rung__resampler *self,
                                const struct rung__preprocess_frame *frame)
{
    const struct rung__triangle_parts *parts = self->parts;
    struct tables tables = {
        .parts = parts,
        .frame = frame,
        .layout = rung__triangle_lay_out(parts, frame->canvas, frame->placement),
        .bytes = frame->tables,
        .pixel_bytes = rung__pixel_bytes(frame->surface->format),
    };
    rung__pixel_channels(frame->canvas, frame->surface, tables.channels);
    tables.windows = (struct rung__window *)(tables.bytes + tables.layout.windows);
    tables.weights = (uint32_t *)(tables.bytes + tables.layout.weights);
    tables.samples = (uint32_t *)(tables.bytes + tables.layout.samples);
    tables.packed = (struct rung__triangle_step *)(tables.bytes + tables.layout.packed);
    make_pixels(&tables);
    make_columns(&tables);
    make_rows(&tables);
}
