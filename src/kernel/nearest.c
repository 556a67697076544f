/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/nearest.h"

#include <string.h>

#include "base/memory.h"
#include "kernel/resample.h"

/** Rows in the making. */
struct work {
    const struct rung__nearest_parts *parts;
    const struct rung__preprocess_frame *frame;
    struct rung__nearest_columns columns;
    const uint32_t *rows;
    uint32_t made; /**< the source row that the content's last row is of */
};

/** Offsets of the parts of the tables, and their size. */
struct layout {
    uint64_t columns, rows, plan, bytes;
};

static struct layout lay_out(const struct rung__nearest_parts *parts,
                             const struct rung__placement *placement)
{
    struct layout layout = {0};
    layout.rows = rung__align(placement->width * sizeof(uint32_t));
    layout.plan = layout.rows + rung__align(placement->height * sizeof(uint32_t));
    layout.bytes =
        layout.plan + rung__align(parts->plan_bytes ? parts->plan_bytes(placement->width) : 0);
    return layout;
}

uint64_t rung__nearest_tables_bytes(const struct rung__resampler *self,
                                    const struct rung__canvas *canvas,
                                    const struct rung__placement *placement)
{
    const struct rung__nearest_parts *parts = self->parts;
    (void)canvas;
    return lay_out(parts, placement).bytes;
}

uint64_t rung__nearest_scratch_bytes(const struct rung__resampler *self,
                                     const struct rung__canvas *canvas,
                                     const struct rung__placement *placement)
{
    (void)self;
    (void)placement;
    return rung__byte_row_bytes(canvas);
}

static struct rung__nearest_columns columns_of(const struct rung__preprocess_frame *frame,
                                               const struct layout *layout)
{
    const struct rung__placement *placement = frame->placement;
    uint8_t *tables = frame->tables;
    struct rung__nearest_columns columns = {
        .offsets = (const uint32_t *)(tables + layout->columns),
        .count = placement->width,
        .row_bytes = placement->crop.width * rung__pixel_bytes(frame->surface->format),
        .plan = tables + layout->plan,
    };
    rung__pixel_channels(frame->canvas, frame->surface, columns.channels);
    columns.as_they_lie = placement->crop.width == placement->width && columns.channels[0] == 0 &&
                          rung__pixel_bytes(frame->surface->format) == 3;
    return columns;
}

void rung__nearest_make_tables(const struct rung__resampler *self,
                               const struct rung__preprocess_frame *frame)
{
    const struct rung__nearest_parts *parts = self->parts;
    const struct rung__placement *placement = frame->placement;
    const struct layout layout = lay_out(parts, placement);
    uint8_t *tables = frame->tables;
    uint32_t *offsets = (uint32_t *)(tables + layout.columns);
    rung__axis_nearest(placement->width, placement->crop.width, offsets);
    for (uint32_t x = 0; x < placement->width; x++)
        offsets[x] *= rung__pixel_bytes(frame->surface->format);
    rung__axis_nearest(placement->height, placement->crop.height,
                       (uint32_t *)(tables + layout.rows));
    const struct rung__nearest_columns columns = columns_of(frame, &layout);
    if (parts->make_plan)
        parts->make_plan(&columns);
}

/* One row is over before memory has answered for the next. */
#define ROWS_AHEAD 2u

/** The row that is fetched while this one is copied: this one where there are no more. */
static const uint8_t *row_ahead(const struct rung__surface *surface, const uint8_t *row,
                                uint32_t rows_left)
{
    return rows_left > ROWS_AHEAD ? row + ROWS_AHEAD * (size_t)surface->stride : row;
}

static void make_content(void *user, uint32_t y, uint8_t *to)
{
    struct work *work = user;
    const struct rung__surface *surface = work->frame->surface;
    const struct rung__crop *crop = &work->frame->placement->crop;
    const uint32_t row = work->rows[y];
    if (row == work->made)
        return;
    work->made = row;
    const uint8_t *from = surface->pixels + ((size_t)crop->y + row) * (size_t)surface->stride +
                          (size_t)crop->x * rung__pixel_bytes(surface->format);
    if (!work->columns.as_they_lie) {
        work->parts->row(&work->columns, from, to);
        return;
    }
    const uint8_t *ahead = row_ahead(surface, from, crop->height - row);
    for (size_t i = 0; i < work->columns.row_bytes; i += RUNG__CACHE_LINE)
        __builtin_prefetch(ahead + i);
    memcpy(to, from, work->columns.row_bytes);
}

/** Is the content, which covers the canvas, the crop but for its alpha? */
static bool is_canvas_but_for_alpha(const struct rung__preprocess_frame *frame)
{
    const struct rung__placement *placement = frame->placement;
    const struct rung__canvas *canvas = frame->canvas;
    return canvas->layout == RUNG_LAYOUT_BGRA && frame->surface->format == RUNG_PIXEL_BGRA8 &&
           placement->crop.width == canvas->width && placement->crop.height == canvas->height &&
           placement->width == canvas->width && placement->height == canvas->height;
}

/** Copies the rows first..end, with an alpha of 255. */
static void copy_opaque(const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end)
{
    const struct rung__surface *surface = frame->surface;
    const struct rung__crop *crop = &frame->placement->crop;
    const size_t row_bytes = (size_t)frame->canvas->width * 4;
    for (uint32_t y = first; y < end; y++) {
        const uint8_t *from =
            surface->pixels + ((size_t)crop->y + y) * (size_t)surface->stride + (size_t)crop->x * 4;
        uint8_t *to = (uint8_t *)frame->tensor + y * row_bytes;
        const uint8_t *ahead = row_ahead(surface, from, crop->height - y);
        for (size_t i = 0; i < row_bytes; i += RUNG__CACHE_LINE)
            __builtin_prefetch(ahead + i);
        for (size_t i = 0; i < row_bytes; i += 4)
            rung__put_u32(to + i, rung__get_u32(from + i) | UINT32_C(0xff000000));
    }
}

void rung__nearest_rows(const struct rung__resampler *self,
                        const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                        void *scratch)
{
    const struct rung__nearest_parts *parts = self->parts;
    const struct layout layout = lay_out(parts, frame->placement);
    if (is_canvas_but_for_alpha(frame)) {
        copy_opaque(frame, first, end);
        return;
    }
    struct work work = {
        .parts = parts,
        .frame = frame,
        .columns = columns_of(frame, &layout),
        .rows = (const uint32_t *)((const uint8_t *)frame->tables + layout.rows),
        .made = UINT32_MAX,
    };
    const struct rung__byte_rows rows = {make_content, &work, parts->store};
    rung__byte_rows(&rows, frame, first, end, scratch);
}
