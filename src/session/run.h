/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_RUN_H
#define RUNG__SESSION_RUN_H

#include "kernel/fit.h"
#include "kernel/preprocess.h"
#include "session/context.h"

/* What rung_detect, rung_embed and rung_segment share: one frame on the caller's thread. */

/** One frame on its way through a context. */
struct rung__run {
    rung_frame frame;
    struct rung__surface surface;
    struct rung__placement placement;
    uint64_t started, prepared, answered; /**< rung__clock_now */
};

/**
 * Checks the arguments of `function`, which is for models of `role` alone, and places the frame on
 * the canvas. Results: OK, INVALID_ARGUMENT, VERSION.
 */
rung_result rung__run_begin(const struct rung_context *context, const rung_frame *frame,
                            rung_span packet, const char *function, rung_role role,
                            struct rung__run *run);

/** Preprocesses and runs; the outputs are then f32. Results: OK, BACKEND, DEVICE_LOST, NO_MEMORY.
 */
rung_result rung__run_model(struct rung_context *context, struct rung__run *run);

/**
 * Before anything is computed for a packet of a known size: sets `*needed` (may be NULL). Results:
 * OK, CAPACITY.
 */
rung_result rung__run_check_room(rung_span packet, size_t size, size_t *needed);

/** The header of a packet that holds no targets, without its counts and sizes. */
rung_packet_header rung__run_header(const struct rung__run *run, rung_space space);

/** Tells the caller what ran, when the caller wants to know (`info` may be NULL). Results: OK,
 * INVALID_ARGUMENT, VERSION. */
rung_result rung__run_end(const struct rung_context *context, const struct rung__run *run,
                          rung_run_info *info);

#endif
