/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_PROBE_H
#define RUNG__LADDER_PROBE_H

#include "ladder/outcome.h"
#include "ladder/rungs.h"

/* The helper's subcommand: rung, library, plugin (or "") and threads follow; the model file comes
 * on standard input. The line of its answer has the members below. The outputs of the first run
 * follow it, and behind them those of the first later run whose bytes are others.
 */
#define RUNG__PROBE_TRIAL       "run"
#define RUNG__PROBE_EXECUTED_BY "executed_by"
#define RUNG__PROBE_BUILD_NS    "build_ns"
#define RUNG__PROBE_FIRST_NS    "first_ns"
#define RUNG__PROBE_MEDIAN_NS   "median_ns"
#define RUNG__PROBE_PEAK_BYTES  "peak_bytes"
#define RUNG__PROBE_RUNS        "runs"

/** A rung to be tried with a model. */
struct rung__probe_task {
    const struct rung__rung *rung;
    const char *helper;  /**< the program rung-probe */
    const char *library; /**< of its runtime, "" without one */
    const char *plugin;  /**< that brings its execution provider; NULL: none does */
    const struct rung__artifact_view *artifact;
    uint32_t threads; /**< at least 1 */
    uint64_t time_limit_ns;
};

/** What came of it. All zero holds nothing. */
struct rung__trial {
    const struct rung__rung *rung;
    struct rung__outcome outcome;
    bool answered; /**< it has figures and outputs */
    /** In the order of the artifact's, as long as declared: of the first run, and of a later one
     * that answered otherwise. */
    struct rung__buffer outputs;
};

/**
 * Tries a rung in a child process of low priority and waits for it: it is built, run on the golden
 * input (else on numbers that are the same everywhere), and timed. What goes wrong in the child is
 * an outcome. Results: OK, UNSUPPORTED (no child could be made), NO_MEMORY. End with
 * rung__trial_finish, also after a failure.
 */
rung_result rung__probe_try(const struct rung__probe_task *task, struct rung__trial *out);
void rung__trial_finish(struct rung__trial *trial);

/** It answered, and what it answered was not found wrong. */
bool rung__trial_is_right(const struct rung__trial *trial);

/**
 * Turns what answered numbers that the floor does not give into `wrong`, whatever its speed: ones
 * that are not finite, or whose relative L2 distance is above the tolerance of the model's form.
 */
void rung__probe_compare(const struct rung__artifact_view *artifact,
                         const struct rung__trial *floor, struct rung__trial *trial);

/** The same for the floor itself: against the file's golden sample, where its input was used, and
 * what later runs answered against its first. */
void rung__probe_compare_golden(const struct rung__artifact_view *artifact,
                                struct rung__trial *floor);

/** True when what was timed is faster by more than 3 %. */
bool rung__outcome_beats(const struct rung__outcome *outcome, const struct rung__outcome *other);

/** True when it answers rightly and beats the floor by more than 3 %. */
bool rung__probe_beats(const struct rung__trial *trial, const struct rung__trial *floor);

/**
 * Names the winner of trials in the order of the table, of which `floor` is one that answered:
 * `chosen` is the fastest that beats the floor by more than 3 %, the upper one of those that are as
 * fast within 3 %; else the floor. What else answered is `slower`.
 */
void rung__probe_decide(struct rung__trial *trials, uint32_t count, struct rung__trial *floor);

#endif
