/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_BILINEAR_H
#define RUNG__KERNEL_BILINEAR_H

#include "kernel/blend.h"
#include "kernel/preprocess.h"
#include "kernel/resample.h"

/*
 * `bilinear` of preprocess.md by vectors. Each source row that has a weight is filtered once, into
 * a line of h − 32768 (NEON: h) for each channel, small enough to stay in the first cache; two
 * lines are then blended straight into the tensor. The sets of instructions share the tables
 * (bilinear_tables.c) and the way through a frame (bilinear_frame.c); each has filters and blends
 * of its own.
 *
 * A line goes by blocks of content pixels, whose lanes are in the order that suits the blends. The
 * last block is padded with its last pixel.
 */

/** No block has more pixels; lines are padded to it. */
#define RUNG__BILINEAR_BLOCK_MAX 32u
/** No filter reads more bytes at once. */
#define RUNG__BILINEAR_READ_MAX 128u

struct rung__bilinear_columns;

/**
 * Filters a row into lines of `pitch` values, a gray one into the first alone, while the row
 * `ahead`, which is needed soon, is fetched.
 */
typedef void rung__bilinear_filter(const struct rung__bilinear_columns *columns, const uint8_t *row,
                                   const uint8_t *ahead, int16_t *lines, size_t pitch);

/** What a filter knows of the columns. */
struct rung__bilinear_columns {
    const int32_t *offsets;  /**< of each pixel: where to read, from the crop's edge in a row */
    const uint8_t *weights;  /**< of each lane: those of its two pixels, 1..255 */
    const uint8_t *shuffles; /**< see rung__bilinear_way */
    uint32_t blocks;
    uint32_t read; /**< bytes at each offset */
    rung__bilinear_filter *filter;
};

/**
 * A way to filter. Groups of neighbours are shuffled together, after their bytes were read one by
 * one or by one read for all. A shuffle gives the pairs of the first channel, first and second
 * pixel of each, then those of the other channels, then as many zeroes (gray: one channel and no
 * zeroes). A pixel without a second one has a pair of itself.
 */
struct rung__bilinear_way {
    rung__bilinear_filter *filter;
    uint8_t group;     /**< pixels */
    bool together;     /**< one read for all of them: it must reach so far */
    uint8_t read;      /**< bytes */
    uint8_t places[8]; /**< of the groups' shuffles in a block */
};

/** The first way that can be gone is; the last one always can. */
#define RUNG__BILINEAR_WAYS 2u

struct rung__bilinear_kernels {
    uint32_t block;                          /**< pixels */
    uint8_t order[RUNG__BILINEAR_BLOCK_MAX]; /**< the pixel of each lane */
    struct rung__bilinear_way colour[RUNG__BILINEAR_WAYS], gray[RUNG__BILINEAR_WAYS];
    rung__blend *const (*blends)[RUNG_DTYPE_U8 + 1]; /**< by layout and type */
};

/** Where the parts of the tables are, in bytes. */
struct rung__bilinear_layout {
    uint64_t columns, offsets, weights, shuffles, pairs, rows, fill, bytes;
};

/** The pixels of a line. */
uint32_t rung__bilinear_lanes(const struct rung__placement *placement);

struct rung__bilinear_layout rung__bilinear_layout(const struct rung__canvas *canvas,
                                                   const struct rung__placement *placement);

/* The functions of a rung__resampler. */
uint64_t rung__bilinear_tables_bytes(const struct rung__resampler *self,
                                     const struct rung__canvas *canvas,
                                     const struct rung__placement *placement);
void rung__bilinear_make_tables(const struct rung__resampler *self,
                                const struct rung__preprocess_frame *frame);
uint64_t rung__bilinear_scratch_bytes(const struct rung__resampler *self,
                                      const struct rung__canvas *canvas,
                                      const struct rung__placement *placement);
void rung__bilinear_rows(const struct rung__resampler *self,
                         const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                         void *scratch);

extern const struct rung__resampler rung__bilinear_avx2, rung__bilinear_avx512, rung__bilinear_neon;

#endif
