/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/triangle.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/resample.h"

#define TAPS         4u  /* of a step */
#define STEP_READ    16u /* bytes that a filter reads of a step */
#define PIXEL_MAX    4u
#define BLEND_BEHIND 64u /* columns that a blend may read behind */

/** The groups of a content row. */
struct span {
    uint32_t first, count;
};

/** Offsets of the parts of the tables and of the scratch in bytes, and their sizes. */
struct layout {
    uint32_t x_steps, y_steps; /**< the most that a pixel has */
    uint32_t blocks;
    uint32_t pitch; /**< columns of a line */
    uint64_t x_offsets, x_weights, y_spans, y_weights, weights, tables_bytes;
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

static void lay_out_tables(const struct rung__triangle_parts *parts,
                           const struct rung__placement *placement, struct layout *layout)
{
    const uint32_t x_taps = rung__axis_triangle_taps(placement->width, placement->crop.width);
    const uint32_t y_taps = rung__axis_triangle_taps(placement->height, placement->crop.height);
    uint64_t *total = &layout->tables_bytes;
    layout->x_steps = steps_of(x_taps);
    layout->y_steps = steps_of(y_taps + TAPS - 1); /* a window may begin at a group's last row */
    layout->blocks = (placement->width + parts->block - 1) / parts->block;
    const uint64_t pixels = (uint64_t)layout->blocks * parts->block;
    layout->x_offsets = take(total, pixels * sizeof(uint32_t));
    layout->x_weights = take(total, pixels * layout->x_steps * sizeof(struct rung__triangle_step));
    layout->y_spans = take(total, placement->height * sizeof(struct span));
    layout->y_weights = take(total, (uint64_t)placement->height * layout->y_steps *
                                        sizeof(struct rung__triangle_step));
    /* One pixel's, while the tables are made: zero before and behind. */
    const uint32_t steps = layout->x_steps > layout->y_steps ? layout->x_steps : layout->y_steps;
    layout->weights = take(total, (uint64_t)steps * TAPS * sizeof(uint32_t));
}

static void lay_out_scratch(const struct rung__triangle_parts *parts,
                            const struct rung__canvas *canvas,
                            const struct rung__placement *placement, struct layout *layout)
{
    uint64_t *total = &layout->scratch_bytes;
    const uint64_t crop_width = placement->crop.width;
    layout->pitch = layout->blocks * parts->block * 3 + BLEND_BEHIND;
    layout->line_bytes = rung__align((uint64_t)layout->pitch * parts->column);
    layout->lines = take(total, layout->y_steps * layout->line_bytes);
    layout->pointers = take(total, layout->y_steps * sizeof(const uint8_t *));
    /* Windows at the end have fewer taps than others, but as many steps. */
    layout->copy_bytes =
        rung__align((crop_width + (uint64_t)layout->x_steps * TAPS) * PIXEL_MAX + STEP_READ);
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

/** Packs `steps` steps, each `stride` behind the one before it. */
static void pack(const struct rung__triangle_parts *parts, const uint32_t *weights, uint32_t steps,
                 size_t stride, struct rung__triangle_step *to)
{
    for (uint32_t s = 0; s < steps; s++, weights += TAPS, to += stride)
        parts->pack(weights, to);
}

static void make_columns(const struct rung__triangle_parts *parts, const struct layout *layout,
                         const struct rung__preprocess_frame *frame)
{
    uint8_t *tables = frame->tables;
    const uint32_t width = frame->placement->width, samples = frame->placement->crop.width;
    const uint32_t pixel_bytes = rung__pixel_bytes(frame->surface->format);
    const size_t weights_bytes = (size_t)layout->x_steps * TAPS * sizeof(uint32_t);
    uint32_t *offsets = (uint32_t *)(tables + layout->x_offsets);
    uint32_t *weights = (uint32_t *)(tables + layout->weights);
    struct rung__triangle_step *to = (struct rung__triangle_step *)(tables + layout->x_weights);
    for (uint32_t x = 0; x < layout->blocks * parts->block; x++) {
        memset(weights, 0, weights_bytes);
        offsets[x] = x < width
                         ? pixel_bytes * rung__triangle_weights(width, samples, x, weights).first
                         : offsets[x - 1]; /* fills the last block up, with no weight */
        const size_t block = x / parts->block, at = x % parts->block;
        pack(parts, weights, layout->x_steps, parts->block,
             to + block * layout->x_steps * parts->block + at);
    }
}

static void make_rows(const struct rung__triangle_parts *parts, const struct layout *layout,
                      const struct rung__preprocess_frame *frame)
{
    uint8_t *tables = frame->tables;
    const uint32_t height = frame->placement->height, samples = frame->placement->crop.height;
    struct span *spans = (struct span *)(tables + layout->y_spans);
    uint32_t *weights = (uint32_t *)(tables + layout->weights);
    struct rung__triangle_step *to = (struct rung__triangle_step *)(tables + layout->y_weights);
    for (uint32_t y = 0; y < height; y++, to += layout->y_steps) {
        memset(weights, 0, (size_t)layout->y_steps * TAPS * sizeof(uint32_t));
        const struct rung__window window = rung__triangle_weights(height, samples, y, weights);
        const uint32_t lead = window.first % TAPS;
        memmove(weights + lead, weights, window.count * sizeof(uint32_t));
        memset(weights, 0, lead * sizeof(uint32_t));
        spans[y] = (struct span){window.first / TAPS, steps_of(lead + window.count)};
        pack(parts, weights, spans[y].count, 1, to);
    }
}

void rung__triangle_make_tables(const struct rung__triangle_parts *parts,
                                const struct rung__preprocess_frame *frame)
{
    const struct layout layout = lay_out(parts, frame->canvas, frame->placement);
    make_columns(parts, &layout, frame);
    make_rows(parts, &layout, frame);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/** Rows in the making. */
struct work {
    const struct rung__triangle_parts *parts;
    const struct rung__preprocess_frame *frame;
    struct layout layout;
    struct rung__triangle_axis axis;
    uint8_t *scratch;
    uint64_t row_bytes; /**< of the crop */
    uint32_t whole;     /**< blocks that read nothing behind a row */
    uint32_t ready;     /**< groups below this one were filtered */
};

static uint8_t *line_of(const struct work *work, uint32_t group)
{
    assert(work->layout.y_steps > 0); /* a crop is not empty */
    return work->scratch + work->layout.lines +
           group % work->layout.y_steps * work->layout.line_bytes;
}

static bool reads_behind(const struct work *work, uint32_t block)
{
    const uint32_t last = (block + 1) * work->parts->block - 1;
    const uint64_t start =
        work->axis.offsets[last] + (uint64_t)(work->axis.steps - 1) * work->axis.step_bytes;
    return start + STEP_READ > work->row_bytes;
}

static struct work begin(const struct rung__triangle_parts *parts,
                         const struct rung__preprocess_frame *frame, void *scratch)
{
    struct work work = {parts, frame, .scratch = scratch};
    const uint8_t *tables = frame->tables;
    const uint32_t pixel_bytes = rung__pixel_bytes(frame->surface->format);
    uint32_t channels[3];
    work.layout = lay_out(parts, frame->canvas, frame->placement);
    work.axis.offsets = (const uint32_t *)(tables + work.layout.x_offsets);
    work.axis.weights = (const struct rung__triangle_step *)(tables + work.layout.x_weights);
    work.axis.steps = work.layout.x_steps;
    work.axis.step_bytes = TAPS * pixel_bytes;
    work.axis.pitch = work.layout.pitch;
    rung__pixel_channels(frame->canvas, frame->surface, channels);
    memset(work.axis.picks, 0x80, sizeof work.axis.picks);
    for (uint32_t i = 0; i < 3 * TAPS; i++)
        work.axis.picks[i] = (uint8_t)(channels[i / TAPS] + i % TAPS * pixel_bytes);
    work.row_bytes = (uint64_t)frame->placement->crop.width * pixel_bytes;
    work.whole = work.layout.blocks;
    while (work.whole > 0 && reads_behind(&work, work.whole - 1))
        work.whole--;
    return work;
}

/** The last blocks read a copy, behind which there is more. */
static void filter_end(const struct work *work, const uint8_t *const rows[TAPS], uint8_t *line)
{
    const uint32_t from = work->axis.offsets[work->whole * work->parts->block];
    const uint8_t *copies[TAPS];
    for (uint32_t i = 0; i < TAPS; i++) {
        uint8_t *copy = work->scratch + work->layout.copies + i * work->layout.copy_bytes;
        memcpy(copy + from, rows[i] + from, (size_t)work->row_bytes - from);
        copies[i] = copy;
    }
    work->parts->filter(&work->axis, copies, work->whole, work->layout.blocks, line);
}

static void filter_group(const struct work *work, uint32_t group)
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
    work->parts->filter(&work->axis, rows, 0, work->whole, line);
    if (work->whole < work->layout.blocks)
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
