/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include <math.h>
#include <stdlib.h>

#define CAPACITY_FIRST 64u

bool samples_add(struct samples *samples, double value)
{
    if (samples->count == samples->capacity) {
        const size_t capacity = samples->capacity ? 2 * samples->capacity : CAPACITY_FIRST;
        double *items = realloc(samples->items, capacity * sizeof *items);
        if (!items)
            return false;
        samples->items = items;
        samples->capacity = capacity;
    }
    samples->items[samples->count++] = value;
    return true;
}

bool samples_append(struct samples *samples, const struct samples *others)
{
    for (size_t i = 0; i < others->count; i++)
        if (!samples_add(samples, others->items[i]))
            return false;
    return true;
}

void samples_finish(struct samples *samples)
{
    free(samples->items);
    *samples = (struct samples){0};
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void samples_sort(struct samples *samples)
{
    if (samples->count)
        qsort(samples->items, samples->count, sizeof *samples->items, compare);
}

double samples_at(const struct samples *samples, double part)
{
    const double rank = ceil(part * (double)samples->count);
    if (!samples->count)
        return 0;
    return samples->items[rank > 1 ? (size_t)rank - 1 : 0];
}

double samples_above(const struct samples *samples, double limit)
{
    size_t above = 0;
    for (size_t i = 0; i < samples->count; i++)
        above += samples->items[i] > limit;
    return samples->count ? (double)above / (double)samples->count : 0;
}
