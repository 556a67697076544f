/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/memory.h"
#include "kernel/bilinear.h"
#include "kernel/raster.h"

/** The columns while they are made. */
struct columns {
    const struct rung__pair *pairs;
    const struct rung__bilinear_way *way;
    int32_t *offsets;
    uint8_t *weights, *shuffles;
    uint32_t width;       /**< pixels */
    uint32_t step;        /**< bytes of a pixel */
    uint32_t channels[3]; /**< the byte of each inside a pixel */
    int64_t before, row;  /**< bytes of the row in front of the crop, and up to its end */
};

uint32_t rung__bilinear_lanes(const struct rung__placement *placement)
{
    const uint32_t block = RUNG__BILINEAR_BLOCK_MAX;
    return (placement->width + block - 1) / block * block;
}

static uint64_t take(uint64_t *total, uint64_t bytes)
{
    const uint64_t offset = *total;
    *total += rung__align(bytes);
    return offset;
}

struct rung__bilinear_layout rung__bilinear_layout(const struct rung__canvas *canvas,
                                                   const struct rung__placement *placement)
{
    const uint64_t lanes = rung__bilinear_lanes(placement);
    struct rung__bilinear_layout layout = {0};
    layout.columns = take(&layout.bytes, sizeof(struct rung__bilinear_columns));
    layout.offsets = take(&layout.bytes, lanes * sizeof(int32_t));
    layout.weights = take(&layout.bytes, lanes * 2);
    layout.shuffles = take(&layout.bytes, lanes * 4 * 2); /* pairs of four channels */
    layout.pairs = take(&layout.bytes, placement->width * sizeof(struct rung__pair));
    layout.rows = take(&layout.bytes, placement->height * sizeof(struct rung__pair));
    layout.fill = take(&layout.bytes, rung__fill_bytes(canvas));
    return layout;
}

uint64_t rung__bilinear_tables_bytes(const struct rung__resampler *self,
                                     const struct rung__canvas *canvas,
                                     const struct rung__placement *placement)
{
    (void)self;
    return rung__bilinear_layout(canvas, placement).bytes;
}

/** The pair of a pixel of the padded line. */
static const struct rung__pair *pair_of(const struct columns *columns, uint32_t x)
{
    return &columns->pairs[x < columns->width ? x : columns->width - 1];
}

/** The bytes from the crop's edge to a sample. */
static int64_t byte_of(const struct columns *columns, uint32_t sample)
{
    return (int64_t)sample * columns->step;
}

/** True when the way's reads reach over what they are for. */
static bool can_go(const struct columns *columns, const struct rung__bilinear_way *way)
{
    const uint32_t shared = way->together ? way->group : 1;
    for (uint32_t x = 0; x < columns->width; x += shared) {
        const uint32_t first = pair_of(columns, x)->first;
        const uint32_t second = pair_of(columns, x + shared - 1)->second;
        if (byte_of(columns, second + 1 - first) > way->read)
            return false;
    }
    return true;
}

/** A read ends with the crop at the latest, since a later frame's row may end there. */
static int64_t read_at(const struct columns *columns, uint32_t x)
{
    const int64_t first = byte_of(columns, pair_of(columns, x)->first);
    const int64_t last = columns->row - columns->way->read;
    const int64_t latest = (last > 0 ? last : 0) - columns->before;
    return first < latest ? first : latest;
}

/** Puts a pair of bytes that were read into each channel of a shuffle. */
static void put_pair(const struct columns *columns, uint8_t *to, int64_t first, int64_t second)
{
    const uint32_t used = columns->step > 1 ? 3 : 1, channels = columns->step > 1 ? 4 : 1;
    for (uint32_t c = 0; c < channels; c++, to += (size_t)2 * columns->way->group) {
        to[0] = c < used ? (uint8_t)(first + columns->channels[c]) : 0x80;
        to[1] = c < used ? (uint8_t)(second + columns->channels[c]) : 0x80;
    }
}

