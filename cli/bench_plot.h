/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_BENCH_PLOT_H
#define RUNG_CLI_BENCH_PLOT_H

#include <stdio.h>

#include "bench.h"

/* Pictures of a benchmark in SVG, for a page whose style (bench_page.c) has their colours: the
 * classes of the stages are their names, those of the sides "first" and "second". Each has a title
 * and a description for those who do not see it. */

/** A text, with what HTML would take as its own replaced. */
void plot_text(FILE *to, const char *text);

/** The class of a side. */
const char *plot_side_class(size_t side);

/** One bar of the means of all stages of a side. `number` makes the ids of the page different. */
void plot_shares(FILE *to, const struct bench *bench, size_t side, int number);

/** How often a stage took how long. */
void plot_histogram(FILE *to, const struct bench *bench, size_t side, enum bench_stage stage,
                    int number);

/** The totals of all runs in their order. */
void plot_series(FILE *to, const struct bench *bench, int number);

/** The ratios of the rounds. */
void plot_ratios(FILE *to, const struct bench *bench, int number);

#endif
