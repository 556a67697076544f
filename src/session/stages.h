/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_STAGES_H
#define RUNG__SESSION_STAGES_H

#include <rung/plan.h>

#include "session/model.h"
#include "stage/registry.h"

/* A context's stages: whose plan it is, where it runs, and what is proven there. */

/** For what stages are resolved. */
struct rung__stage_environment {
    const struct rung_instance *instance;
    const struct rung_model *model;      /**< NULL: any */
    const struct rung__serving *serving; /**< NULL: any */
    const struct rung__selection *selection;
    bool in_series;
    const char *plan; /**< of the application, JSON; NULL: the environment's, else auto */
    const struct rung__plan *fixed; /**< in place of either, the workers being the environment's */
};

/** The plan and where it is to hold, as resolved by rung__registry_resolve. */
struct rung__staging {
    struct rung__plan plan;
    struct rung__stage_context context;
    struct rung__records records;
    char device_id[RUNG__CPU_MODEL_BYTES];
    char model[RUNG__RUNG_ID_BYTES + 2 * RUNG__SHA256_BYTES + 32];
};

/**
 * Finds out all that resolving needs. Records that cannot be read are as good as none, and the log
 * says why. Results: OK, INVALID_ARGUMENT (a plan or a variable that is none), NO_MEMORY. End with
 * rung__staging_finish, also after a failure; it must stay where it is.
 */
rung_result rung__staging_init(struct rung__staging *staging,
                               const struct rung__stage_environment *of);
void rung__staging_finish(struct rung__staging *staging);

#endif
