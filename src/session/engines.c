/* SPDX-License-Identifier: Apache-2.0 */
#include "session/engines.h"

#include <stdlib.h>

#include "base/error.h"
#include "ladder/engine_failure.h"
#include "session/recall.h"

struct rung__engine_store rung__instance_engines(const struct rung_instance *instance)
{
    return (struct rung__engine_store){instance->cache, instance->engine_bytes};
}

void rung__instance_tell_cache(struct rung_instance *instance)
{
    if (!atomic_exchange(&instance->told_of_cache, true))
        rung__log_write(&instance->log, RUNG_LOG_WARNING, "no engine is kept: %s",
                        rung_last_error());
}

rung_result rung__instance_engine_key(struct rung_instance *instance, const struct rung__rung *rung,
                                      const struct rung__artifact *artifact,
                                      struct rung__engine_key *out)
{
    char *fingerprint = NULL;
    rung_result result =
        rung__instance_fingerprint(instance, RUNG__FINGERPRINT_ENGINES, &fingerprint);
    if (result == RUNG_OK)
        result = rung__engine_key_make(rung, &artifact->view.header, artifact->digest_text,
                                       fingerprint, out);
    free(fingerprint);
    return result;
}

/** What is to be said of one that is not there. */
static rung_result refuse(const struct rung_instance *instance, const struct rung__engine_key *key)
{
    char reason[RUNG__OUTCOME_REASON];
    if (rung__engine_failure_find(instance->state, key, reason))
        return rung__fail(RUNG_UNSUPPORTED, "its engine could not be built: %s", reason);
    return rung__fail(RUNG_NOT_FOUND, "its engine is not built yet (rung engines build)");
}

rung_result rung__engine_take(struct rung_instance *instance, const struct rung__engine_key *key,
                              struct rung__engine_use *out)
{
    *out = (struct rung__engine_use){0};
    if (!instance->cache)
        return rung__fail(RUNG_NOT_FOUND, "this user has no folder for its engine (HOME)");
    const struct rung__engine_store store = rung__instance_engines(instance);
    const rung_result result = rung__engine_use(&store, key, out);
    if (result == RUNG_OK || result == RUNG_NO_MEMORY)
        return result;
    if (result == RUNG_INTEGRITY)
        rung__log_write(&instance->log, RUNG_LOG_WARNING, "a damaged engine is not used: %s",
                        rung_last_error());
    else if (result != RUNG_NOT_FOUND)
        rung__instance_tell_cache(instance);
    return refuse(instance, key);
}

rung_result rung__engine_ready(struct rung_instance *instance, const struct rung__rung *rung,
                               const struct rung__artifact *artifact, struct rung__engine_use *out)
{
    struct rung__engine_key key;
    *out = (struct rung__engine_use){0};
    if (!rung->compiling)
        return RUNG_OK;
    const rung_result result = rung__instance_engine_key(instance, rung, artifact, &key);
    return result == RUNG_OK ? rung__engine_take(instance, &key, out) : result;
}

bool rung__engine_is_built(struct rung_instance *instance, const struct rung__rung *rung,
                           const struct rung__artifact *artifact)
{
    struct rung__engine_key key;
    if (!instance->cache || rung__instance_engine_key(instance, rung, artifact, &key) != RUNG_OK)
        return false;
    const struct rung__engine_store store = rung__instance_engines(instance);
    return rung__engine_exists(&store, &key);
}
