/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/memory.h"
#include "kernel/bilinear.h"
#include "kernel/raster.h"
#include "kernel/resample.h"

/** Where the parts of the tables are, in bytes. */
struct layout {
    uint64_t columns, offsets, weights, shuffles, pairs, rows, fill, bytes;
};

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
    uint32_t read; /**< bytes for a pair */
};

static uint64_t take(uint64_t *total, uint64_t bytes)
{
    const uint64_t offset = *total;
    *total += rung__align(bytes);
    return offset;
}

static uint64_t padded(uint32_t width)
{
    const uint64_t block = RUNG__BILINEAR_BLOCK_MAX;
    return (width + block - 1) / block * block;
}

static struct layout lay_out(const struct rung__canvas *canvas,
                             const struct rung__placement *placement)
{
    const uint64_t lanes = padded(placement->width);
    struct layout layout = {0};
    layout.columns = take(&layout.bytes, sizeof(struct rung__bilinear_columns));
    layout.offsets = take(&layout.bytes, lanes * sizeof(int32_t));
    layout.weights = take(&layout.bytes, lanes * sizeof(uint16_t));
    layout.shuffles = take(&layout.bytes, lanes * RUNG__BILINEAR_READ);
    layout.pairs = take(&layout.bytes, placement->width * sizeof(struct rung__pair));
    layout.rows = take(&layout.bytes, placement->height * sizeof(struct rung__pair));
    layout.fill = take(&layout.bytes, rung__fill_bytes(canvas));
    return layout;
}

uint64_t rung__bilinear_tables_bytes(const struct rung__canvas *canvas,
                                     const struct rung__placement *placement)
{
    return lay_out(canvas, placement).bytes;
}

uint64_t rung__bilinear_scratch_bytes(const struct rung__canvas *canvas,
                                      const struct rung__placement *placement)
{
    (void)canvas;
    return rung__align(2 * 3 * padded(placement->width) * sizeof(int16_t));
}

/* ---- tables ---------------------------------------------------------------------------------- */

/** The axes while the columns are made. */
struct columns {
    const struct rung__preprocess_frame *of;
    int32_t *offsets;
    uint16_t *weights;
    uint8_t *shuffles;
    uint32_t step;        /**< bytes of a pixel */
    uint32_t channels[3]; /**< the byte of each inside a pixel */
    int64_t last;         /**< the last offset that can be read from */
};

/** The part of a shuffle that is one of its two lanes'; `first` and `second` are bytes read. */
static void put_shuffle(uint8_t *shuffle, uint32_t slot, const uint32_t channels[3], uint32_t first,
                        uint32_t second)
{
    for (uint32_t c = 0; c < 3; c++) {
        uint8_t *to = shuffle + 4 * c + 2 * slot;
        to[0] = (uint8_t)(RUNG__BILINEAR_READ * slot + channels[c] + first);
        to[1] = (uint8_t)(RUNG__BILINEAR_READ * slot + channels[c] + second);
    }
    memset(shuffle + 12 + 2 * slot, 0x80, 2); /* zero */
}

/** True when the pair is read from its first byte on. */
static bool put_lane(const struct columns *columns, uint32_t lane, const struct rung__pair *pair)
{
    const int64_t first = (int64_t)pair->first * columns->step;
    const int64_t offset = first < columns->last ? first : columns->last;
    const uint32_t shift = (uint32_t)(first - offset);
    const uint32_t second = shift + (pair->second - pair->first) * columns->step;
    columns->offsets[lane] = (int32_t)offset;
    columns->weights[lane] = (uint16_t)pair->weight;
    if (columns->step > 1)
        put_shuffle(columns->shuffles + (size_t)(lane / 2) * 16, lane % 2, columns->channels, shift,
                    second);
    else if (shift > 0) /* the last pixel is the second of its pair */
        columns->weights[lane] = 256;
    return shift == 0;
}

/** One sample alone becomes the pair of it with itself and the weight 0. */
static void simplify(struct rung__pair *pairs, uint32_t count)
{
    for (struct rung__pair *pair = pairs; pair < pairs + count; pair++) {
        if (pair->weight == 256)
            pair->first = pair->second;
        if (pair->weight == 0)
            pair->second = pair->first;
        if (pair->first == pair->second)
            pair->weight = 0;
    }
}

static uint32_t bytes_read(uint32_t step)
{
    return step == 1 ? RUNG__BILINEAR_READ_GRAY : RUNG__BILINEAR_READ;
}

