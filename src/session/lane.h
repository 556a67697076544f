/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_LANE_H
#define RUNG__SESSION_LANE_H

#include "base/error.h"
#include "kernel/decode.h"
#include "kernel/preprocess.h"
#include "kernel/select.h"
#include "session/frame.h"
#include "session/serving.h"
#include "stage/readiness.h"
#include "stage/set.h"

struct rung_context;

/** One frame on its way through a context. */
struct rung__run {
    rung_frame frame;
    struct rung__surface surface;
    struct rung__placement placement;
    struct rung__mapping mapping;
    uint32_t mapped_width, mapped_height; /**< of the surface that it and the placement are for */
    bool reading;                         /**< rung__frame_end_read is due */
    void *tensor;                         /**< where it is made */
    uint64_t generation;                  /**< of the tensor, 1 for the first */
    uint64_t preprocess_ns;               /**< that it took */
    uint64_t run_ns;                      /**< likewise */
    uint64_t started, answered, finished; /**< rung__clock_now */
    uint64_t prepared; /**< likewise; or when it came to the thread that runs it */
};

/** Where one frame at a time is worked on: the provider's context and all memory of a frame. */
struct rung__lane {
    struct rung__model_memory memory;
    void *running;                       /**< the provider's context */
    float *widened[RUNG__OUTPUTS_MAX];   /**< f32 copies of outputs of other types */
    uint64_t widened_bytes;              /**< of all those */
    uint64_t entered_bytes;              /**< in the context's ledger */
    struct rung__decode_request request; /**< all but the mapping is fixed */
    struct rung__decoded decoded;
    struct rung__selected selected;
    struct rung__stage_begun buffer;  /**< that its tensor is in */
    struct rung__readiness readiness; /**< of its tensor */
    struct rung__run run;             /**< the frame that is in it */
};

/** Allocates all that a frame needs. Results: those of the provider's create_context. End with
 * rung__lane_finish, also after a failure. */
rung_result rung__lane_init(struct rung__lane *lane, const struct rung_context *context);
void rung__lane_finish(struct rung__lane *lane, const struct rung_context *context);

/** Outputs of other types become f32, exactly. */
void rung__lane_widen(struct rung__lane *lane, const struct rung_context *context);

#endif
