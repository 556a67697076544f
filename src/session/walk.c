/* SPDX-License-Identifier: Apache-2.0 */
#include "session/walk.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/names.h"
#include "base/error.h"
#include "base/text.h"
#include "ladder/gates.h"
#include "ladder/pins.h"

static const char nothing_probed[] = "nothing was probed on this device";
static const char probe_outdated[] =
    "what was probed on this device has changed, and rung probe measures again";

static bool has_passed(const struct rung_model *model, const struct rung__rung *rung,
                       char reason[RUNG__WALK_REASON])
{
    const bool passed = rung__gates_passed(&model->artifact.view, rung);
    if (!passed)
        (void)rung__text_format(reason, RUNG__WALK_REASON,
                                "this form of the model did not pass its gate there");
    return passed;
}

bool rung__walk_may_serve(const struct rung_model *model, const struct rung__rung *rung,
                          char reason[RUNG__WALK_REASON])
{
    const struct rung__artifact_view *view = &model->artifact.view;
    if (model->any_precision)
        return rung__rung_takes(rung, &view->header, reason, RUNG__WALK_REASON);
    return rung__rung_serves(rung, view, reason, RUNG__WALK_REASON) &&
           (!model->stands_in || has_passed(model, rung, reason));
}

bool rung__walk_may_go_on(rung_result result)
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
bool rung__walk_is_elsewhere(struct rung_instance *instance, const struct rung__rung *rung,
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
    char reason[RUNG__WALK_REASON];
    const struct rung__outcome *outcome =
        recall->verdict ? rung__verdict_of(recall->verdict, rung->id) : NULL;
    if (!rung__walk_may_serve(model, rung, reason))
        (void)rung__fail(RUNG_UNSUPPORTED, "%s", reason);
    else if (rung__model_has_lost(model, rung))
        (void)rung__fail(RUNG_UNSUPPORTED, "this process lost its device");
    else if (outcome && recall->own && is_bad(outcome->kind))
        (void)rung__fail(RUNG_UNSUPPORTED, "a probe found it to be %s: %s",
                         rung__name_text(&rung__outcome_names, outcome->kind), outcome->reason);
    else if (outcome && rung__walk_is_elsewhere(model->instance, rung, outcome))
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

void rung__walk_explain(const struct rung_model *model, const struct rung__walk *walk)
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

bool rung__walk_try(const struct rung_model *model, struct rung__walk *walk,
                    const struct rung__rung *rung, rung_result *result)
{
    char reason[RUNG__WALK_REASON];
    if (rung == walk->ends) {
        *result = RUNG_OK;
        return false;
    }
    *result = may_load(model, walk->recall, rung)
                  ? rung__serving_load(model, rung, threads_for(model, walk->recall, rung),
                                       RUNG__COMPILE_NEVER, walk->serving)
                  : RUNG_UNSUPPORTED;
    if (!rung__walk_may_go_on(*result))
        return false;
    const bool awaited = *result == RUNG_NOT_FOUND;
    if (walk->first == RUNG_OK)
        walk->first = awaited ? RUNG_UNSUPPORTED : *result;
    if (awaited && !walk->awaits)
        walk->awaits = rung;
    walk->refusals = add_refusal(walk->refusals, rung);
    walk->failed = walk->failed || (!awaited && rung__walk_may_serve(model, rung, reason));
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

bool rung__walk_try_below(const struct rung_model *model, struct rung__walk *walk,
                          const struct rung__rung *above, rung_result *result)
{
    const struct rung__table *table = &model->instance->table;
    const struct rung__rung *rung = above;
    const uint64_t floor = floor_ns(table, walk->recall->verdict);
    while (rung->fallback && (rung = rung__table_find(table, rung->fallback)) != NULL) {
        const struct rung__outcome *outcome = rung__verdict_of(walk->recall->verdict, rung->id);
        if (!rung->floor && outcome && outcome->kind == RUNG__OUTCOME_SLOWER &&
            outcome->median_ns < floor && !rung__walk_try(model, walk, rung, result))
            return false;
    }
    return true;
}

rung_result rung__walk_down(const struct rung_model *model, struct rung__walk *walk)
{
    const struct rung__rung *proven = rung__recall_rung(walk->recall), *wanted = walk->wanted;
    rung_result result = RUNG_OK;
    if (wanted && !rung__walk_try(model, walk, wanted, &result))
        return result;
    if (proven && proven != wanted && !rung__walk_try(model, walk, proven, &result))
        return result;
    if (proven && !rung__walk_try_below(model, walk, proven, &result))
        return result;
    for (uint32_t i = 0; i < model->instance->table.count; i++) {
        const struct rung__rung *rung = &model->instance->table.rungs[i];
        if (rung->automatic && rung->floor && rung != proven && rung != wanted &&
            !rung__walk_try(model, walk, rung, &result))
            return result;
    }
    return result;
}