/** The offsets of the group of pixels from x on, and its shuffle. */
static void put_group(const struct columns *columns, uint32_t x, uint8_t *shuffle)
{
    const struct rung__bilinear_way *way = columns->way;
    int64_t at = read_at(columns, x), bytes = 0; /* that were read for the pixels before */
    for (uint32_t slot = 0; slot < way->group; slot++, shuffle += 2) {
        const struct rung__pair *pair = pair_of(columns, x + slot);
        if (slot > 0 && !way->together) {
            at = read_at(columns, x + slot);
            bytes += way->read;
        }
        columns->offsets[x + slot] = (int32_t)at;
        put_pair(columns, shuffle, bytes + byte_of(columns, pair->first) - at,
                 bytes + byte_of(columns, pair->second) - at);
    }
}

static void put_weights(const struct columns *columns, uint32_t lane, const struct rung__pair *pair)
{
    const uint32_t second = pair->first == pair->second ? 128 : pair->weight;
    columns->weights[2 * (size_t)lane] = (uint8_t)(256 - second);
    columns->weights[2 * (size_t)lane + 1] = (uint8_t)second;
}

static void put_block(const struct columns *columns, const struct rung__bilinear_kernels *kernels,
                      uint32_t x)
{
    const uint32_t group = columns->way->group;
    const size_t pixel = columns->step > 1 ? 8 : 2; /* bytes in a shuffle */
    for (uint32_t i = 0; i < kernels->block / group; i++)
        put_group(columns, x + i * group,
                  columns->shuffles + pixel * (x + columns->way->places[i] * group));
    for (uint32_t i = 0; i < kernels->block; i++)
        put_weights(columns, x + i, pair_of(columns, x + kernels->order[i]));
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

static struct columns begin(const struct rung__bilinear_kernels *kernels,
                            const struct rung__preprocess_frame *of,
                            const struct rung__bilinear_layout *layout)
{
    const struct rung__crop *crop = &of->placement->crop;
    uint8_t *tables = of->tables;
    const uint32_t step = rung__pixel_bytes(of->surface->format);
    struct columns columns = {
        .pairs = (const struct rung__pair *)(tables + layout->pairs),
        .way = step > 1 ? kernels->colour : kernels->gray,
        .offsets = (int32_t *)(tables + layout->offsets),
        .weights = tables + layout->weights,
        .shuffles = tables + layout->shuffles,
        .width = of->placement->width,
        .step = step,
        .before = (int64_t)crop->x * step,
        .row = ((int64_t)crop->x + crop->width) * step,
    };
    rung__pixel_channels(of->canvas, of->surface, columns.channels);
    return columns;
}

static void make_columns(const struct rung__bilinear_kernels *kernels, struct columns *columns,
                         struct rung__bilinear_columns *out)
{
    const uint32_t block = kernels->block, blocks = (columns->width + block - 1) / block;
    while (!can_go(columns, columns->way))
        columns->way++;
    for (uint32_t i = 0; i < blocks; i++)
        put_block(columns, kernels, i * block);
    *out = (struct rung__bilinear_columns){
        .offsets = columns->offsets,
        .weights = columns->weights,
        .shuffles = columns->shuffles,
        .blocks = blocks,
        .read = columns->way->read,
        .filter = columns->way->filter,
    };
}

void rung__bilinear_make_tables(const struct rung__resampler *self,
                                const struct rung__preprocess_frame *of)
{
    const struct rung__bilinear_kernels *kernels = self->parts;
    const struct rung__placement *placement = of->placement;
    const struct rung__bilinear_layout layout = rung__bilinear_layout(of->canvas, placement);
    uint8_t *tables = of->tables;
    struct rung__pair *pairs = (struct rung__pair *)(tables + layout.pairs);
    struct rung__pair *rows = (struct rung__pair *)(tables + layout.rows);
    rung__axis_bilinear(placement->width, placement->crop.width, pairs);
    simplify(pairs, placement->width);
    struct columns columns = begin(kernels, of, &layout);
    make_columns(kernels, &columns, (struct rung__bilinear_columns *)(tables + layout.columns));
    rung__axis_bilinear(placement->height, placement->crop.height, rows);
    simplify(rows, placement->height);
    rung__fill_make(of->canvas, tables + layout.fill);
}
