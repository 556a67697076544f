/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/triangle.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/resample.h"

#define TAPS         RUNG__TRIANGLE_TAPS
#define PIXEL_MAX    4u  /* bytes */
#define BLEND_BEHIND 64u /* columns that a blend may read behind */
#define NO_PICKS     0x80808080u

/** The groups of a content row. */
struct span {
    uint32_t first, count;
};

/** What is said of the tables at their beginning. */
struct head {
    uint32_t filter;
};

/** Offsets of the parts of the tables and of the scratch in bytes, and their sizes. */
struct layout {
    uint32_t x_steps, y_steps; /**< the most that a pixel has */
    uint32_t pitch;            /**< columns of a line */
    uint64_t head, x_offsets, x_picks, x_weights, y_spans, y_weights, tables_bytes;
    uint64_t windows, weights, samples, packed; /**< of the tables, while they are made */
    uint64_t lines, line_bytes, pointers, copies, copy_bytes, row, scratch_bytes;
};

static uint64_t take(uint64_t *total, uint64_t bytes)
{
    const uint64_t offset = *total;
    *total += rung__align(bytes);
    return offset;
}

static uint32_t steps_of(uint32_t taps)
{
    return (taps + TAPS - 1) / TAPS;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t blocks_of(const struct rung__triangle_filter *filter, uint32_t width)
{
    const uint32_t columns = filter->lanes / filter->unit * filter->columns;
    return (3 * width + columns - 1) / columns;
}

static void lay_out_tables(const struct rung__triangle_parts *parts,
                           const struct rung__placement *placement, struct layout *layout)
{
    const uint32_t x_taps = rung__axis_triangle_taps(placement->width, placement->crop.width);
    const uint32_t y_taps = rung__axis_triangle_taps(placement->height, placement->crop.height);
    const uint64_t step = sizeof(struct rung__triangle_step);
    uint64_t *total = &layout->tables_bytes;
    uint32_t lanes = 0; /* the most of any filter */
    for (uint32_t i = 0; i < parts->filter_count; i++) {
        const struct rung__triangle_filter *filter = &parts->filters[i];
        lanes = larger(lanes, blocks_of(filter, placement->width) * filter->lanes);
    }
    layout->pitch = lanes + BLEND_BEHIND;
    layout->x_steps = steps_of(x_taps);
    layout->y_steps = steps_of(y_taps + TAPS - 1); /* a window may begin at a group's last row */
    layout->head = take(total, sizeof(struct head));
    layout->x_offsets = take(total, lanes * sizeof(uint32_t));
    layout->x_picks = take(total, lanes * sizeof(uint32_t));
    layout->x_weights =
        take(total, (uint64_t)lanes * layout->x_steps * parts->words * sizeof(uint32_t));
    layout->y_spans = take(total, placement->height * sizeof(struct span));
    layout->y_weights = take(total, placement->height * layout->y_steps * step);
    /* Of either axis, one after the other. */
    const uint64_t x_weights = (uint64_t)placement->width * x_taps;
    const uint64_t y_weights = (uint64_t)placement->height * y_taps;
    layout->windows =
        take(total, larger(placement->width, placement->height) * sizeof(struct rung__window));
    layout->weights =
        take(total, (x_weights > y_weights ? x_weights : y_weights) * sizeof(uint32_t));
    layout->samples = take(total, (uint64_t)placement->width * 3 * sizeof(uint32_t));
    layout->packed = take(total, placement->width * layout->x_steps * step);
}

static void lay_out_scratch(const struct rung__triangle_parts *parts,
                            const struct rung__canvas *canvas,
                            const struct rung__placement *placement, struct layout *layout)
{
    uint64_t *total = &layout->scratch_bytes;
    uint32_t window = 0; /* the widest of any filter */
    for (uint32_t i = 0; i < parts->filter_count; i++)
        window = larger(window, parts->filters[i].window);
    layout->line_bytes = rung__align((uint64_t)layout->pitch * parts->column_bytes);
    layout->lines = take(total, layout->y_steps * layout->line_bytes);
    layout->pointers = take(total, layout->y_steps * sizeof(const uint8_t *));
    /* Windows at the end have fewer taps than others, but as many steps. */
    layout->copy_bytes = rung__align(
        ((uint64_t)placement->crop.width + (uint64_t)layout->x_steps * TAPS) * PIXEL_MAX + window);
    layout->copies = take(total, TAPS * layout->copy_bytes);
    layout->row = take(total, rung__byte_row_bytes(canvas));
}

static struct layout lay_out(const struct rung__triangle_parts *parts,
                             const struct rung__canvas *canvas,
                             const struct rung__placement *placement)
{
    struct layout layout = {0};
    lay_out_tables(parts, placement, &layout);
    lay_out_scratch(parts, canvas, placement, &layout);
    return layout;
}

uint64_t rung__triangle_tables_bytes(const struct rung__triangle_parts *parts,
                                     const struct rung__canvas *canvas,
                                     const struct rung__placement *placement)
{
    return lay_out(parts, canvas, placement).tables_bytes;
}

uint64_t rung__triangle_scratch_bytes(const struct rung__triangle_parts *parts,
                                      const struct rung__canvas *canvas,
                                      const struct rung__placement *placement)
{
    return lay_out(parts, canvas, placement).scratch_bytes;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/** The tables of a frame in the making. */
struct tables {
    const struct rung__triangle_parts *parts;
    const struct rung__preprocess_frame *frame;
    struct layout layout;
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
    for (uint32_t s = 0; s < steps; s++) {
        uint32_t taps[TAPS];
        for (uint32_t t = 0; t < TAPS; t++) {
            const uint32_t at = s * TAPS + t;
            taps[t] = at >= lead && at < lead + count ? weights[at - lead] : 0;
        }
        parts->pack(taps, &to[s]);
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
        extent.first = sample < extent.first ? sample : extent.first;
        extent.end = larger(extent.end, sample + (TAPS - 1) * tables->pixel_bytes + 1);
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
    struct head *head = (struct head *)(tables->bytes + tables->layout.head);
    uint32_t *offsets = (uint32_t *)(tables->bytes + tables->layout.x_offsets);
    head->filter = choose_filter(tables);
    const struct rung__triangle_filter *filter = &tables->parts->filters[head->filter];
    const uint32_t lanes = blocks_of(filter, tables->frame->placement->width) * filter->lanes;
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
    struct span *spans = (struct span *)(tables->bytes + tables->layout.y_spans);
    struct rung__triangle_step *to =
        (struct rung__triangle_step *)(tables->bytes + tables->layout.y_weights);
    rung__axis_triangle(height, samples, tables->windows, tables->weights);
    for (uint32_t y = 0; y < height; y++, to += tables->layout.y_steps) {
        const struct rung__window window = tables->windows[y];
        const uint32_t lead = window.first % TAPS;
        spans[y] = (struct span){window.first / TAPS, steps_of(lead + window.count)};
        pack(tables->parts, tables->weights + (size_t)y * taps, lead, window.count, spans[y].count,
             to);
    }
}

void rung__triangle_make_tables(const struct rung__triangle_parts *parts,
                                const struct rung__preprocess_frame *frame)
{
    struct tables tables = {
        .parts = parts,
        .frame = frame,
        .layout = lay_out(parts, frame->canvas, frame->placement),
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

/* ---- rows ------------------------------------------------------------------------------------ */

/** Rows in the making. */
struct work {
    const struct rung__triangle_parts *parts;
    const struct rung__triangle_filter *filter;
    const struct rung__preprocess_frame *frame;
    struct layout layout;
    struct rung__triangle_axis axis;
    uint8_t *scratch;
    uint64_t row_bytes; /**< of the crop */
    uint32_t blocks;
    uint32_t whole; /**< blocks that read nothing behind a row */
    uint32_t ready; /**< groups below this one were filtered */
};

static uint8_t *line_of(const struct work *work, uint32_t group)
{
    assert(work->layout.y_steps > 0); /* a crop is not empty */
    return work->scratch + work->layout.lines +
           group % work->layout.y_steps * work->layout.line_bytes;
}

static bool reads_behind(const struct work *work, uint32_t block)
{
    const uint32_t units = work->filter->lanes / work->filter->unit;
    const uint64_t start = work->axis.offsets[(block + 1) * units - 1] +
                           (uint64_t)(work->axis.steps - 1) * work->axis.step_bytes;
    return start + work->filter->window > work->row_bytes;
}

static struct work begin(const struct rung__triangle_parts *parts,
                         const struct rung__preprocess_frame *frame, void *scratch)
{
    const struct layout layout = lay_out(parts, frame->canvas, frame->placement);
    const uint8_t *tables = frame->tables;
    const struct head *head = (const struct head *)(tables + layout.head);
    const uint32_t pixel_bytes = rung__pixel_bytes(frame->surface->format);
    struct work work = {
        .parts = parts,
        .filter = &parts->filters[head->filter],
        .frame = frame,
        .layout = layout,
        .axis = {.offsets = (const uint32_t *)(tables + layout.x_offsets),
                 .picks = (const uint32_t *)(tables + layout.x_picks),
                 .weights = (const uint32_t *)(tables + layout.x_weights),
                 .steps = layout.x_steps,
                 .step_bytes = TAPS * pixel_bytes,
                 .pitch = layout.pitch},
        .scratch = scratch,
        .row_bytes = (uint64_t)frame->placement->crop.width * pixel_bytes,
    };
    work.blocks = work.whole = blocks_of(work.filter, frame->placement->width);
    work.axis.block_bytes = (uint32_t)((work.row_bytes + work.blocks - 1) / work.blocks);
    while (work.whole > 0 && reads_behind(&work, work.whole - 1))
        work.whole--;
    return work;
}

/** The last blocks read a copy, behind which there is more. */
static void filter_end(const struct work *work, const uint8_t *const rows[TAPS], uint8_t *line)
{
    const uint32_t units = work->filter->lanes / work->filter->unit;
    const uint32_t from = work->axis.offsets[work->whole * units];
    const uint8_t *copies[TAPS];
    for (uint32_t i = 0; i < TAPS; i++) {
        uint8_t *copy = work->scratch + work->layout.copies + i * work->layout.copy_bytes;
        memcpy(copy + from, rows[i] + from, (size_t)work->row_bytes - from);
        copies[i] = copy;
    }
    work->filter->run(&work->axis, copies, work->whole, work->blocks, line);
}

static void filter_group(struct work *work, uint32_t group)
{
    const struct rung__surface *surface = work->frame->surface;
    const struct rung__crop *crop = &work->frame->placement->crop;
    const uint8_t *rows[TAPS];
    for (uint32_t i = 0; i < TAPS; i++) {
        /* Rows behind the crop have no weight. */
        const uint32_t y = group * TAPS + i < crop->height ? group * TAPS + i : crop->height - 1;
        rows[i] = surface->pixels + ((size_t)crop->y + y) * (size_t)surface->stride +
                  (size_t)crop->x * rung__pixel_bytes(surface->format);
    }
    uint8_t *line = line_of(work, group);
    work->axis.next = (group + 1) * TAPS < crop->height ? TAPS * (size_t)surface->stride : 0;
    work->filter->run(&work->axis, rows, 0, work->whole, line);
    if (work->whole < work->blocks)
        filter_end(work, rows, line);
}

static void make_content(void *user, uint32_t y, uint8_t *to)
{
    struct work *work = user;
    const uint8_t *tables = work->frame->tables;
    const struct span span = ((const struct span *)(tables + work->layout.y_spans))[y];
    const uint8_t **lines = (const uint8_t **)(work->scratch + work->layout.pointers);
    if (work->ready < span.first)
        work->ready = span.first;
    for (; work->ready < span.first + span.count; work->ready++)
        filter_group(work, work->ready);
    for (uint32_t s = 0; s < span.count; s++)
        lines[s] = line_of(work, span.first + s);
    const struct rung__triangle_step *weights =
        (const struct rung__triangle_step *)(tables + work->layout.y_weights);
    const struct rung__triangle_window window = {lines, weights + (size_t)y * work->layout.y_steps,
                                                 span.count, work->layout.pitch};
    work->parts->blend(&window, work->frame->placement->width * 3, to);
}

void rung__triangle_rows(const struct rung__triangle_parts *parts,
                         const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                         void *scratch)
{
    struct work work = begin(parts, frame, scratch);
    const struct rung__byte_rows rows = {make_content, &work, parts->store};
    rung__byte_rows(&rows, frame, first, end, work.scratch + work.layout.row);
}
