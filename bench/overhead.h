/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_BENCH_OVERHEAD_H
#define RUNG_BENCH_OVERHEAD_H

#include <stdbool.h>

#include <rung/rung.h>

#include "handover.h"
#include "session/run.h"

#define ROUNDS 9

/** A model on a rung, and a frame of its canvas' size. */
struct bench {
    const char *name, *rung;
    unsigned threads, turns;
    bool json, tiny, all_cpus, cpu_time;
    rung_instance *instance;
    rung_model *model;
    rung_context *context, *with_tickets;
    const struct rung__answer *answer;
    rung_frame frame;
    rung_span packet;
    rung_run_info info;
    uint8_t *pixels;
    struct handover handover;
};

/** One number of each round. */
struct figure {
    double values[ROUNDS];
};

/** Sorts. */
double median(double *values, size_t count);
double median_of(const struct figure *figure);

/** A line with the median and the range. */
void print_figure(const struct bench *bench, const char *what, const char *unit,
                  const struct figure *figure);

/** The run of the model alone, with the context's tensors. */
void run_bare(const struct bench *bench);

/** Prints what each part of a frame takes, many of the same in a row. */
void measure_parts(struct bench *bench);

#endif
