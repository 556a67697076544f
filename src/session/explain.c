/* SPDX-License-Identifier: Apache-2.0 */
/* Why things are as they are, as JSON. */
#include <rung/instance.h>

#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "session/device.h"
#include "session/standing.h"

#define REASON_BYTES RUNG__STANDING_REASON

static json_t *explain_candidate(const struct rung__instance_runtime *own, size_t index,
                                 bool *failed)
{
    const struct rung__runtime_candidate *candidate = &own->candidates.items[index];
    const struct rung__runtime_outcome *outcome = &own->outcomes[index];
    const char *state = !outcome->tried              ? "not tried"
                        : outcome->result == RUNG_OK ? "loaded"
                                                     : "refused";
    json_t *object =
        json_pack("{s:s,s:s,s:s,s:s}", "runtime", own->candidates.runtime->name, "path",
                  candidate->path, "origin", candidate->origin, "state", state);
    if (outcome->reason)
        rung__json_set(object, "reason", json_string(outcome->reason), failed);
    return object;
}

/** A runtime that is loaded. */
static json_t *explain_runtime(const struct rung__runtime *runtime, bool *failed)
{
    struct rung__runtime_description loaded = {0};
    (void)runtime->describe(&loaded);
    json_t *object = json_pack("{s:s,s:s,s:s,s:s}", "name", runtime->name, "text", runtime->text,
                               "version", loaded.version, "path", loaded.path);
    if (!loaded.api)
        return object;
    json_t *providers = json_array();
    for (uint32_t i = 0; i < loaded.provider_count; i++)
        rung__json_append(providers, json_string(loaded.providers[i]), failed);
    rung__json_set(object, "api", json_integer(loaded.api), failed);
    rung__json_set(object, "providers", providers, failed);
    return object;
}

static json_t *explain_options(const struct rung__rung_option *options, bool *failed)
{
    json_t *object = json_object();
    for (; options->name; options++)
        rung__json_set(object, options->name, json_string(options->value), failed);
    return object;
}

/** What the table says of a rung, and how it stands. */
static json_t *explain_rung(const struct rung__rung *rung, const struct rung__standing *standing,
                            bool *failed)
{
    json_t *object =
        json_pack("{s:s,s:s?,s:s,s:s,s:s,s:s?,s:s?,s:s?,s:s,s:s,s:b}", "id", rung->id, "provider",
                  rung->provider ? rung->provider->name : NULL, "outcome", standing->outcome,
                  "reason", standing->reason, "text", rung->text, "executed_by", rung->executed_by,
                  "device", rung->device, "fallback", rung->fallback, "model_form",
                  rung->model_form, "precision", rung->precision, "compiling", rung->compiling);
    rung__json_set(object, "session", explain_options(rung->session, failed), failed);
    rung__json_set(object, "options", explain_options(rung->options, failed), failed);
    return object;
}

static json_t *explain_candidates(const struct rung_instance *instance, bool *failed)
{
    json_t *list = json_array();
    for (size_t r = 0; r < RUNG__RUNTIMES; r++)
        for (size_t i = 0; i < instance->runtimes[r].candidates.count; i++)
            rung__json_append(list, explain_candidate(&instance->runtimes[r], i, failed), failed);
    return list;
}

static json_t *explain_runtimes(const struct rung_instance *instance, bool *failed)
{
    json_t *list = json_array();
    for (size_t r = 0; r < RUNG__RUNTIMES; r++)
        if (instance->runtimes[r].loaded)
            rung__json_append(list, explain_runtime(&rung__runtimes[r], failed), failed);
    return list;
}

/** Why the chosen rung, or none: what is above it and can not serve is the reason. */
static void explain_choice(char to[REASON_BYTES], const struct rung__rung *chosen,
                           const struct rung__rung *above, const struct rung__standing *standing)
{
    if (!chosen)
        (void)rung__text_format(to, REASON_BYTES, "no rung can run: no runtime could be loaded");
    else if (!above)
        (void)rung__text_format(
            to, REASON_BYTES,
            "the best rung that this version can run; nothing was probed on this device");
    else
        (void)rung__text_format(to, REASON_BYTES,
                                "the next one down (%s: %s); nothing was probed on this device",
                                above->id, standing->reason);
}

static rung_result explain(struct rung_instance *instance, json_t **out)
{
    const struct rung__rung *chosen = NULL, *above = NULL;
    struct rung__standing standing, of_above = {0};
    char why[REASON_BYTES];
    bool failed = false;
    json_t *rungs = json_array();
    for (uint32_t i = 0; i < rung__rung_count; i++) {
        const struct rung__rung *rung = &rung__rungs[i];
        rung_result result = rung__rung_stand(instance, rung, &standing);
        if (result != RUNG_OK) {
            json_decref(rungs);
            return result;
        }
        rung__json_append(rungs, explain_rung(rung, &standing, &failed), &failed);
        if (!chosen && standing.can_serve)
            chosen = rung;
        else if (!chosen && rung->automatic && rung->provider) {
            above = rung;
            of_above = standing;
        }
    }
    explain_choice(why, chosen, above, &of_above);
    *out = json_pack("{s:i,s:s,s:o,s:o,s:o,s:s?,s:s,s:b,s:i}", "schema", 1, "version",
                     rung_version(), "loaded", explain_runtimes(instance, &failed), "runtimes",
                     explain_candidates(instance, &failed), "rungs", rungs, "chosen",
                     chosen ? chosen->id : NULL, "why", why, "allow_unsigned",
                     (instance->flags & RUNG_INSTANCE_ALLOW_UNSIGNED) != 0, "trusted_keys",
                     (int)instance->trust.count);
    rung_result described = *out ? rung__explain_device(instance, *out, &failed) : RUNG_NO_MEMORY;
    if (described == RUNG_OK && !failed)
        return RUNG_OK;
    json_decref(*out);
    *out = NULL;
    return rung__fail(RUNG_NO_MEMORY, "no memory to explain");
}

rung_result rung_instance_explain(rung_instance *instance, rung_span to, size_t *needed)
{
    json_t *json = NULL;
    if (!instance || (!to.data && to.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_instance_explain: an argument is NULL");
    /* That no runtime loads is part of the answer. */
    rung_result result = explain(instance, &json);
    if (result != RUNG_OK)
        return result;
    result = rung__json_write(json, to, needed);
    json_decref(json);
    return result;
}
