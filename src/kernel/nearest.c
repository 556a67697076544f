/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/nearest.h"

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

static uint64_t columns_bytes(const struct rung__placement *placement)
{
    return rung__align(placement->width * sizeof(uint32_t));
}

uint64_t rung__nearest_tables_bytes(const struct rung__canvas *canvas,
                                    const struct rung__placement *placement)
{
    (void)canvas;
    return columns_bytes(placement) + rung__align(placement->height * sizeof(uint32_t));
}

uint64_t rung__nearest_scratch_bytes(const struct rung__canvas *canvas,
                                     const struct rung__placement *placement)
{
    (void)placement;
    return rung__byte_row_bytes(canvas);
}

static uint32_t *rows_of(const struct rung__preprocess_frame *frame)
{
    return (uint32_t *)((uint8_t *)frame->tables + columns_bytes(frame->placement));
}

void rung__nearest_make_tables(const struct rung__preprocess_frame *frame)
{
    const struct rung__placement *placement = frame->placement;
    const uint32_t pixel_bytes = rung__pixel_bytes(frame->surface->format);
    uint32_t *columns = frame->tables;
    rung__axis_nearest(placement->width, placement->crop.width, columns);
    for (uint32_t x = 0; x < placement->width; x++)
        columns[x] *= pixel_bytes;
    rung__axis_nearest(placement->height, placement->crop.height, rows_of(frame));
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
    work->parts->row(&work->columns,
                     surface->pixels + ((size_t)crop->y + row) * (size_t)surface->stride +
                         (size_t)crop->x * rung__pixel_bytes(surface->format),
                     to);
}

void rung__nearest_rows(const struct rung__nearest_parts *parts,
                        const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                        void *scratch)
{
    const struct rung__placement *placement = frame->placement;
    struct work work = {
        .parts = parts,
        .frame = frame,
        .columns = {frame->tables,
                    placement->width,
                    placement->crop.width * rung__pixel_bytes(frame->surface->format),
                    {0}},
        .rows = rows_of(frame),
        .made = UINT32_MAX,
    };
    rung__pixel_channels(frame->canvas, frame->surface, work.columns.channels);
    const struct rung__byte_rows rows = {make_content, &work, parts->store};
    rung__byte_rows(&rows, frame, first, end, scratch);
}
