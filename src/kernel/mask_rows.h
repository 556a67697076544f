/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_MASK_ROWS_H
#define RUNG__KERNEL_MASK_ROWS_H

#include "kernel/mask.h"

#define RUNG__MASK_ASK 2u /* what `cut` writes for a pixel that the exact rule must decide */

/* What is shorter is not for vectors. So they need no part of one: the last is as long as the
 * others and ends with the row, or with the classes, and what is met twice comes out the same. */
#define RUNG__MASK_WIDTH_MIN   16u /* of a row */
#define RUNG__MASK_CLASSES_MIN 8u  /* of a table */

/** Where a vector begins, at `at` or earlier, that ends at `end` at the latest. */
static inline uint32_t rung__mask_within(uint32_t at, uint32_t lanes, uint32_t end)
{
    return at + lanes < end ? at : end - lanes;
}

/** What an instruction set gives: rows of pixels. */
struct rung__mask_parts {
    /** The best class of each pixel; the scores of a class are `step` apart from the next one's. */
    void (*best_of_planes)(const float *scores, size_t step, uint32_t classes, uint32_t count,
                           uint8_t *to);
    /** The same where the scores of a pixel lie one after the other. */
    void (*best_of_table)(const float *scores, uint32_t classes, uint32_t count, uint8_t *to);
    /** 0 for numbers less than `least`, 1 from `enough` on, else RUNG__MASK_ASK (for NaN, too). */
    void (*cut)(const float *values, uint32_t count, float least, float enough, uint8_t *to);
};

/** A mask with these parts; else as rung__mask_fn. */
void rung__mask_rows(const struct rung__mask_parts *parts, const struct rung__mask_request *request,
                     uint8_t *to);

/** A pixel has few classes for longer vectors. */
void rung__mask_best_of_table_avx2(const float *scores, uint32_t classes, uint32_t count,
                                   uint8_t *to);

#endif
