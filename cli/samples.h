/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_SAMPLES_H
#define RUNG_CLI_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

/** Numbers that something was measured at; zeroed there are none. */
struct samples {
    double *items;
    size_t count, capacity;
};

/** False without memory. */
bool samples_add(struct samples *samples, double value);
bool samples_append(struct samples *samples, const struct samples *others);
void samples_finish(struct samples *samples);

void samples_sort(struct samples *samples);

/**
 * The least of the sorted samples that has at least that part of them at or below it, by nearest
 * rank: 0 gives the smallest, 0.5 a median, 1 the largest. 0 where there are none.
 */
double samples_at(const struct samples *samples, double part);

/** The part of the samples that is above `limit`; 0 where there are none. */
double samples_above(const struct samples *samples, double limit);

#endif
