/* SPDX-License-Identifier: Apache-2.0 */
#include "session/runtimes.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "session/instance.h"

void rung__instance_runtime_finish(struct rung__instance_runtime *own)
{
    for (size_t i = 0; own->outcomes && i < own->candidates.count; i++)
        free(own->outcomes[i].reason);
    free(own->outcomes);
    rung__runtime_candidates_finish(&own->candidates);
}

struct rung__runtime_places rung__instance_places(const struct rung_instance *instance)
{
    return (struct rung__runtime_places){
        .only = instance->environment.runtime,
        .option = instance->runtime_path,
        .environment = instance->environment.runtime_path,
        .library = instance->library,
    };
}

/** Tries the candidates in order until one loads. Missing ones are no news. */
static rung_result try_candidates(struct rung_instance *instance,
                                  const struct rung__runtime *runtime,
                                  struct rung__instance_runtime *own)
{
    const struct rung__runtime_places places = rung__instance_places(instance);
    rung_result result = rung__runtime_search(runtime, &places, &own->candidates);
    if (result != RUNG_OK)
        return result;
    own->outcomes = calloc(own->candidates.count + 1, sizeof *own->outcomes);
    if (!own->outcomes) {
        rung__runtime_candidates_finish(&own->candidates);
        return rung__fail(RUNG_NO_MEMORY, "no memory to look for a runtime");
    }
    for (size_t i = 0; i < own->candidates.count && !own->loaded; i++) {
        struct rung__runtime_outcome *outcome = &own->outcomes[i];
        outcome->tried = true;
        outcome->result = runtime->open(own->candidates.items[i].path);
        own->loaded = outcome->result == RUNG_OK;
        if (!own->loaded)
            outcome->reason = rung__text_new("%s", rung_last_error());
    }
    /* Where none loads the error says it all. */
    for (size_t i = 0; own->loaded && i < own->candidates.count; i++)
        if (own->outcomes[i].reason && own->outcomes[i].result != RUNG_NOT_FOUND)
            rung__log_write(&instance->log, RUNG_LOG_WARNING, "runtime passed over: %s",
                            own->outcomes[i].reason);
    return RUNG_OK;
}

/** The reason that says most: of the first candidate that is there but does not load. */
static const char *first_reason(const struct rung_instance *instance,
                                const struct rung__runtime *runtime,
                                const struct rung__instance_runtime *own)
{
    for (size_t i = 0; i < own->candidates.count; i++)
        if (own->outcomes[i].reason && own->outcomes[i].result != RUNG_NOT_FOUND)
            return own->outcomes[i].reason;
    return instance->environment.runtime && runtime->by_name
               ? "the file that RUNG_RUNTIME names is missing"
               : "none is installed";
}

rung_result rung__instance_load_runtime(struct rung_instance *instance,
                                        const struct rung__runtime *runtime)
{
    struct rung__instance_runtime *own = &instance->runtimes[runtime - rung__runtimes];
    rung_result result = RUNG_OK;
    rung__mutex_lock(&instance->mutex);
    if (!own->searched) {
        result = try_candidates(instance, runtime, own);
        own->searched = result == RUNG_OK;
    }
    if (result == RUNG_OK && !own->loaded)
        result = rung__fail(RUNG_UNSUPPORTED,
                            "no %s could be loaded: %s (scripts/fetch-runtimes brings %s)",
                            runtime->text, first_reason(instance, runtime, own), runtime->name);
    rung__mutex_unlock(&instance->mutex);
    return result;
}
