/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_SELECT_GRID_H
#define RUNG__KERNEL_SELECT_GRID_H

#include <stdbool.h>

#include "kernel/select.h"

/*
 * `grid-exact-v1`: what the instruction sets share. An instruction set gives two parts, and the
 * rest is plain C: select_first.c finds the first keys without sorting the others, select_grid.c
 * keeps the accepted boxes in the cells of a grid. Vectors settle in f32 what is far from the
 * limit, by more than all roundings; what is close is for the oracle's rule
 * (rung__candidate_rules_out).
 */

/** A considered candidate as suppression looks at it. */
struct rung__select_box {
    uint16_t left, right, top, bottom; /**< the first and last unit inside; at most 65535 */
    uint16_t class_id, number;
    float area;
};

#define RUNG__SELECT_LANES 32u

/** Accepted boxes side by side. */
struct rung__select_block {
    uint16_t left[RUNG__SELECT_LANES], right[RUNG__SELECT_LANES];
    uint16_t top[RUNG__SELECT_LANES], bottom[RUNG__SELECT_LANES];
    uint16_t class_id[RUNG__SELECT_LANES], number[RUNG__SELECT_LANES];
    float area[RUNG__SELECT_LANES];
};

/** The accepted boxes that reach into one cell: `count` lanes of the blocks from `first` on. */
struct rung__select_cell {
    uint32_t first, count;
};

/** Cells of 2^shift units a side over all considered boxes, row by row. */
struct rung__select_grid {
    const struct rung__candidate *candidates;
    const struct rung__selection *selection;
    struct rung__select_block *blocks; /**< 64-byte aligned */
    struct rung__select_cell *cells;
    uint32_t shift, columns, rows;
    uint32_t left, top; /**< of the first cell, in cells from 0 */
    /* Factors of what vectors tell roughly. Only what is between `least` and `enough`, or may be
     * inside, is for the exact rule. */
    float shared;        /**< of the shared area, against those of both areas together: */
    float least, enough; /**< less: not ruled out; at least: ruled out */
    float inside;        /**< of the candidate's area, against the shared one */
};

/** Cells, both ends included. */
struct rung__select_span {
    uint32_t left, right, top, bottom;
};

static inline struct rung__select_span rung__select_span(const struct rung__select_grid *grid,
                                                         const struct rung__select_box *box)
{
    return (struct rung__select_span){
        (box->left >> grid->shift) - grid->left, (box->right >> grid->shift) - grid->left,
        (box->top >> grid->shift) - grid->top, (box->bottom >> grid->shift) - grid->top};
}

/** The oracle's rule for the lanes that are set. */
static inline bool rung__select_any_rules_out(const struct rung__select_grid *grid,
                                              const struct rung__select_block *block,
                                              uint32_t lanes, const struct rung__select_box *box)
{
    for (; lanes; lanes &= lanes - 1)
        if (rung__candidate_rules_out(&grid->candidates[block->number[__builtin_ctz(lanes)]],
                                      &grid->candidates[box->number], grid->selection))
            return true;
    return false;
}

/** The lanes of a block that hold something, when `count` lanes are left from it on. */
static inline uint32_t rung__select_lanes(uint32_t count)
{
    return count < RUNG__SELECT_LANES ? (1u << count) - 1 : UINT32_MAX;
}

#define RUNG__SELECT_SLACK 8u /* keys that `admit` may write behind the last */

/** What an instruction set gives. */
struct rung__select_parts {
    /**
     * Writes the keys, up to `limit`, of what step 1 admits; returns how many those are.
     * `admitted` is set to the number without the limit.
     */
    uint32_t (*admit)(const struct rung__candidate *candidates, uint32_t count,
                      const struct rung__selection *selection, uint32_t k, uint64_t limit,
                      uint64_t *keys, uint32_t *admitted);
    /** Does an accepted box rule this one out? */
    bool (*rules_out)(const struct rung__select_grid *grid, const struct rung__select_box *box);
};

/** Steps 1 to 3. */
struct rung__select_first {
    const uint64_t *keys; /**< the considered ones in rising order */
    uint32_t considered, admitted;
};

/** `keys` and `spare` have room for `count` keys and the slack. */
struct rung__select_first rung__select_first(const struct rung__select_parts *parts,
                                             const struct rung__candidate *candidates,
                                             uint32_t count,
                                             const struct rung__selection *selection, uint32_t k,
                                             uint64_t *keys, uint64_t *spare);

rung__select_workspace_fn rung__select_grid_workspace;

/** Selection with these parts; else as rung__select_fn. */
void rung__select_grid(const struct rung__select_parts *parts,
                       const struct rung__candidate *candidates, uint32_t count,
                       const struct rung__selection *selection, uint32_t k, void *workspace,
                       struct rung__selected *selected);

#endif
