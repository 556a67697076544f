/* SPDX-License-Identifier: Apache-2.0 */
/* Which rung serves a model. */
#include <stdlib.h>
#include <string.h>

#include "artifact/names.h"
#include "base/error.h"
#include "base/text.h"
#include "hardware/cpus.h"
#include "ladder/pins.h"
#include "session/engines.h"
#include "session/model.h"
#include "session/override.h"
#include "session/own_device.h"
#include "session/recall.h"

#define REASON_BYTES 256

static const char nothing_probed[] = "nothing was probed on this device";
static const char probe_outdated[] =
    "what was probed on this device has changed, and rung probe measures again";

static bool may_serve(const struct rung_model *model, const struct rung__rung *rung,
                      char reason[REASON_BYTES])
{
    const struct rung__artifact_view *view = &model->artifact.view;
    return model->any_precision ? rung__rung_takes(rung, &view->header, reason, REASON_BYTES)
                                : rung__rung_serves(rung, view, reason, REASON_BYTES);
}

/** A process loads one ONNX Runtime: if there is none yet, one that offers what the rung needs. */
static void prefer_library(struct rung_instance *instance, const struct rung__rung *rung)
{
    const struct rung__known_library *library =
        rung->executed_by && !rung->floor
            ? rung__instance_library_of(instance, &rung__runtimes[RUNG__RUNTIME_ORT],
                                        rung->executed_by)
            : NULL;
    if (library)
        rung__instance_prefer_library(instance, library->digest);
}

static rung_result load_named(const struct rung_model *model, const char *id, const char *who,
                              struct rung__serving *serving)
{
    const struct rung__rung *rung = rung__table_find(&model->instance->table, id);
    char reason[REASON_BYTES];
    if (!rung)
        return rung__fail(RUNG_NOT_FOUND, "there is no rung \"%s\" (%s); rung explain lists them",
                          id, who);
    if (!may_serve(model, rung, reason))
        return rung__fail(RUNG_UNSUPPORTED, "%s cannot serve %s: %s", id,
                          model->artifact.view.header.name, reason);
    serving->reason = rung__text_new("named by %s", who);
    prefer_library(model->instance, rung);
    return rung__serving_load(model, rung, model->threads, RUNG__COMPILE_NOW, serving);
}

/** True for what the runtime below cannot do, or not yet (NOT_FOUND: its engine is not built); what
 * is wrong with the file is so on every rung. */
static bool next_may_do_better(rung_result result)
{
    return result == RUNG_UNSUPPORTED || result == RUNG_BACKEND || result == RUNG_NOT_FOUND;
}

/** Appends "; RUNG: the last error". NULL without memory; takes `list`, which may be NULL: empty.
 */
static char *add_refusal(char *list, const struct rung__rung *rung)
{
    char *longer = rung__text_new("%s%s%s: %s", list ? list : "", list ? "; " : "", rung->id,
                                  rung_last_error());
    free(list);
    return longer;
}

static bool is_bad(enum rung__outcome_kind kind)
{
    return kind == RUNG__OUTCOME_REFUSED || kind == RUNG__OUTCOME_FAILED ||
           kind == RUNG__OUTCOME_CRASHED || kind == RUNG__OUTCOME_TIMEOUT ||
           kind == RUNG__OUTCOME_WRONG;
}

/** A verdict of an accelerator is one of the library that it ran on. */
static bool is_elsewhere(struct rung_instance *instance, const struct rung__rung *rung,
                         const struct rung__outcome *outcome)
{
    const struct rung__known_library *loaded =
        rung->executed_by && !rung->floor && *outcome->library
            ? rung__instance_library_loaded(instance, rung->provider->runtime)
            : NULL;
    return loaded && strcmp(loaded->digest, outcome->library) != 0;
}

/** What cannot serve the model is not tried, nor what was proved of it to fail, nor what this
 * process could not run as it was proved; false, and why. */