static struct columns begin_columns(const struct rung__preprocess_frame *of,
                                    const struct layout *layout)
{
    const struct rung__crop *crop = &of->placement->crop;
    uint8_t *tables = of->tables;
    struct columns columns = {
        .of = of,
        .offsets = (int32_t *)(tables + layout->offsets),
        .weights = (uint16_t *)(tables + layout->weights),
        .shuffles = tables + layout->shuffles,
        .step = rung__pixel_bytes(of->surface->format),
    };
    rung__pixel_channels(of->canvas, of->surface, columns.channels);
    /* What lies behind the crop may be the end of the row in a later frame. */
    const int64_t read = bytes_read(columns.step), before = (int64_t)crop->x * columns.step;
    const int64_t row = before + (int64_t)crop->width * columns.step;
    columns.last = (row > read ? row - read : 0) - before;
    return columns;
}

static void make_columns(const struct rung__bilinear_kernels *kernels, struct columns *columns,
                         const struct rung__pair *pairs, struct rung__bilinear_columns *out)
{
    const uint32_t width = columns->of->placement->width, block = kernels->block;
    *out = (struct rung__bilinear_columns){
        .offsets = columns->offsets,
        .weights = columns->weights,
        .shuffles = columns->shuffles,
        .blocks = (width + block - 1) / block,
    };
    for (uint32_t slot = 0; slot < 2; slot++)
        put_shuffle(out->plain_shuffle, slot, columns->channels, 0, columns->step);
    bool plain = true;
    for (uint32_t i = 0; i < out->blocks; i++) {
        for (uint32_t lane = 0; lane < block; lane++) {
            const uint32_t x = i * block + kernels->order[lane];
            plain &= put_lane(columns, i * block + lane, &pairs[x < width ? x : width - 1]);
        }
        out->plain_blocks += plain;
    }
}

void rung__bilinear_tables(const struct rung__bilinear_kernels *kernels,
                           const struct rung__preprocess_frame *of)
{
    const struct rung__placement *placement = of->placement;
    const struct layout layout = lay_out(of->canvas, placement);
    uint8_t *tables = of->tables;
    struct columns columns = begin_columns(of, &layout);
    struct rung__pair *pairs = (struct rung__pair *)(tables + layout.pairs);
    struct rung__pair *rows = (struct rung__pair *)(tables + layout.rows);
    rung__axis_bilinear(placement->width, placement->crop.width, pairs);
    simplify(pairs, placement->width);
    make_columns(kernels, &columns, pairs,
                 (struct rung__bilinear_columns *)(tables + layout.columns));
    rung__axis_bilinear(placement->height, placement->crop.height, rows);
    simplify(rows, placement->height);
    rung__fill_make(of->canvas, tables + layout.fill);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static struct frame begin(const struct rung__bilinear_kernels *kernels,
                          const struct rung__preprocess_frame *of, void *scratch)
{
    const struct rung__placement *placement = of->placement;
    const struct rung__crop *crop = &placement->crop;
    const struct layout layout = lay_out(of->canvas, placement);
    const uint32_t step = rung__pixel_bytes(of->surface->format);
    const size_t before = (size_t)crop->x * step;
    const size_t pitch = (size_t)padded(placement->width);
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
        .read = bytes_read(step),
    };
}

static const uint8_t *source_row(const struct frame *frame, uint32_t y)
{
    return frame->row + y * (size_t)frame->of->surface->stride;
}

/** Filters row y, of which nothing behind the crop is read, while the row `ahead` is fetched. */
static void filter(const struct frame *frame, uint32_t y, uint32_t ahead)
{
    const struct rung__bilinear_kernels *kernels = frame->kernels;
    int16_t *line = frame->lines[y & 1];
    const uint8_t *row = source_row(frame, y);
    uint8_t copy[RUNG__BILINEAR_READ] = {0};
    if (frame->behind < frame->read)
        row = memcpy(copy, row, frame->behind);
    row += frame->before;
    const uint8_t *next = source_row(frame, ahead) + frame->before;
    if (frame->gray)
        kernels->filter_gray(frame->columns, row, next, line);
    else
        kernels->filter(frame->columns, row, next, line, frame->pitch);
}

/** The row that is filtered after row y, or y itself. */
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

static struct rung__blend_row begin_blend(const struct frame *frame)
{
    const struct rung__canvas *canvas = frame->of->canvas;
    struct rung__blend_row blend = {.width = frame->of->placement->width};
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
                filter(frame, wanted[i], row_after(frame, wanted[i], y, end));
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

void rung__bilinear_rows(const struct rung__bilinear_kernels *kernels,
                         const struct rung__preprocess_frame *of, uint32_t first, uint32_t end,
                         void *scratch)
{
    const struct frame frame = begin(kernels, of, scratch);
    const uint32_t top = of->placement->y, bottom = top + of->placement->height;
    const uint32_t from = first > top ? first : top, to = least(end, bottom);
    rung__fill_rows(&frame.raster, frame.fill, first, least(end, top), of->tensor);
    if (from < to)
        content_rows(&frame, from - top, to - top);
    rung__fill_rows(&frame.raster, frame.fill, first > bottom ? first : bottom, end, of->tensor);
}
