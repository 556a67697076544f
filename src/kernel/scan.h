/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_SCAN_H
#define RUNG__KERNEL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds the rows of a model's output that may become candidates. Few do, so a head looks at all
 * rows through these, a block at a time, and reads only the marked ones as its oracle does.
 */

/** The most rows of a block. */
#define RUNG__SCAN_BLOCK 1024u

/** The rows of the block that begins with row `first` of `rows`. */
static inline uint32_t rung__scan_block(uint32_t first, uint32_t rows)
{
    return rows - first < RUNG__SCAN_BLOCK ? rows - first : RUNG__SCAN_BLOCK;
}

/** Kernels may write so many elements behind the last one that counts. */
#define RUNG__SCAN_SLACK 16u

/** The fewest and the most scores that folding leaves. */
#define RUNG__SCAN_FOLD_MIN 1024u
#define RUNG__SCAN_FOLD_MAX 4096u

/** Numbers from `least` to less than `below`. NaN is not among them. */
struct rung__scan_range {
    float least, below;
};

/** The scores of a block that are in a range, in the order of rows. */
struct rung__scan_marks {
    uint32_t count;
    uint32_t positions[RUNG__SCAN_BLOCK + RUNG__SCAN_SLACK]; /**< in the block */
    float scores[RUNG__SCAN_BLOCK + RUNG__SCAN_SLACK];
    uint16_t confidences[RUNG__SCAN_BLOCK + RUNG__SCAN_SLACK];
};

/** Rows of values: `others` that must be usable, then the scores of `classes`. */
struct rung__scan_rows {
    const float *values;
    size_t step; /**< planes: from a plane to the next one; tables: from a row to the next one */
    uint32_t others, classes;
};

struct rung__scan_kernels {
    /** Sets all of `marks` but the confidences. */
    void (*mark)(const float *scores, uint32_t count, struct rung__scan_range range,
                 struct rung__scan_marks *marks);

    /** Sets the confidences of the marked scores: rung__decode_score of each. */
    void (*rate)(bool is_logit, struct rung__scan_marks *marks);

    /**
     * The greatest score of each row, −inf when one of its values is not usable (rung__is_usable).
     * The values of a row lie in planes that are `step` apart.
     */
    void (*best_of_planes)(const struct rung__scan_rows *rows, uint32_t first, uint32_t count,
                           float *scores);

    /** The same of a table, in which the values of a row lie one after the other. */
    void (*best_of_table)(const struct rung__scan_rows *rows, uint32_t first, uint32_t count,
                          float *scores);

    /** How many scores are in a range. */
    uint32_t (*count_in)(const float *scores, uint32_t count, struct rung__scan_range range);

    /**
     * Of the scores i, i + width, … the greatest, for each i below width; −inf when there is none.
     * The width is a power of two.
     */
    void (*fold)(const float *scores, uint32_t count, uint32_t width, float *greatest);
};

/* Each sets all functions that it has. */
void rung__scan_init_c(struct rung__scan_kernels *kernels);
void rung__scan_init_avx2(struct rung__scan_kernels *kernels);
void rung__scan_init_avx512(struct rung__scan_kernels *kernels);
void rung__scan_init_neon(struct rung__scan_kernels *kernels);

/* In C, for what is too short for vectors. */
void rung__scan_best_of_planes_c(const struct rung__scan_rows *rows, uint32_t first, uint32_t count,
                                 float *scores);
void rung__scan_best_of_table_c(const struct rung__scan_rows *rows, uint32_t first, uint32_t count,
                                float *scores);

#endif