static bool may_load(const struct rung_model *model, const struct rung__recall *recall,
                     const struct rung__rung *rung)
{
    char reason[REASON_BYTES];
    const struct rung__outcome *outcome =
        recall->verdict ? rung__verdict_of(recall->verdict, rung->id) : NULL;
    if (!may_serve(model, rung, reason))
        (void)rung__fail(RUNG_UNSUPPORTED, "%s", reason);
    else if (outcome && recall->own && is_bad(outcome->kind))
        (void)rung__fail(RUNG_UNSUPPORTED, "a probe found it to be %s: %s",
                         rung__name_text(&rung__outcome_names, outcome->kind), outcome->reason);
    else if (outcome && is_elsewhere(model->instance, rung, outcome))
        (void)rung__fail(RUNG_UNSUPPORTED,
                         "it runs on another ONNX Runtime than the one that this process has "
                         "loaded; it serves from the next start on");
    else
        return true;
    return false;
}

/** As many as a probe of this model found best on the rung, unless the caller said how many. */
static uint32_t threads_for(const struct rung_model *model, const struct rung__recall *recall,
                            const struct rung__rung *rung)
{
    const struct rung__outcome *outcome =
        recall->own && !model->threads_given ? rung__verdict_of(recall->verdict, rung->id) : NULL;
    return outcome && outcome->threads ? outcome->threads : model->threads;
}

static char *reason_of_probe(const struct rung__recall *recall, const struct rung__rung *rung)
{
    const struct rung__outcome *outcome = rung__verdict_of(recall->verdict, rung->id);
    return rung__text_new("chosen by a probe%s%s on this device: %s", recall->own ? "" : " of ",
                          recall->own ? "" : recall->verdict->name, outcome->reason);
}

/** A walk down the rungs until one serves. */
struct walk {
    const struct rung__recall *recall;
    const struct rung__rung *wanted; /**< by the user, before all others; NULL: none */
    const struct rung__rung *ends;   /**< where it ends: it serves already; NULL: none */
    struct rung__serving *serving;
    const struct rung__rung *awaits; /**< the first whose engine is not built yet; NULL: none */
    rung_result first;               /**< what the first refusal was */
    char *refusals;                  /**< NULL: none */
    bool failed; /**< one of them is a failure: no rung that the model keeps off, nor one without
                      its engine yet */
};

static void explain_choice(const struct rung_model *model, const struct walk *walk)
{
    const struct rung__recall *recall = walk->recall;
    const char *probed = recall->changed ? probe_outdated : nothing_probed;
    const struct rung__rung *proven = rung__recall_rung(recall);
    struct rung__serving *serving = walk->serving;
    if (serving->rung == walk->wanted)
        serving->reason = rung__text_new("wanted by the user (rung use)");
    else if (walk->awaits)
        serving->reason = rung__text_new("serves until the engine of %s is built (%s)",
                                         walk->awaits->id, walk->refusals);
    else if (walk->refusals)
        serving->reason = rung__text_new("the next one down (%s); %s", walk->refusals,
                                         serving->rung == proven ? "a probe chose it"
                                         : recall->verdict       ? "that is not what a probe chose"
                                                                 : probed);
    else if (proven && serving->rung == proven)
        serving->reason = reason_of_probe(recall, serving->rung);
    else
        serving->reason = rung__text_new("the best rung that serves unproven; %s", probed);
    if (walk->refusals)
        rung__log_write(&model->instance->log, walk->failed ? RUNG_LOG_WARNING : RUNG_LOG_INFO,
                        "%s runs on %s, the next rung down: %s", model->artifact.view.header.name,
                        serving->rung->id, walk->refusals);
}

/** False when the walk is over, with `*result`. */
static bool goes_on(const struct rung_model *model, struct walk *walk,
                    const struct rung__rung *rung, rung_result *result)
{
    char reason[REASON_BYTES];
    if (rung == walk->ends) {
        *result = RUNG_OK;
        return false;
    }
    *result = may_load(model, walk->recall, rung)
                  ? rung__serving_load(model, rung, threads_for(model, walk->recall, rung),
                                       RUNG__COMPILE_NEVER, walk->serving)
                  : RUNG_UNSUPPORTED;
    if (!next_may_do_better(*result))
        return false;
    const bool awaited = *result == RUNG_NOT_FOUND;
    if (walk->first == RUNG_OK)
        walk->first = awaited ? RUNG_UNSUPPORTED : *result;
    if (awaited && !walk->awaits)
        walk->awaits = rung;
    walk->refusals = add_refusal(walk->refusals, rung);
    walk->failed = walk->failed || (!awaited && may_serve(model, rung, reason));
    if (!walk->refusals)
        *result = rung__fail(RUNG_NO_MEMORY, "no memory for a model");
    return walk->refusals != NULL;
}

