/* SPDX-License-Identifier: Apache-2.0 */
/* Which rung serves a model. */
#include <stdlib.h>
#include <string.h>

#include "artifact/names.h"
#include "base/error.h"
#include "base/text.h"
#include "hardware/cpus.h"
#include "ladder/execution.h"
#include "ladder/pins.h"
#include "session/guard.h"
#include "session/identity.h"
#include "session/model.h"
#include "session/override.h"
#include "session/plugins.h"
#include "session/recall.h"

#define REASON_BYTES 256

static const char nothing_probed[] = "nothing was probed on this device";
static const char probe_outdated[] =
    "what was probed on this device has changed, and rung probe measures again";

static rung_result name_identity(const struct rung_model *model, struct rung__serving *serving)
{
    const struct rung__header *header = &model->artifact.view.header;
    serving->precision = rung__precision_text(rung__rung_precision(serving->rung, header));
    serving->identity = rung__identity_new(header, serving->rung);
    return serving->identity ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for a model");
}

/** Gives the model to the rung's provider. */
static rung_result load_into(const struct rung_model *model, const struct rung__rung *rung,
                             struct rung__serving *serving)
{
    struct rung__rung_execution execution;
    rung_result result =
        rung__engine_ready(model->instance, rung, &model->artifact, &serving->engine);
    if (result == RUNG_NO_MEMORY)
        return result;
    /* Without an engine the rung compiles the model now, and nothing is kept of it. */
    result = rung__rung_execution_make(rung, serving->threads, serving->engine.folder, &execution);
    execution.execution.plugin = rung__instance_plugin(model->instance, rung);
    if (result == RUNG_OK)
        result = rung__guarded_load(model->instance, rung, model->artifact.digest_text,
                                    &(struct rung__model_request){
                                        .artifact = &model->artifact.view,
                                        .execution = &execution.execution,
                                        .threads = serving->threads,
                                        .helper = model->instance->helper,
                                    },
                                    &serving->loaded, &serving->report);
    rung__rung_execution_finish(&execution);
    if (result != RUNG_OK)
        rung__engine_use_finish(&serving->engine);
    return result;
}

static bool may_serve(const struct rung_model *model, const struct rung__rung *rung,
                      char reason[REASON_BYTES])
{
    const struct rung__artifact_view *view = &model->artifact.view;
    return model->any_precision ? rung__rung_takes(rung, &view->header, reason, REASON_BYTES)
                                : rung__rung_serves(rung, view, reason, REASON_BYTES);
}

/** Loads on one rung; its runtime is found first. */
static rung_result load_on(const struct rung_model *model, const struct rung__rung *rung,
                           uint32_t threads, struct rung__serving *serving)
{
    const struct rung__provider *provider = rung->provider;
    rung_result result = RUNG_OK;
    serving->threads = provider->single_threaded ? 1 : threads;
    if (provider->runtime)
        result = rung__instance_load_runtime(model->instance, provider->runtime);
    if (result == RUNG_OK)
        result = rung__artifact_check_unchanged(&model->artifact);
    if (result != RUNG_OK)
        return result;
    result = load_into(model, rung, serving);
    if (result == RUNG_OK)
        serving->rung = rung;
    /* The runtime has read the file by now. Was it still the one that was verified? If not, that is
     * the reason, whatever the runtime made of it. */
    rung_result unchanged = rung__artifact_check_unchanged(&model->artifact);
    return unchanged == RUNG_OK ? result : unchanged;
}

static rung_result load_named(const struct rung_model *model, const char *id, const char *who,
                              struct rung__serving *serving)
{
    const struct rung__rung *rung = rung__rung_named(id);
    char reason[REASON_BYTES];
    if (!rung)
        return rung__fail(RUNG_NOT_FOUND, "there is no rung \"%s\" (%s); rung explain lists them",
                          id, who);
    if (!may_serve(model, rung, reason))
        return rung__fail(RUNG_UNSUPPORTED, "%s cannot serve %s: %s", id,
                          model->artifact.view.header.name, reason);
    serving->reason = rung__text_new("named by %s", who);
    return load_on(model, rung, model->threads, serving);
}

