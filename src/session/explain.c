/* SPDX-License-Identifier: Apache-2.0 */
/* Why things are as they are, as JSON. */
#include <rung/instance.h>

#include "base/error.h"
#include "base/json.h"
#include "provider/provider.h"
#include "session/instance.h"

static json_t *explain_candidate(const struct rung_instance *instance, size_t index)
{
    const struct rung__runtime_candidate *candidate = &instance->candidates.items[index];
    const struct rung__runtime_outcome *outcome = &instance->outcomes[index];
    const char *state = !outcome->tried              ? "not tried"
                        : outcome->result == RUNG_OK ? "loaded"
                                                     : "refused";
    json_t *object = json_pack("{s:s,s:s,s:s}", "path", candidate->path, "origin",
                               candidate->origin, "state", state);
    if (object && outcome->reason)
        json_object_set_new(object, "reason", json_string(outcome->reason));
    return object;
}

static json_t *explain_runtime(const struct rung__ort *ort)
{
    json_t *providers = json_array();
    for (uint32_t i = 0; i < ort->provider_count; i++)
        json_array_append_new(providers, json_string(ort->providers[i]));
    return json_pack("{s:s,s:s,s:s,s:i,s:o}", "name", "onnxruntime", "version", ort->version,
                     "path", ort->path, "api", (int)ort->api, "providers", providers);
}

static json_t *explain_rung(const struct rung_instance *instance, const struct rung__rung *rung)
{
    const char *reason = rung->text;
    const char *outcome = "available";
    if (rung->provider == &rung__provider_ort && !instance->ort) {
        outcome = "absent";
        reason = "no ONNX Runtime could be loaded";
    } else if (!rung->automatic)
        outcome = "by name only";
    return json_pack("{s:s,s:s,s:s,s:s}", "id", rung->id, "provider", rung->provider->name,
                     "outcome", outcome, "reason", reason);
}

/** The rung that a model without wishes of its own gets, or NULL. */
static const struct rung__rung *chosen(const struct rung_instance *instance)
{
    for (uint32_t i = 0; i < rung__rung_count; i++)
        if (rung__rungs[i].automatic &&
            (rung__rungs[i].provider != &rung__provider_ort || instance->ort))
            return &rung__rungs[i];
    return NULL;
}

static json_t *explain(const struct rung_instance *instance)
{
    json_t *candidates = json_array(), *rungs = json_array();
    for (size_t i = 0; i < instance->candidates.count; i++)
        json_array_append_new(candidates, explain_candidate(instance, i));
    for (uint32_t i = 0; i < rung__rung_count; i++)
        json_array_append_new(rungs, explain_rung(instance, &rung__rungs[i]));
    const struct rung__rung *best = chosen(instance);
    return json_pack("{s:i,s:s,s:o*,s:o,s:o,s:s?,s:s,s:b,s:i}", "schema", 1, "version",
                     rung_version(), "runtime",
                     instance->ort ? explain_runtime(instance->ort) : NULL, "runtimes", candidates,
                     "rungs", rungs, "chosen", best ? best->id : NULL, "why",
                     best ? "the best rung of this version; nothing was probed on this device"
                          : "no rung can run: no ONNX Runtime could be loaded",
                     "allow_unsigned", (instance->flags & RUNG_INSTANCE_ALLOW_UNSIGNED) != 0,
                     "trusted_keys", (int)instance->trust.count);
}

rung_result rung_instance_explain(rung_instance *instance, rung_span to, size_t *needed)
{
    const struct rung__ort *ort;
    if (!instance || (!to.data && to.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_instance_explain: an argument is NULL");
    /* That no runtime loads is part of the answer. */
    rung_result result = rung__instance_load_runtime(instance, &ort);
    if (result != RUNG_OK && result != RUNG_UNSUPPORTED)
        return result;
    json_t *json = explain(instance);
    if (!json)
        return rung__fail(RUNG_NO_MEMORY, "no memory to explain");
    result = rung__json_write(json, to, needed);
    json_decref(json);
    return result;
}
