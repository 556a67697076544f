/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_NEAR_H
#define RUNG_CLI_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which vectors point the same way: cosines in double precision, always summed in the same order.
 */

/** Vectors one after the other; zeroed it is empty. */
struct near_set {
    float *rows;
    double *norms;
    size_t count, capacity;
    uint32_t columns;
};

struct near_match {
    size_t row;
    double cosine;
};

#define NEAR_NO_ROW SIZE_MAX

/** Adds a copy of a vector; false without memory. */
bool near_add(struct near_set *set, const float *vector);
void near_finish(struct near_set *set);

/** The cosine between two rows; 0 when one of them is all zero. */
double near_cosine(const struct near_set *set, size_t row, size_t other);

/**
 * The `most` rows that are nearest to a vector, the nearest first, of equal ones the first; without
 * row `skip`. A vector of zeros has cosine 0 with any. Gives their number.
 */
size_t near_find(const struct near_set *set, const float *vector, size_t skip,
                 struct near_match *best, size_t most);

#endif
