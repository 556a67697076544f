/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_CONTEXT_H
#define RUNG__SESSION_CONTEXT_H

#include <rung/context.h>

#include "session/model.h"

/** Everything that one run needs, allocated when the context is made. */
struct rung_context {
    struct rung_model *model;
    struct rung__serving *serving; /**< of the model, for as long as it lives */
    void *running;                 /**< the provider's context */
    struct rung__model_memory memory;
    struct rung__selection selection; /**< the artifact's, or as overridden */
    bool overridden;
    struct rung__mask_form mask;       /**< of a segmenter */
    float *widened[RUNG__OUTPUTS_MAX]; /**< f32 copies of outputs of other types, by report order */
    struct rung__decode_request request; /**< all but the mapping is fixed */
    struct rung__decoded decoded;
    struct rung__selected selected;
    void *select_workspace;
    void *preprocess_workspace;
    uint64_t preprocess_workspace_bytes;
};

/** Grows the workspace of preprocessing when this placement needs more. Results: OK, NO_MEMORY. */
rung_result rung__context_reserve(struct rung_context *context,
                                  const struct rung__placement *placement);

#endif
