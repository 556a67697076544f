/* SPDX-License-Identifier: Apache-2.0 */
#include "near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LANES          8u
#define CAPACITY_FIRST 64u

/** Lanes in a fixed order, which a compiler may put into registers without changing the sum. */
static double dot(const float *a, const float *b, uint32_t columns)
{
    double sums[LANES] = {0};
    uint32_t i = 0;
    for (; i + LANES <= columns; i += LANES)
        for (uint32_t lane = 0; lane < LANES; lane++)
            sums[lane] += (double)a[i + lane] * (double)b[i + lane];
    for (; i < columns; i++)
        sums[0] += (double)a[i] * (double)b[i];
    double sum = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        sum += sums[lane];
    return sum;
}

static bool grow(struct near_set *set)
{
    const size_t capacity = set->capacity ? 2 * set->capacity : CAPACITY_FIRST;
    if (capacity > SIZE_MAX / sizeof *set->rows / (set->columns + 1))
        return false;
    float *rows = realloc(set->rows, capacity * set->columns * sizeof *rows);
    if (!rows)
        return false;
    set->rows = rows;
    double *norms = realloc(set->norms, capacity * sizeof *norms);
    if (!norms)
        return false;
    set->norms = norms;
    set->capacity = capacity;
    return true;
}

bool near_add(struct near_set *set, const float *vector)
{
    if (set->count == set->capacity && !grow(set))
        return false;
    memcpy(set->rows + set->count * set->columns, vector, set->columns * sizeof *vector);
    set->norms[set->count++] = sqrt(dot(vector, vector, set->columns));
    return true;
}

void near_finish(struct near_set *set)
{
    free(set->rows);
    free(set->norms);
    *set = (struct near_set){.columns = set->columns};
}

double near_cosine(const struct near_set *set, size_t row, size_t other)
{
    const double norms = set->norms[row] * set->norms[other];
    const float *a = set->rows + row * set->columns, *b = set->rows + other * set->columns;
    return norms > 0 ? dot(a, b, set->columns) / norms : 0;
}

/** Puts a match into its place; the last one falls out where there is no room. */
static size_t insert(struct near_match *best, size_t count, size_t most, struct near_match match)
{
    size_t at = count;
    if (count == most && best[count - 1].cosine >= match.cosine)
        return count;
    if (count == most)
        at = count - 1;
    for (; at > 0 && best[at - 1].cosine < match.cosine; at--)
        best[at] = best[at - 1];
    best[at] = match;
    return count < most ? count + 1 : count;
}

size_t near_find(const struct near_set *set, const float *vector, size_t skip,
                 struct near_match *best, size_t most)
{
    const double norm = sqrt(dot(vector, vector, set->columns));
    size_t found = 0;
    for (size_t row = 0; row < set->count && most > 0; row++) {
        const double norms = norm * set->norms[row];
        if (row == skip)
            continue;
        const double product = dot(set->rows + row * set->columns, vector, set->columns);
        found =
            insert(best, found, most, (struct near_match){row, norms > 0 ? product / norms : 0});
    }
    return found;
}
