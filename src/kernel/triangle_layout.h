/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_TRIANGLE_LAYOUT_H
#define RUNG__KERNEL_TRIANGLE_LAYOUT_H

#include "kernel/triangle.h"

/* What lies where in the tables and in the scratch of the vector kernels of `triangle`. */

/** At the beginning of the tables. */
struct rung__triangle_head {
    uint32_t filter; /**< index of the one that they are made for */
};

/** The groups of a content row. */
struct rung__triangle_span {
    uint32_t first, count;
};

/** Offsets in bytes, and sizes. */
struct rung__triangle_layout {
    uint32_t x_taps, x_steps, y_steps; /**< the most that a pixel has */
    uint32_t pitch;                    /**< columns of a line */
    uint64_t head, x_offsets, x_picks, x_weights, y_spans, y_weights, tables_bytes;
    uint64_t windows, weights, samples, packed; /**< of the tables, while they are made */
    uint64_t lines, line_bytes, pointers, copies, copy_bytes, row, scratch_bytes;
};

struct rung__triangle_layout rung__triangle_lay_out(const struct rung__triangle_parts *parts,
                                                    const struct rung__canvas *canvas,
                                                    const struct rung__placement *placement);

/** The blocks of a line. */
uint32_t rung__triangle_blocks(const struct rung__triangle_filter *filter, uint32_t width);

/** The steps of so many taps. */
static inline uint32_t rung__triangle_steps(uint32_t taps)
{
    return (taps + RUNG__TRIANGLE_TAPS - 1) / RUNG__TRIANGLE_TAPS;
}

#endif
