/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_RUNTIMES_H
#define RUNG__SESSION_RUNTIMES_H

#include <rung/instance.h>

#include "runtime/search.h"

/** What became of one candidate, for explain. */
struct rung__runtime_outcome {
    rung_result result;
    char *reason; /**< NULL when it was loaded, or not tried */
    bool tried;
};

/** What an instance knows of one runtime. */
struct rung__instance_runtime {
    bool searched, loaded;
    struct rung__runtime_candidates candidates;
    struct rung__runtime_outcome *outcomes; /**< one for each candidate */
};

/** Where an instance looks for runtimes. */
struct rung__runtime_places rung__instance_places(const struct rung_instance *instance);

void rung__instance_runtime_finish(struct rung__instance_runtime *own);

/**
 * Finds and loads a runtime, once. Results: OK, UNSUPPORTED (with what was tried and why not),
 * NO_MEMORY. Safe from any thread.
 */
rung_result rung__instance_load_runtime(struct rung_instance *instance,
                                        const struct rung__runtime *runtime);

#endif
