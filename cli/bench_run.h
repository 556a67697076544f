/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_BENCH_RUN_H
#define RUNG_CLI_BENCH_RUN_H

#include "bench.h"

/* The runs of one context of each side, one after the other or as series. */

/** Where runs come from, and where they go. In a series both may be called on another thread, one
 * call at a time. */
struct bench_supply {
    void *user;
    /** The number of the next run; false: there is none more. */
    bool (*next)(void *user, size_t *number);
    /** Takes a run that is done. False without memory. */
    bool (*take)(void *user, const struct bench_run *run);
};

struct bench_flight;

struct bench_runner {
    const struct bench *bench;
    uint32_t context; /**< its place among those of a side */
    int status;       /**< EXIT_DONE, or what a failure means */
    char why[BENCH_WHY_BYTES];
    struct bench_flight *idle; /**< what frames were in, for the next ones */
};

/** Runs on a side until the supply ends. False with the reason in the runner. */
bool bench_run_all(struct bench_runner *runner, size_t side, const struct bench_supply *supply);

/** Frees what its frames were in. */
void bench_runner_finish(struct bench_runner *runner);

#endif
