/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_INSTANCE_H
#define RUNG__SESSION_INSTANCE_H

#include <stdatomic.h>

#include <rung/instance.h>

#include "artifact/trust.h"
#include "base/environment.h"
#include "base/thread.h"
#include "runtime/ort/ort.h"
#include "runtime/search.h"

/** What became of one candidate, for explain. */
struct rung__runtime_outcome {
    rung_result result;
    char *reason; /**< NULL when it was loaded, or not tried */
    bool tried;
};

struct rung_instance {
    uint32_t flags;
    struct rung__log log;
    struct rung__environment environment;
    struct rung__trust trust;
    char *cache;              /**< the user's own cache folder, or NULL */
    char *runtime_path;       /**< the application's list, or NULL */
    struct rung__mutex mutex; /**< guards what is below */
    bool searched;
    struct rung__runtime_candidates candidates;
    struct rung__runtime_outcome *outcomes; /**< one for each candidate */
    const struct rung__ort *ort;            /**< NULL: none could be loaded */
};

/**
 * Finds and loads the runtime, once. Results: OK, UNSUPPORTED (with what was tried and why not),
 * NO_MEMORY. Safe from any thread.
 */
rung_result rung__instance_load_runtime(struct rung_instance *instance,
                                        const struct rung__ort **out);

/** A text of the two-call form: copies it with its zero. Results: OK, CAPACITY. */
rung_result rung__text_give(const char *text, rung_span to, size_t *needed);

#endif