/** Of the floor that a verdict was measured against; UINT64_MAX: none answered. */
static uint64_t floor_ns(const struct rung__table *table, const struct rung__verdict *verdict)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct rung__outcome *outcome = rung__verdict_of(verdict, table->rungs[i].id);
        if (table->rungs[i].floor && outcome && outcome->runs && !is_bad(outcome->kind))
            return outcome->median_ns;
    }
    return UINT64_MAX;
}

/** The rungs below one that were proven to be right too, and faster than the floor; false when one
 * of them ends the walk. */
static bool goes_on_below(const struct rung_model *model, struct walk *walk,
                          const struct rung__rung *above, rung_result *result)
{
    const struct rung__table *table = &model->instance->table;
    const struct rung__rung *rung = above;
    const uint64_t floor = floor_ns(table, walk->recall->verdict);
    while (rung->fallback && (rung = rung__table_find(table, rung->fallback)) != NULL) {
        const struct rung__outcome *outcome = rung__verdict_of(walk->recall->verdict, rung->id);
        if (!rung->floor && outcome && outcome->kind == RUNG__OUTCOME_SLOWER &&
            outcome->median_ns < floor && !goes_on(model, walk, rung, result))
            return false;
    }
    return true;
}

/**
 * First the rung that the user wants, then the one that a probe chose with those below it, then the
 * floors: nothing else serves unproven.
 */
static rung_result walk_down(const struct rung_model *model, struct walk *walk)
{
    const struct rung__rung *proven = rung__recall_rung(walk->recall), *wanted = walk->wanted;
    rung_result result = RUNG_OK;
    if (wanted && !goes_on(model, walk, wanted, &result))
        return result;
    if (proven && proven != wanted && !goes_on(model, walk, proven, &result))
        return result;
    if (proven && !goes_on_below(model, walk, proven, &result))
        return result;
    for (uint32_t i = 0; i < model->instance->table.count; i++) {
        const struct rung__rung *rung = &model->instance->table.rungs[i];
        if (rung->automatic && rung->floor && rung != proven && rung != wanted &&
            !goes_on(model, walk, rung, &result))
            return result;
    }
    return result;
}

/** `wanted` NULL: nobody wants a certain one, and the model follows what is proven. */
static rung_result load_best(struct rung_model *model, const struct rung__rung *wanted,
                             struct rung__serving *serving)
{
    struct rung__recall recall;
    struct walk walk = {.recall = &recall, .wanted = wanted, .serving = serving};
    rung_result result =
        rung__instance_recall(model->instance, model->artifact.digest_text, &recall);
    model->seen = recall.stamp;
    model->follows = !wanted;
    const bool unproven = result == RUNG_OK && !recall.verdict;
    if (result == RUNG_OK && wanted)
        prefer_library(model->instance, wanted);
    if (result == RUNG_OK)
        result = walk_down(model, &walk);
    model->awaits = walk.awaits;
    atomic_store(&model->wants_background, unproven || walk.awaits);
    if (result == RUNG_OK)
        explain_choice(model, &walk);
    else if (next_may_do_better(result) && walk.refusals)
        result = rung__fail(walk.first, "no rung can run %s: %s", model->artifact.view.header.name,
                            walk.refusals);
    free(walk.refusals);
    rung__recall_finish(&recall);
    return result;
}

rung_result rung__model_refuse_bundle(const struct rung__artifact *artifact)
{
    if (!artifact->bundle)
        return RUNG_OK;
    return rung__fail(
        RUNG_UNSUPPORTED, "%s: no rung can run it: none of this version takes a model of kind %s",
        artifact->path, rung__name_text(&rung__kind_names, artifact->view.header.kind));
}

/** An engine's file is for one rung; nothing hands down from it, and nobody else is named. */
static rung_result load_own(const struct rung_model *model, const struct rung__rung *own,
                            const char *id, const char *who, struct rung__serving *serving)
{
    if (id && strcmp(id, own->id) != 0)
        return rung__fail(RUNG_UNSUPPORTED,
                          "%s cannot serve %s (%s): the file holds an engine of %s alone", id,
                          model->artifact.view.header.name, who, own->id);
    return load_named(model, own->id, "the model file, an engine for this device", serving);
}

