/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_RUN_H
#define RUNG__SESSION_RUN_H

#include "session/context.h"

/* What rung_detect, rung_embed, rung_segment and a series share: the steps of one frame. */

/** What the models of a role answer, and how that becomes a packet. */
struct rung__answer {
    const char *function; /**< the public one, for sentences */
    rung_role role;
    /** The packet's size where it is known before the model runs; NULL: it is not. */
    size_t (*size)(const struct rung_context *context, const struct rung__run *run);
    /** Makes the packet of what the lane's model answered and sets `*needed` (may be NULL).
     * Results: OK, CAPACITY (nothing was written), BACKEND. */
    rung_result (*write)(struct rung_context *context, struct rung__lane *lane, rung_span packet,
                         size_t *needed);
};

extern const struct rung__answer rung__answer_targets, rung__answer_embedding, rung__answer_mask;

/** That of a context's role. */
const struct rung__answer *rung__answer_of(const struct rung_context *context);

/**
 * Checks a frame and places it on the canvas, in the lane. Results: OK, INVALID_ARGUMENT, VERSION.
 */
rung_result rung__run_place(const struct rung_context *context, struct rung__lane *lane,
                            const rung_frame *frame);

/** Preprocesses what was placed. The tensor may still be on its way. Results: OK, NO_MEMORY,
 * UNSUPPORTED, TIMEOUT, IO. */
rung_result rung__run_prepare(struct rung_context *context, struct rung__lane *lane);

/** Runs the model; the outputs are then f32. A device that is lost is noted. Results: OK, BACKEND,
 * DEVICE_LOST. */
rung_result rung__run_model(struct rung_context *context, struct rung__lane *lane);

/** In place of preparing: a tensor that was made elsewhere is copied to where the runtime reads it.
 * Results: OK, NO_MEMORY. */
rung_result rung__run_take(struct rung_context *context, struct rung__lane *lane,
                           const void *tensor);

/** In place of all steps: the packet of what the model answered last, for a frame whose pixels are
 * not read. Results: OK, INVALID_ARGUMENT, VERSION, CAPACITY, BACKEND. */
rung_result rung__run_answer(struct rung_context *context, const rung_frame *frame,
                             rung_span packet, size_t *needed);

/** Waits until the pixels may be read. Results: OK, TIMEOUT, IO, UNSUPPORTED. */
rung_result rung__run_begin_reading(const struct rung_context *context, struct rung__lane *lane);

/** The frame's pixels are read no more. To be called behind all steps, also after a failure. */
void rung__run_end_reading(struct rung__lane *lane);

/** The header of a packet that holds no targets, without its counts and sizes. */
rung_packet_header rung__run_header(const struct rung_context *context, const struct rung__run *run,
                                    rung_space space);

/** What ran, for the caller. */
rung_run_info rung__run_describe(const struct rung_context *context, const struct rung__run *run);

/** All steps of one frame, in a context that is in use by the caller. */
rung_result rung__run_steps(struct rung_context *context, const struct rung__answer *answer,
                            const rung_frame *frame, rung_span packet, size_t *needed);

/** The same as the public functions do it, on the calling thread. */
rung_result rung__run_frame(rung_context *context, const struct rung__answer *answer,
                            const rung_frame *frame, rung_span packet, size_t *needed,
                            rung_run_info *info);

#endif
