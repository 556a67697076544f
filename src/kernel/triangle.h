/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_TRIANGLE_H
#define RUNG__KERNEL_TRIANGLE_H

#include "kernel/byte_rows.h"

/*
 * What the vector kernels of the resampler `triangle` share. Both passes go by steps of four taps.
 * The horizontal pass takes four source rows, a group, at once and leaves the four samples of a
 * content column side by side: as the vertical pass wants them. Weights have 22 bits; each kernel
 * takes them apart into digits that its products hold, so that every sum is exact.
 *
 * A column is one channel of one pixel, in the order of storing.
 */

#define RUNG__TRIANGLE_TAPS 4u /* of a step, and rows of a group */

/** The digits of the weights of four taps. */
struct rung__triangle_step {
    uint32_t words[4];
};

/** The horizontal pass of one placement. */
struct rung__triangle_axis {
    const uint32_t *offsets; /**< of each unit's window in the row, in bytes */
    const uint32_t *picks;   /**< for each lane the four bytes of the window that it multiplies */
    const uint32_t *weights; /**< by block, step, word, lane */
    uint32_t taps;           /**< the most of a column */
    uint32_t steps;          /**< of each column */
    uint32_t step_bytes;     /**< from the window of a step to the next one's */
    uint32_t pitch;          /**< columns from one part of a line to the next */
    size_t next;             /**< bytes from the rows of this group to the next one's */
    uint32_t block_bytes;    /**< of a row, for each block */
};

/** Asks for what the next group will read where this block does. */
static inline void rung__triangle_prefetch(const struct rung__triangle_axis *axis,
                                           const uint8_t *const rows[4], size_t block)
{
    const size_t start = axis->next + block * axis->block_bytes;
    for (uint32_t at = 0; at < axis->block_bytes; at += 64)
        for (int i = 0; i < 4; i++)
            __builtin_prefetch(rows[i] + start + at);
}

/** A horizontal pass. It makes a block of columns at once, one in each 32-bit lane. */
struct rung__triangle_filter {
    uint32_t lanes;   /**< of a block */
    uint32_t unit;    /**< lanes that take their samples from one window */
    uint32_t columns; /**< of a unit; its other lanes are unused */
    uint32_t window;  /**< bytes, all of which are read at each step */
    /** Makes the blocks first..end of a line. */
    void (*run)(const struct rung__triangle_axis *axis, const uint8_t *const rows[4],
                uint32_t first, uint32_t end, uint8_t *line);
};

/** The vertical pass of one content row. */
struct rung__triangle_window {
    const uint8_t *const *lines; /**< of its groups */
    const struct rung__triangle_step *weights;
    uint32_t steps; /**< groups */
    uint32_t pitch;
};

/** The part of an instruction set. */
struct rung__triangle_parts {
    const struct rung__triangle_filter *filters; /**< the first that fits is taken */
    uint32_t filter_count;                       /**< the last one fits always */
    uint32_t words;                              /**< of a step */
    uint32_t column_bytes;                       /**< of a line */
    void (*pack)(const uint32_t weights[4], struct rung__triangle_step *to);
    /** Makes `count` bytes of a content row; may read 64 columns behind. */
    void (*blend)(const struct rung__triangle_window *window, uint32_t count, uint8_t *to);
    rung__store_bytes *store;
};

/* The functions of a rung__resampler. */
uint64_t rung__triangle_tables_bytes(const struct rung__resampler *self,
                                     const struct rung__canvas *canvas,
                                     const struct rung__placement *placement);
void rung__triangle_make_tables(const struct rung__resampler *self,
                                const struct rung__preprocess_frame *frame);
uint64_t rung__triangle_scratch_bytes(const struct rung__resampler *self,
                                      const struct rung__canvas *canvas,
                                      const struct rung__placement *placement);
void rung__triangle_rows(const struct rung__resampler *self,
                         const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                         void *scratch);

extern const struct rung__resampler rung__triangle_avx2;
extern const struct rung__resampler rung__triangle_avx512;
extern const struct rung__resampler rung__triangle_neon;

#endif