/** True for what the runtime below cannot do; what is wrong with the file is so on every rung. */
static bool next_may_do_better(rung_result result)
{
    return result == RUNG_UNSUPPORTED || result == RUNG_BACKEND;
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

/** What cannot serve the model is not tried, nor what was proved of it to fail; false, and why. */
static bool may_load(const struct rung_model *model, const struct rung__recall *recall,
                     const struct rung__rung *rung)
{
    char reason[REASON_BYTES];
    if (!may_serve(model, rung, reason)) {
        (void)rung__fail(RUNG_UNSUPPORTED, "%s", reason);
        return false;
    }
    const struct rung__outcome *outcome =
        recall->own ? rung__verdict_of(recall->verdict, rung->id) : NULL;
    if (!outcome || outcome->kind == RUNG__OUTCOME_CHOSEN ||
        outcome->kind == RUNG__OUTCOME_SLOWER || outcome->kind == RUNG__OUTCOME_ABSENT ||
        outcome->kind == RUNG__OUTCOME_UNMEASURED)
        return true;
    (void)rung__fail(RUNG_UNSUPPORTED, "a probe found it to be %s: %s",
                     rung__name_text(&rung__outcome_names, outcome->kind), outcome->reason);
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
    struct rung__serving *serving;
    rung_result first; /**< what the first refusal was */
    char *refusals;    /**< NULL: none */
};

static void explain_choice(const struct rung_model *model, const struct walk *walk)
{
    const struct rung__recall *recall = walk->recall;
    const char *probed = recall->changed ? probe_outdated : nothing_probed;
    const struct rung__rung *proven = rung__recall_rung(recall);
    struct rung__serving *serving = walk->serving;
    if (serving->rung == walk->wanted)
        serving->reason = rung__text_new("wanted by the user (rung use)");
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
        rung__log_write(&model->instance->log, RUNG_LOG_WARNING,
                        "%s runs on %s, the next rung down: %s", model->artifact.view.header.name,
                        serving->rung->id, walk->refusals);
}

/** False when the walk is over, with `*result`. */
static bool goes_on(const struct rung_model *model, struct walk *walk,
                    const struct rung__rung *rung, rung_result *result)
{
    *result = may_load(model, walk->recall, rung)
                  ? load_on(model, rung, threads_for(model, walk->recall, rung), walk->serving)
                  : RUNG_UNSUPPORTED;
    if (!next_may_do_better(*result))
        return false;
    if (walk->first == RUNG_OK)
        walk->first = *result;
    walk->refusals = add_refusal(walk->refusals, rung);
    if (!walk->refusals)
        *result = rung__fail(RUNG_NO_MEMORY, "no memory for a model");
    return walk->refusals != NULL;
}

/**
 * First the rung that the user wants, then the one that a probe chose, then the floors: nothing
 * else serves unproven.
 */
static rung_result walk_down(const struct rung_model *model, struct walk *walk)
{
    const struct rung__rung *proven = rung__recall_rung(walk->recall), *wanted = walk->wanted;
    rung_result result = RUNG_OK;
    if (wanted && !goes_on(model, walk, wanted, &result))
        return result;
    if (proven && proven != wanted && !goes_on(model, walk, proven, &result))
        return result;
    for (uint32_t i = 0; i < rung__rung_count; i++) {
        const struct rung__rung *rung = &rung__rungs[i];
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
    model->unproven = result == RUNG_OK && !recall.verdict;
    if (result == RUNG_OK)
        result = walk_down(model, &walk);
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

static rung_result choose(struct rung_model *model, const rung_model_options *options,
                          struct rung__serving *serving)
{
    struct rung__override override;
    if (options->rung)
        return load_named(model, options->rung, "the application", serving);
    const rung_result result = rung__instance_override(model->instance, &override);
    if (result != RUNG_OK)
        return result;
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

/** Ends a serving that did not come to serve. */
static rung_result complete(const struct rung_model *model, struct rung__serving *serving,
                            rung_result result, struct rung__serving **out)
{
    if (result == RUNG_OK)
        result = name_identity(model, serving);
    if (result == RUNG_OK && !serving->reason)
        result = rung__fail(RUNG_NO_MEMORY, "no memory for a model");
    if (result == RUNG_OK)
        *out = serving;
    else
        rung__serving_destroy(serving);
    return result;
}

rung_result rung__model_load(struct rung_model *model, const rung_model_options *options)
{
    rung_result result = rung__model_refuse_bundle(&model->artifact);
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
    return complete(model, serving, choose(model, options, serving), &model->serving);
}

/** The rung that is proven by now, when it is another one than that which serves. */
static const struct rung__rung *find_better(const struct rung_model *model,
                                            const struct rung__recall *recall)
{
    const struct rung__rung *proven = rung__recall_rung(recall);
    return proven != model->serving->rung && proven && may_load(model, recall, proven) ? proven
                                                                                       : NULL;
}

/** NULL: it does not load. */
static struct rung__serving *load_proven(const struct rung_model *model,
                                         const struct rung__recall *recall,
                                         const struct rung__rung *rung)
{
    struct rung__serving *serving = calloc(1, sizeof *serving), *out = NULL;
    if (!serving)
        return NULL;
    rung_result result = load_on(model, rung, threads_for(model, recall, rung), serving);
    if (result == RUNG_OK)
        serving->reason = reason_of_probe(recall, rung);
    if (complete(model, serving, result, &out) != RUNG_OK)
        rung__log_write(&model->instance->log, RUNG_LOG_WARNING,
                        "%s stays on %s; %s, which a probe chose, does not serve: %s",
                        model->artifact.view.header.name, model->serving->rung->id, rung->id,
                        rung_last_error());
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
    if (memcmp(&stamp, &model->seen, sizeof stamp) == 0)
        return NULL;
    if (rung__instance_recall(model->instance, model->artifact.digest_text, &recall) == RUNG_OK) {
        const struct rung__rung *rung = find_better(model, &recall);
        model->seen = recall.stamp;
        if (rung)
            better = load_proven(model, &recall, rung);
    }
    rung__recall_finish(&recall);
    return better;
}