static rung_result choose(struct rung_model *model, const rung_model_options *options,
                          const struct rung__rung *own, struct rung__serving *serving)
{
    struct rung__override override;
    if (own && options->rung)
        return load_own(model, own, options->rung, "the application", serving);
    if (options->rung)
        return load_named(model, options->rung, "the application", serving);
    const rung_result result = rung__instance_override(model->instance, &override);
    if (result != RUNG_OK)
        return result;
    if (own)
        return load_own(model, own, override.strict ? override.id : NULL, override.from, serving);
    return override.strict ? load_named(model, override.id, override.from, serving)
                           : load_best(model, override.rung, serving);
}

rung_result rung__threads_resolve(const struct rung_instance *instance, uint32_t wanted,
                                  const char *where, uint32_t *out)
{
    struct rung__cpus cpus;
    if (wanted > RUNG__THREADS_MAX)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s.threads is %u; at most %u", where, wanted,
                          RUNG__THREADS_MAX);
    if (wanted == 0)
        rung__cpus_read(rung__instance_hardware_root(instance), &cpus);
    *out = wanted ? wanted : rung__cpus_default_threads(&cpus);
    return RUNG_OK;
}

rung_result rung__model_load(struct rung_model *model, const rung_model_options *options)
{
    const struct rung__rung *own = NULL;
    rung_result result = rung__model_refuse_bundle(&model->artifact);
    if (result == RUNG_OK)
        result = rung__own_device_check(model->instance, &model->artifact, &own);
    model->any_precision = options->flags & RUNG_MODEL_ANY_PRECISION;
    if (result == RUNG_OK)
        result = rung__threads_resolve(model->instance, options->threads, "rung_model_options",
                                       &model->threads);
    model->threads_given = options->threads != 0;
    if (result != RUNG_OK)
        return result;
    struct rung__serving *serving = calloc(1, sizeof *serving);
    if (!serving)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a model");
    return rung__serving_complete(model, serving, choose(model, options, own, serving),
                                  &model->serving);
}

/** From the rung that is proven by now down to the one that serves: loads the first that can. */
static rung_result walk_up_to_date(const struct rung_model *model, struct walk *walk)
{
    const struct rung__rung *proven = rung__recall_rung(walk->recall);
    rung_result result = RUNG_OK;
    if (proven && goes_on(model, walk, proven, &result))
        (void)goes_on_below(model, walk, proven, &result);
    const bool refused = result == RUNG_OK || next_may_do_better(result);
    if (result == RUNG_OK && walk->serving->rung)
        explain_choice(model, walk);
    else if (!refused || walk->refusals)
        rung__log_write(&model->instance->log,
                        !refused || walk->failed ? RUNG_LOG_WARNING : RUNG_LOG_INFO,
                        "%s stays on %s: %s", model->artifact.view.header.name,
                        model->serving->rung->id, refused ? walk->refusals : rung_last_error());
    return result;
}

/** NULL: none that is better loads. */
static struct rung__serving *load_proven(struct rung_model *model,
                                         const struct rung__recall *recall)
{
    struct walk walk = {
        .recall = recall, .ends = model->serving->rung, .serving = calloc(1, sizeof *walk.serving)};
    struct rung__serving *out = NULL;
    if (!walk.serving)
        return NULL;
    const rung_result result = walk_up_to_date(model, &walk);
    model->awaits = walk.awaits;
    if (walk.awaits)
        atomic_store(&model->wants_background, true);
    if (walk.serving->rung)
        (void)rung__serving_complete(model, walk.serving, result, &out);
    else
        rung__serving_destroy(walk.serving);
    free(walk.refusals);
    return out;
}

struct rung__serving *rung__model_load_better(struct rung_model *model)
{
    struct rung__file_stamp stamp;
    struct rung__recall recall;
    struct rung__serving *better = NULL;
    if (!model->follows || !model->instance->state)
        return NULL;
    rung__store_stamp(model->instance->state, &stamp);
    const bool engine_landed =
        model->awaits && rung__engine_is_built(model->instance, model->awaits, &model->artifact);
    if (!engine_landed && memcmp(&stamp, &model->seen, sizeof stamp) == 0)
        return NULL;
    if (rung__instance_recall(model->instance, model->artifact.digest_text, &recall) == RUNG_OK) {
        model->seen = recall.stamp;
        better = load_proven(model, &recall);
    }
    rung__recall_finish(&recall);
    return better;
}
