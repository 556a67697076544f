/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_BILINEAR_H
#define RUNG__KERNEL_BILINEAR_H

#include "kernel/blend.h"
#include "kernel/preprocess.h"

/*
 * `bilinear` of preprocess.md by vectors. Each source row that has a weight is filtered once, into
 * a line of h − 32768 for each channel, small enough to stay in the first cache; two lines are
 * then blended straight into the tensor. What the sets of instructions share is in
 * bilinear_frame.c; each has a filter and blends of its own.
 *
 * A line goes by blocks of content pixels, whose lanes are in the order that suits the blends. The
 * last block is padded with its last pixel.
 */

/** No block has more pixels. Lines are padded to it. */
#define RUNG__BILINEAR_BLOCK_MAX 32u

/** Bytes that are read for one pair of pixels; a gray pair is two bytes. */
#define RUNG__BILINEAR_READ      8u
#define RUNG__BILINEAR_READ_GRAY 2u

/** What a filter knows of an axis. All are by lane. */
struct rung__bilinear_columns {
    const int32_t *offsets;    /**< where the pair is read, from the crop's first byte in a row */
    const uint16_t *weights;   /**< of the second pixel, 0..256 */
    const uint8_t *shuffles;   /**< 8 bytes each, see below; none for gray */
    uint32_t blocks;           /**< of them all */
    uint32_t plain_blocks;     /**< the first ones, all of whose pairs begin where they are read */
    uint8_t plain_shuffle[16]; /**< of two lanes in these blocks */
};

/*
 * The shuffle of two neighbouring lanes takes the 16 bytes that were read for them and gives for
 * each stored channel the first and the second pixel of the one and of the other lane; its last
 * four bytes are not used. A pair at the end of a row is read from where 8 bytes are left.
 */

struct rung__bilinear_kernels {
    uint32_t block;                          /**< pixels */
    uint8_t order[RUNG__BILINEAR_BLOCK_MAX]; /**< the pixel of each lane */
    /**
     * Filters a row into lines of `pitch` values; gray into the first alone. The row that is needed
     * next is `ahead`: it is fetched meanwhile.
     */
    void (*filter)(const struct rung__bilinear_columns *columns, const uint8_t *row,
                   const uint8_t *ahead, int16_t *lines, size_t pitch);
    void (*filter_gray)(const struct rung__bilinear_columns *columns, const uint8_t *row,
                        const uint8_t *ahead, int16_t *line);
    rung__blend *blends[RUNG_LAYOUT_BGRA + 1][RUNG_DTYPE_U8 + 1];
};

/* The functions of a rung__resampler. */
uint64_t rung__bilinear_tables_bytes(const struct rung__canvas *canvas,
                                     const struct rung__placement *placement);
uint64_t rung__bilinear_scratch_bytes(const struct rung__canvas *canvas,
                                      const struct rung__placement *placement);
void rung__bilinear_tables(const struct rung__bilinear_kernels *kernels,
                           const struct rung__preprocess_frame *frame);
void rung__bilinear_rows(const struct rung__bilinear_kernels *kernels,
                         const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                         void *scratch);

extern const struct rung__resampler rung__bilinear_avx2;

#endif
