/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_METRICS_H
#define RUNG__SESSION_METRICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rung/result.h>

#include "base/histogram.h"
#include "base/thread.h"
#include "hardware/energy.h"
#include "stage/ledger.h"

/*
 * What a context's frames cost, for its report. It is written by the thread that works on a frame,
 * one at a time, without a lock, and read from any other.
 */

/** The parts of a frame that are timed, and all of it. */
enum rung__part {
    RUNG__PART_PREPROCESS,
    RUNG__PART_RUN,
    RUNG__PART_POSTPROCESS,
    RUNG__PART_WHOLE,
    RUNG__PARTS
};

/** What is counted. */
enum rung__count {
    RUNG__COUNT_FRAMES,        /**< that came to a packet */
    RUNG__COUNT_FAILURES,      /**< those that came to none */
    RUNG__COUNT_IMPORTS,       /**< tensors that were made where the runtime reads them */
    RUNG__COUNT_COPIES,        /**< tensors that were not */
    RUNG__COUNT_COPIED_BYTES,  /**< of those */
    RUNG__COUNT_WIDENED_BYTES, /**< of outputs that are no f32 */
    RUNG__COUNTS
};

struct rung__metrics {
    _Atomic uint64_t counts[RUNG__COUNTS];
    _Atomic uint64_t first[RUNG__PARTS]; /**< of the very first frame, ns */
    bool has_first;                      /**< for the thread that writes */
    struct rung__histogram steady[RUNG__PARTS];
    struct rung__ledger ledger; /**< of the stages' objects, lanes and tickets */
    _Atomic uint64_t cancels;   /**< of what was running, that were acknowledged */
    _Atomic uint64_t cancel_ns; /**< that the last of them took to be */

    struct rung__mutex told;             /**< by who changes what follows, and who reads it */
    const struct rung__serving *serving; /**< the context's, also when that is lost */
    uint64_t created_ns;                 /**< that rung_context_create took */
    /* Since when the figures are. */
    uint64_t began; /**< rung__clock_now */
    uint64_t allocations_before, hand_overs_before;
    struct rung__energy energy;
};

struct rung_context;
struct rung__lane;
struct rung__serving;

/**
 * A frame that was in the lane came to this. It takes some nanoseconds. One thread at a time, each
 * behind the other.
 */
void rung__metrics_note(struct rung_context *context, const struct rung__lane *lane,
                        rung_result result);

/** A ticket that was running is no longer; it took so long since the cancel. By the context's
 * thread. */
void rung__metrics_note_cancel(struct rung__metrics *metrics, uint64_t ns);

/** The figures begin here. The caller uses the context. */
void rung__metrics_begin(struct rung_context *context);

uint64_t rung__metrics_count(const struct rung__metrics *metrics, enum rung__count which);

#endif
