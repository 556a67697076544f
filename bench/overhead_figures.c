/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "overhead.h"

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

void print_figure(const struct bench *bench, const char *what, const char *unit,
                  const struct figure *figure)
{
    double sorted[ROUNDS];
    memcpy(sorted, figure->values, sizeof sorted);
    const double middle = median(sorted, ROUNDS);
    const int decimals = strcmp(unit, "ns") == 0 ? 0 : 3;
    printf(bench->json ? "{\"schema\":1,\"bench\":\"overhead\",\"model\":\"%s\",\"rung\":\"%s\","
                         "\"figure\":\"%s\",\"unit\":\"%s\",\"median\":%.*f,\"min\":%.*f,\"max\":"
                         "%.*f}\n"
                       : "%-34s %-8s %-34s %2s %9.*f (%.*f..%.*f)\n",
           bench->name, bench->rung, what, unit, decimals, middle, decimals, sorted[0], decimals,
           sorted[ROUNDS - 1]);
}

double median_of(const struct figure *figure)
{
    double sorted[ROUNDS];
    memcpy(sorted, figure->values, sizeof sorted);
    return median(sorted, ROUNDS);
}
