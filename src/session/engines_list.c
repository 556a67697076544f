/* SPDX-License-Identifier: Apache-2.0 */
/* What is there of engines, and what could not be built. */
#include <rung/engines.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "ladder/engine_failure.h"
#include "session/engines.h"
#include "session/recall.h"

#define SECOND INT64_C(1000000000) /* in ns */

/** Who is told. */
struct telling {
    rung_engine_callback callback;
    void *user;
    char fingerprint[2 * RUNG__SHA256_BYTES + 1]; /**< the digest of that of this machine */
};

static const char *state_of(const struct telling *telling, const struct rung__engine_entry *entry)
{
    if (entry->result != RUNG_OK)
        return entry->result == RUNG_INTEGRITY ? "damaged" : "unreadable";
    const bool current = strcmp(telling->fingerprint, entry->record->key.fingerprint) == 0;
    return current ? "current" : "outdated";
}

static rung_engine describe(const struct rung__engine_key *key)
{
    return (rung_engine){
        .struct_size = sizeof(rung_engine),
        .version = RUNG_STRUCT_VERSION,
        .reason = "",
        .name = key->name,
        .model = key->model,
        .rung = key->rung,
        .precision = key->precision,
        .artifact = key->artifact,
    };
}

static void tell_engine(void *user, const struct rung__engine_entry *entry)
{
    const struct telling *telling = user;
    const struct rung__engine_record *record = entry->record;
    rung_engine engine = describe(&record->key);
    engine.state = state_of(telling, entry);
    engine.name = entry->name;
    engine.result = entry->result;
    engine.reason = entry->reason;
    engine.bytes = record->bytes;
    engine.files = record->count;
    engine.built_s = (int64_t)record->built;
    engine.used_s = entry->used_ns / SECOND;
    telling->callback(telling->user, &engine);
}

static void tell_failure(void *user, const struct rung__engine_key *key, const char *reason)
{
    const struct telling *telling = user;
    rung_engine engine = describe(key);
    engine.state = "unbuilt";
    engine.result = RUNG_BACKEND;
    engine.reason = reason;
    telling->callback(telling->user, &engine);
}

static rung_result begin(rung_instance *instance, rung_engine_callback callback, void *user,
                         const char *function, struct telling *out)
{
    char *fingerprint = NULL;
    uint8_t digest[RUNG__SHA256_BYTES];
    if (!instance || !callback)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: an argument is NULL", function);
    *out = (struct telling){.callback = callback, .user = user};
    rung_result result =
        rung__instance_fingerprint(instance, RUNG__FINGERPRINT_ENGINES, &fingerprint);
    if (result == RUNG_OK)
        result = rung__sha256_of(fingerprint, strlen(fingerprint), digest);
    if (result == RUNG_OK)
        rung__text_hex(out->fingerprint, digest, sizeof digest);
    free(fingerprint);
    return result;
}

static rung_result list(rung_instance *instance, enum rung__engine_care care,
                        struct telling *telling)
{
    const struct rung__engine_store store = rung__instance_engines(instance);
    return store.cache ? rung__engine_list(&store, care, tell_engine, telling) : RUNG_OK;
}

rung_result rung_engines_list(rung_instance *instance, rung_engine_callback callback, void *user)
{
    struct telling telling;
    rung_result result = begin(instance, callback, user, "rung_engines_list", &telling);
    if (result == RUNG_OK)
        result = list(instance, RUNG__ENGINES_LOOK, &telling);
    if (result == RUNG_OK)
        result = rung__engine_failure_list(instance->state, tell_failure, &telling);
    return result;
}

rung_result rung_engines_verify(rung_instance *instance, rung_engine_callback callback, void *user)
{
    struct telling telling;
    rung_result result = begin(instance, callback, user, "rung_engines_verify", &telling);
    return result == RUNG_OK ? list(instance, RUNG__ENGINES_VERIFY, &telling) : result;
}

rung_result rung_engines_clear(rung_instance *instance, uint32_t *count, uint64_t *bytes)
{
    uint32_t gone = 0;
    uint64_t freed = 0;
    if (!instance)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_engines_clear: instance is NULL");
    const struct rung__engine_store store = rung__instance_engines(instance);
    rung_result result = store.cache ? rung__engine_clear(&store, &gone, &freed) : RUNG_OK;
    if (result == RUNG_OK)
        result = rung__engine_failure_clear(instance->state);
    if (count)
        *count = gone;
    if (bytes)
        *bytes = freed;
    return result;
}
