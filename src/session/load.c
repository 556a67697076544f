/* SPDX-License-Identifier: Apache-2.0 */
/* Which rung serves a model. */
#include <stdlib.h>

#include "artifact/names.h"
#include "base/error.h"
#include "base/text.h"
#include "hardware/cpus.h"
#include "ladder/execution.h"
#include "session/guard.h"
#include "session/model.h"
#include "session/recall.h"

static const char nothing_probed[] = "nothing was probed on this device";
static const char probe_outdated[] =
    "what was probed on this device has changed, and rung probe measures again";

/** Loads on one rung; its runtime is found first. */
static rung_result load_on(struct rung_model *model, const struct rung__rung *rung)
{
    const struct rung__provider *provider = rung->provider;
    struct rung__rung_execution execution;
    rung_result result = RUNG_OK;
    if (provider->runtime)
        result = rung__instance_load_runtime(model->instance, provider->runtime);
    if (result == RUNG_OK)
        result = rung__artifact_check_unchanged(&model->artifact);
    if (result != RUNG_OK)
        return result;
    result = rung__rung_execution_make(rung, model->threads, NULL, &execution);
    if (result == RUNG_OK)
        result = rung__guarded_load(model->instance, rung, model->artifact.digest_text,
                                    &(struct rung__model_request){
                                        .artifact = &model->artifact.view,
                                        .execution = &execution.execution,
                                        .threads = model->threads,
                                        .helper = model->instance->helper,
                                    },
                                    &model->loaded, &model->report);
    rung__rung_execution_finish(&execution);
    if (result == RUNG_OK)
        model->rung = rung;
    /* The runtime has read the file by now. Was it still the one that was verified? If not, that is
     * the reason, whatever the runtime made of it. */
    rung_result unchanged = rung__artifact_check_unchanged(&model->artifact);
    return unchanged == RUNG_OK ? result : unchanged;
}

static rung_result load_named(struct rung_model *model, const char *id, const char *who)
{
    const struct rung__rung *rung = rung__rung_named(id);
    if (!rung)
        return rung__fail(RUNG_NOT_FOUND, "there is no rung \"%s\" (%s); rung explain lists them",
                          id, who);
    model->reason = rung__text_new("named by %s", who);
    return load_on(model, rung);
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

/** What was proved of this very model to fail is not tried again; false, and why. */
static bool may_load(const struct rung__recall *recall, const struct rung__rung *rung)
{
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

static void explain_choice(struct rung_model *model, const struct rung__recall *recall,
                           const char *refusals)
{
    const char *probed = recall->changed ? probe_outdated : nothing_probed;
    if (model->rung == rung__recall_rung(recall)) {
        const struct rung__outcome *outcome = rung__verdict_of(recall->verdict, model->rung->id);
        model->reason =
            rung__text_new("chosen by a probe%s%s on this device: %s", recall->own ? "" : " of ",
                           recall->own ? "" : recall->verdict->name, outcome->reason);
        return;
    }
    if (!refusals) {
        model->reason = rung__text_new("the best rung that this version can run; %s", probed);
        return;
    }
    model->reason = rung__text_new("the next one down (%s); %s", refusals,
                                   recall->verdict ? "that is not what a probe chose" : probed);
    rung__log_write(&model->instance->log, RUNG_LOG_WARNING,
                    "%s runs on %s, the next rung down: %s", model->artifact.view.header.name,
                    model->rung->id, refusals);
}

/** A walk down the rungs until one serves. */
struct walk {
    const struct rung__recall *recall;
    rung_result first; /**< what the first refusal was */
    char *refusals;    /**< NULL: none */
};

/** False when the walk is over, with `*result`. */
static bool goes_on(struct rung_model *model, struct walk *walk, const struct rung__rung *rung,
                    rung_result *result)
{
    *result = may_load(walk->recall, rung) ? load_on(model, rung) : RUNG_UNSUPPORTED;
    if (!next_may_do_better(*result))
        return false;
    if (walk->first == RUNG_OK)
        walk->first = *result;
    walk->refusals = add_refusal(walk->refusals, rung);
    if (!walk->refusals)
        *result = rung__fail(RUNG_NO_MEMORY, "no memory for a model");
    return walk->refusals != NULL;
}

/** First the rung that a probe chose, then the floors: nothing else serves unproven. */
static rung_result walk_down(struct rung_model *model, struct walk *walk)
{
    const struct rung__rung *proven = rung__recall_rung(walk->recall);
    rung_result result = RUNG_OK;
    if (proven && !goes_on(model, walk, proven, &result))
        return result;
    for (uint32_t i = 0; i < rung__rung_count; i++)
        if (rung__rungs[i].automatic && rung__rungs[i].floor && &rung__rungs[i] != proven &&
            !goes_on(model, walk, &rung__rungs[i], &result))
            return result;
    return result;
}

static rung_result load_best(struct rung_model *model)
{
    struct rung__recall recall;
    struct walk walk = {.recall = &recall};
    rung_result result =
        rung__instance_recall(model->instance, model->artifact.digest_text, &recall);
    if (result == RUNG_OK)
        result = walk_down(model, &walk);
    if (result == RUNG_OK)
        explain_choice(model, &recall, walk.refusals);
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

static rung_result choose(struct rung_model *model, const rung_model_options *options)
{
    const char *variable = model->instance->environment.rung;
    if (options->rung)
        return load_named(model, options->rung, "the application");
    return variable ? load_named(model, variable, "RUNG_RUNG") : load_best(model);
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
    rung_result result = rung__model_refuse_bundle(&model->artifact);
    if (result == RUNG_OK)
        result = rung__threads_resolve(model->instance, options->threads, "rung_model_options",
                                       &model->threads);
    if (result == RUNG_OK)
        result = choose(model, options);
    if (result == RUNG_OK && !model->reason)
        result = rung__fail(RUNG_NO_MEMORY, "no memory for a model");
    if (result == RUNG_OK && model->rung->provider->single_threaded)
        model->threads = 1;
    return result;
}
