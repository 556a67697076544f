/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/triangle.h"

#include <assert.h>
#include <string.h>

#include "kernel/triangle_layout.h"

#define TAPS RUNG__TRIANGLE_TAPS

/** Rows in the making. */
struct work {
    const struct rung__triangle_parts *parts;
    const struct rung__triangle_filter *filter;
    const struct rung__preprocess_frame *frame;
    struct rung__triangle_layout layout;
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
    const uint64_t start = work->axis.offsets[((size_t)block + 1) * units - 1] +
                           (uint64_t)(work->axis.steps - 1) * work->axis.step_bytes;
    return start + work->filter->window > work->row_bytes;
}

static struct work begin(const struct rung__triangle_parts *parts,
                         const struct rung__preprocess_frame *frame, void *scratch)
{
    const struct rung__triangle_layout layout =
        rung__triangle_lay_out(parts, frame->canvas, frame->placement);
    const uint8_t *tables = frame->tables;
    const struct rung__triangle_head *head =
        (const struct rung__triangle_head *)(tables + layout.head);
    const uint32_t pixel_bytes = rung__pixel_bytes(frame->surface->format);
    struct work work = {
        .parts = parts,
        .filter = &parts->filters[head->filter],
        .frame = frame,
        .layout = layout,
        .axis = {.offsets = (const uint32_t *)(tables + layout.x_offsets),
                 .picks = (const uint32_t *)(tables + layout.x_picks),
                 .weights = (const uint32_t *)(tables + layout.x_weights),
                 .taps = layout.x_taps,
                 .steps = layout.x_steps,
                 .step_bytes = TAPS * pixel_bytes,
                 .pitch = layout.pitch},
        .scratch = scratch,
        .row_bytes = (uint64_t)frame->placement->crop.width * pixel_bytes,
    };
    work.blocks = work.whole = rung__triangle_blocks(work.filter, frame->placement->width);
    work.axis.block_bytes = (uint32_t)((work.row_bytes + work.blocks - 1) / work.blocks);
    while (work.whole > 0 && reads_behind(&work, work.whole - 1))
        work.whole--;
    return work;
}

/** The last blocks read a copy, behind which there is more. */
static void filter_end(const struct work *work, const uint8_t *const rows[TAPS], uint8_t *line)
{
    const uint32_t units = work->filter->lanes / work->filter->unit;
    const uint32_t from = work->axis.offsets[(size_t)work->whole * units];
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
    const struct rung__triangle_span span =
        ((const struct rung__triangle_span *)(tables + work->layout.y_spans))[y];
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

void rung__triangle_rows(const struct rung__resampler *self,
                         const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                         void *scratch)
{
    const struct rung__triangle_parts *parts = self->parts;
    struct work work = begin(parts, frame, scratch);
    const struct rung__byte_rows rows = {make_content, &work, parts->store};
    rung__byte_rows(&rows, frame, first, end, work.scratch + work.layout.row);
}
