/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_TRIANGLE_H
#define RUNG__KERNEL_TRIANGLE_H

#include "kernel/byte_rows.h"

/*
 * What the vector kernels of the resampler `triangle` share. Both passes go by steps of four taps.
 * The horizontal pass takes four source rows, a group, at once and leaves the four samples of a
 * content column side by side: as the vertical pass wants them. Weights have 22 bits; each kernel
 * takes them apart into digits that its products hold, so that every sum is exact.
 */

/** The digits of the weights of four taps. */
struct rung__triangle_step {
    uint32_t words[4];
};

/** The horizontal pass of one placement. */
struct rung__triangle_axis {
    /** Of the first sample of each pixel in bytes; whole blocks. */
    const uint32_t *offsets;
    /** By block, step, pixel in the block. */
    const struct rung__triangle_step *weights;
    uint32_t steps;      /**< of each pixel */
    uint32_t step_bytes; /**< from four samples to the next */
    uint8_t
        picks[16];  /**< sample t of channel c lies at byte picks[4c + t] of a step; 12 on: 0x80 */
    uint32_t pitch; /**< elements from one part of a line to the next */
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
    uint32_t block;  /**< pixels that `filter` makes at once */
    uint32_t column; /**< bytes of a line for each column */
    void (*pack)(const uint32_t weights[4], struct rung__triangle_step *to);
    /** Makes blocks first..end of a line. Reads 16 bytes at each step of each pixel. */
    void (*filter)(const struct rung__triangle_axis *axis, const uint8_t *const rows[4],
                   uint32_t first, uint32_t end, uint8_t *line);
    /** Makes `count` bytes of a content row; may read 64 columns behind. */
    void (*blend)(const struct rung__triangle_window *window, uint32_t count, uint8_t *to);
    rung__store_bytes *store;
};

/* The functions of a rung__resampler. */
uint64_t rung__triangle_tables_bytes(const struct rung__triangle_parts *parts,
                                     const struct rung__canvas *canvas,
                                     const struct rung__placement *placement);
void rung__triangle_make_tables(const struct rung__triangle_parts *parts,
                                const struct rung__preprocess_frame *frame);
uint64_t rung__triangle_scratch_bytes(const struct rung__triangle_parts *parts,
                                      const struct rung__canvas *canvas,
                                      const struct rung__placement *placement);
void rung__triangle_rows(const struct rung__triangle_parts *parts,
                         const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                         void *scratch);

void rung__triangle_init_avx2(struct rung__preprocess_kernels *kernels);
void rung__triangle_init_avx512(struct rung__preprocess_kernels *kernels);
void rung__triangle_init_neon(struct rung__preprocess_kernels *kernels);

#endif
