/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/memory.h"
#include "kernel/bilinear.h"
#include "kernel/raster.h"

/** One call in the making. */
struct frame {
    const struct rung__bilinear_kernels *kernels;
    const struct rung__preprocess_frame *of;
    const struct rung__bilinear_columns *columns;
    const struct rung__pair *rows;
    const uint8_t *fill;
    struct rung__raster raster;
    const uint8_t *row;    /**< the crop's first one, from the surface's edge on */
    size_t before, behind; /**< where the crop begins and ends in it */
    int16_t *lines[2];
    size_t pitch; /**< values from one channel's line to the next */
    bool gray;
};

uint64_t rung__bilinear_scratch_bytes(const struct rung__resampler *self,
                                      const struct rung__canvas *canvas,
                                      const struct rung__placement *placement)
{
    (void)self;
    (void)canvas;
    return rung__align((uint64_t)2 * 3 * rung__bilinear_lanes(placement) * sizeof(int16_t));
}

static struct frame begin(const struct rung__bilinear_kernels *kernels,
                          const struct rung__preprocess_frame *of, void *scratch)
{
    const struct rung__placement *placement = of->placement;
    const struct rung__crop *crop = &placement->crop;
    const struct rung__bilinear_layout layout = rung__bilinear_layout(of->canvas, placement);
    const uint32_t step = rung__pixel_bytes(of->surface->format);
    const size_t before = (size_t)crop->x * step;
    const size_t pitch = rung__bilinear_lanes(placement);
    const uint8_t *tables = of->tables;
    return (struct frame){
        .kernels = kernels,
        .of = of,
        .columns = (const struct rung__bilinear_columns *)(tables + layout.columns),
        .rows = (const struct rung__pair *)(tables + layout.rows),
        .fill = tables + layout.fill,
        .raster = rung__raster(of->canvas),
        .row = of->surface->pixels + (size_t)crop->y * (size_t)of->surface->stride,
        .before = before,
        .behind = before + (size_t)crop->width * step,
        .lines = {scratch, (int16_t *)scratch + 3 * pitch},
        .pitch = pitch,
        .gray = step == 1,
    };
}

static const uint8_t *source_row(const struct frame *frame, uint32_t y)
{
    return frame->row + y * (size_t)frame->of->surface->stride;
}

/** The row that is filtered after row y of the source for the content rows at..end, or y itself. */
static uint32_t row_after(const struct frame *frame, uint32_t y, uint32_t at, uint32_t end)
{
    for (; at < end; at++) {
        if (frame->rows[at].first > y)
            return frame->rows[at].first;
        if (frame->rows[at].second > y)
            return frame->rows[at].second;
    }
    return y;
}

/** Filters row y for the content row `at`. A row that is too short to be read is copied. */
static void filter(const struct frame *frame, uint32_t y, uint32_t at, uint32_t end)
{
    const struct rung__bilinear_columns *columns = frame->columns;
    const uint8_t *row = source_row(frame, y);
    uint8_t copy[RUNG__BILINEAR_READ_MAX];
    if (frame->behind < columns->read) {
        memset(copy, 0, sizeof copy);
        row = memcpy(copy, row, frame->behind);
    }
    /* Two rows ahead: one is over before memory has answered. */
    const uint32_t ahead = row_after(frame, row_after(frame, y, at, end), at, end);
    columns->filter(columns, row + frame->before, source_row(frame, ahead) + frame->before,
                    frame->lines[y & 1], frame->pitch);
}

static struct rung__blend_row begin_blend(const struct frame *frame)
{
    const struct rung__canvas *canvas = frame->of->canvas;
    struct rung__blend_row blend = {
        .below = frame->raster.row,
        .width = frame->of->placement->width,
    };
    for (uint32_t c = 0; c < 3; c++) {
        blend.scale[c] = canvas->scale[c] * 0x1p-16f;
        blend.bias[c] = canvas->bias[c];
    }
    return blend;
}

static void blend(const struct frame *frame, struct rung__blend_row *blend, uint32_t y)
{
    const struct rung__preprocess_frame *of = frame->of;
    const struct rung__placement *placement = of->placement;
    const struct rung__pair *pair = &frame->rows[y];
    for (uint32_t c = 0; c < 3; c++) {
        const size_t line = frame->gray ? 0 : c * frame->pitch;
        blend->first[c] = frame->lines[pair->first & 1] + line;
        blend->second[c] = frame->lines[pair->second & 1] + line;
    }
    for (uint32_t plane = 0; plane < frame->raster.planes; plane++)
        blend->to[plane] =
            rung__raster_at(&frame->raster, of->tensor, plane, placement->y + y, placement->x);
    blend->weight = pair->weight;
    frame->kernels->blends[of->canvas->layout][of->canvas->dtype](blend);
}

/** Rows of the content. The two of a pair are neighbours: one is odd, one even. */
static void content_rows(const struct frame *frame, uint32_t first, uint32_t end)
{
    const struct rung__canvas *canvas = frame->of->canvas;
    const struct rung__placement *placement = frame->of->placement;
    struct rung__blend_row row = begin_blend(frame);
    uint32_t held[2] = {UINT32_MAX, UINT32_MAX};
    for (uint32_t y = first; y < end; y++) {
        const uint32_t wanted[2] = {frame->rows[y].first, frame->rows[y].second};
        for (uint32_t i = 0; i < 2; i++) {
            if (held[wanted[i] & 1] != wanted[i])
                filter(frame, wanted[i], y, end);
            held[wanted[i] & 1] = wanted[i];
        }
        rung__fill_run(&frame->raster, frame->fill, placement->y + y, 0, placement->x,
                       frame->of->tensor);
        blend(frame, &row, y);
        rung__fill_run(&frame->raster, frame->fill, placement->y + y,
                       placement->x + placement->width, canvas->width, frame->of->tensor);
    }
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void rung__bilinear_rows(const struct rung__resampler *self,
                         const struct rung__preprocess_frame *of, uint32_t first, uint32_t end,
                         void *scratch)
{
    const struct rung__bilinear_kernels *kernels = self->parts;
    const struct frame frame = begin(kernels, of, scratch);
    const uint32_t top = of->placement->y, bottom = top + of->placement->height;
    const uint32_t from = first > top ? first : top, to = least(end, bottom);
    rung__fill_rows(&frame.raster, frame.fill, first, least(end, top), of->tensor);
    if (from < to)
        content_rows(&frame, from - top, to - top);
    rung__fill_rows(&frame.raster, frame.fill, first > bottom ? first : bottom, end, of->tensor);
}
