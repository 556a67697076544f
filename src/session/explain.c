/* SPDX-License-Identifier: Apache-2.0 */
/* Why things are as they are, as JSON. */
#include <rung/instance.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "ladder/pins.h"
#include "session/device.h"
#include "session/recall.h"
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

static json_t *explain_options(const struct rung__option *options, bool *failed)
{
    json_t *object = json_object();
    for (; options->name; options++)
        rung__json_set(object, options->name, json_string(options->value), failed);
    return object;
}

/** What a probe found a rung to be that can run here still; NULL: nothing. */
static const struct rung__outcome *probed_outcome(const struct rung__recall *recall,
                                                  const struct rung__rung *rung,
                                                  const struct rung__standing *standing)
{
    if (!recall->verdict || !standing->can_run)
        return NULL;
    return rung__verdict_of(recall->verdict, rung->id);
}

static json_t *explain_figures(const struct rung__outcome *outcome)
{
    return json_pack("{s:i,s:f,s:f,s:f,s:I}", "runs", (int)outcome->runs, "build_ms",
                     (double)outcome->build_ns / 1e6, "first_ms", (double)outcome->first_ns / 1e6,
                     "median_ms", (double)outcome->median_ns / 1e6, "peak_bytes",
                     (json_int_t)outcome->peak_bytes);
}

/** What the table says of a rung, and how it stands. */
static json_t *explain_rung(const struct rung__rung *rung, const struct rung__standing *standing,
                            const struct rung__outcome *probed, bool *failed)
{
    const char *outcome =
        probed ? rung__name_text(&rung__outcome_names, probed->kind) : standing->outcome;
    json_t *object =
        json_pack("{s:s,s:s?,s:s,s:s,s:s,s:s?,s:s?,s:s?,s:s,s:s,s:b}", "id", rung->id, "provider",
                  rung->provider ? rung->provider->name : NULL, "outcome", outcome, "reason",
                  probed ? probed->reason : standing->reason, "text", rung->text, "executed_by",
                  rung->executed_by, "device", rung->device, "fallback", rung->fallback,
                  "model_form", rung__forms_text(rung->forms), "precision",
                  rung__precision_text(rung->precision), "compiling", rung->compiling);
    if (probed && probed->runs)
        rung__json_set(object, "probe", explain_figures(probed), failed);
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

/** All that an explanation is made of. */
struct explanation {
    struct rung__recall recall;
    struct rung__hardware *hardware;
    json_t *rungs;
    const struct rung__rung *chosen, *above; /**< `above`: the last that can not serve */
    struct rung__standing of_above;
    char why[REASON_BYTES];
    bool failed; /**< memory was missing */
};

/** Why the chosen rung, or none: a probe, or what is above it and can not serve. */
static void explain_choice(struct explanation *made, bool proven)
{
    const struct rung__recall *recall = &made->recall;
    const char *probed = recall->changed ? "what was probed has changed, rung probe measures again"
                                         : "nothing was probed on this device";
    if (!made->chosen)
        (void)rung__text_format(made->why, REASON_BYTES,
                                "no rung can run: no runtime could be loaded");
    else if (proven)
        (void)rung__text_format(made->why, REASON_BYTES,
                                "chosen by a probe of %s on this device: %s", recall->verdict->name,
                                rung__verdict_of(recall->verdict, made->chosen->id)->reason);
    else if (!made->above)
        (void)rung__text_format(made->why, REASON_BYTES,
                                "the best rung that this version can run; %s", probed);
    else
        (void)rung__text_format(made->why, REASON_BYTES, "the next one down (%s: %s); %s",
                                made->above->id, made->of_above.reason, probed);
}

static rung_result explain_rungs(struct rung_instance *instance, struct explanation *made)
{
    const struct rung__rung *proven = rung__recall_rung(&made->recall);
    bool proven_can_serve = false;
    struct rung__standing standing;
    for (uint32_t i = 0; i < rung__rung_count; i++) {
        const struct rung__rung *rung = &rung__rungs[i];
        rung_result result = rung__rung_stand(instance, made->hardware, rung, &standing);
        if (result != RUNG_OK)
            return result;
        const struct rung__outcome *probed = probed_outcome(&made->recall, rung, &standing);
        rung__json_append(made->rungs, explain_rung(rung, &standing, probed, &made->failed),
                          &made->failed);
        proven_can_serve = proven_can_serve || (rung == proven && standing.can_run);
        if (!made->chosen && standing.can_serve)
            made->chosen = rung;
        else if (!made->chosen && rung->automatic && rung->floor) {
            made->above = rung;
            made->of_above = standing;
        }
    }
    if (proven_can_serve)
        made->chosen = proven;
    explain_choice(made, proven_can_serve);
    return RUNG_OK;
}

/** Which verdict holds; null without one. */
static json_t *explain_verdict(const struct rung__recall *recall)
{
    if (!recall->verdict)
        return json_null();
    return json_pack("{s:s,s:s,s:i}", "name", recall->verdict->name, "model",
                     recall->verdict->model, "threads", (int)recall->verdict->threads);
}

static rung_result explain(struct rung_instance *instance, struct explanation *made, json_t **out)
{
    made->rungs = json_array();
    rung_result result = rung__instance_recall(instance, NULL, &made->recall);
    if (result == RUNG_OK)
        result = rung__instance_hardware(instance, &made->hardware);
    if (result == RUNG_OK)
        result = explain_rungs(instance, made);
    if (result != RUNG_OK) {
        json_decref(made->rungs);
        return result;
    }
    *out = json_pack("{s:i,s:s,s:o,s:o,s:o,s:s?,s:s,s:o,s:b,s:b,s:i}", "schema", 1, "version",
                     rung_version(), "loaded", explain_runtimes(instance, &made->failed),
                     "runtimes", explain_candidates(instance, &made->failed), "rungs", made->rungs,
                     "chosen", made->chosen ? made->chosen->id : NULL, "why", made->why, "verdict",
                     explain_verdict(&made->recall), "verdict_outdated", made->recall.changed,
                     "allow_unsigned", (instance->flags & RUNG_INSTANCE_ALLOW_UNSIGNED) != 0,
                     "trusted_keys", (int)instance->trust.count);
    result = *out ? rung__explain_device(instance, *out, &made->failed) : RUNG_NO_MEMORY;
    if (result == RUNG_OK && !made->failed)
        return RUNG_OK;
    json_decref(*out);
    *out = NULL;
    return rung__fail(RUNG_NO_MEMORY, "no memory to explain");
}

rung_result rung_instance_explain(rung_instance *instance, rung_span to, size_t *needed)
{
    json_t *json = NULL;
    struct explanation made = {0};
    if (!instance || (!to.data && to.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_instance_explain: an argument is NULL");
    /* That no runtime loads is part of the answer. */
    rung_result result = explain(instance, &made, &json);
    rung__recall_finish(&made.recall);
    free(made.hardware);
    if (result != RUNG_OK)
        return result;
    result = rung__json_write(json, to, needed);
    json_decref(json);
    return result;
}
