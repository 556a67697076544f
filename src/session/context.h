/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_CONTEXT_H
#define RUNG__SESSION_CONTEXT_H

#include <rung/context.h>

#include "artifact/heads.h"
#include "session/epochs.h"
#include "session/lane.h"
#include "session/metrics.h"
#include "session/model.h"
#include "session/rebuild.h"
#include "session/stages.h"
#include "session/use.h"
#include "stage/buffer/buffer.h"
#include "stage/set.h"

struct rung__tickets;

/** Everything that one run needs, allocated when the context is made. */
struct rung_context {
    struct rung_model *model;
    rung_context_options options;     /**< with copies of its texts */
    struct rung__selection selection; /**< the artifact's, or as overridden */
    bool overridden;
    uint32_t fence_ms;    /**< that the fence of a frame is waited for */
    struct rung__use use; /**< by whoever reads or writes what follows, to `lane_count` */
    struct rung__serving
        *serving;                /**< of the model; NULL: the device is lost, and no other serves */
    struct rung__mask_form mask; /**< of a segmenter */
    struct rung__staging staging; /**< which the stages point into */
    struct rung__stage_set stages;
    uint64_t generation; /**< of the last tensor that was made */
    struct rung__lane lanes[RUNG__BUFFER_SLOTS];
    uint32_t lane_count;
    struct rung__loss loss;
    struct rung__epochs epochs;
    struct rung__tickets *tickets; /**< NULL: it takes none */
    struct rung__metrics metrics;
};

/** Stages that are given: what validating has in place of the library's own and of what holds. */
struct rung__context_stages {
    const struct rung__catalog *catalog;
    const struct rung__plan *plan;
};

/** rung_context_create; `given` NULL: those of the library, by the plan that holds. */
rung_result rung__context_create(rung_model *model, const rung_context_options *options,
                                 const struct rung__context_stages *given, rung_context **out);

/**
 * To be called before anything that uses the place of a context, whose end is rung__context_leave.
 * Results: OK, BUSY (it is used), DEVICE_LOST (until it is rebuilt, which may be here).
 */
rung_result rung__context_enter(rung_context *context);
void rung__context_leave(rung_context *context);

#endif
