/* SPDX-License-Identifier: Apache-2.0 */
/* Which rung serves a model. */
#include <stdlib.h>
#include <string.h>

#include "artifact/names.h"
#include "base/error.h"
#include "base/text.h"
#include "hardware/cpus.h"
#include "session/engines.h"
#include "session/forms.h"
#include "session/model.h"
#include "session/override.h"
#include "session/own_device.h"
#include "session/stand_in.h"
#include "session/walk.h"

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

/** The rung takes no model in f32, and this one is; it may have a form beside it. */
static bool needs_form(const struct rung_model *model, const struct rung__rung *rung)
{
    return !model->any_precision && rung__forms_may_be(&model->artifact) &&
           !(rung->forms & RUNG__FORMS_F32);
}

static rung_result load_form(struct rung_model *model, const struct rung__rung *rung,
                             const char *who, struct rung__serving *serving)
{
    char named[RUNG__WALK_REASON];
    (void)rung__text_format(named, sizeof named, "named by %s", who);
    prefer_library(model->instance, rung);
    model->named = true;
    return rung__stand_in_on(model, rung, RUNG__COMPILE_NOW, named, serving);
}

static rung_result load_named(struct rung_model *model, const char *id, const char *who,
                              struct rung__serving *serving)
{
    const struct rung__rung *rung = rung__table_find(&model->instance->table, id);
    char reason[RUNG__WALK_REASON];
    if (!rung)
        return rung__fail(RUNG_NOT_FOUND, "there is no rung \"%s\" (%s); rung explain lists them",
                          id, who);
    if (needs_form(model, rung))
        return load_form(model, rung, who, serving);
    if (!rung__walk_may_serve(model, rung, reason))
        return rung__fail(RUNG_UNSUPPORTED, "%s cannot serve %s: %s", id,
                          model->artifact.view.header.name, reason);
    model->named = true;
    serving->reason = rung__text_new("named by %s", who);
    prefer_library(model->instance, rung);
    return rung__serving_load(model, rung, model->threads, RUNG__COMPILE_NOW, serving);
}

/** What the user wants takes another form than the model is in: there, or as if nothing were
 * wanted. */
static bool load_wanted_form(struct rung_model *model, const struct rung__rung *wanted,
                             struct rung__serving *serving)
{
    if (!needs_form(model, wanted))
        return false;
    prefer_library(model->instance, wanted);
    const rung_result result = rung__stand_in_on(model, wanted, RUNG__COMPILE_NEVER,
                                                 "wanted by the user (rung use)", serving);
    if (result != RUNG_OK)
        rung__log_write(&model->instance->log, RUNG_LOG_INFO, "%s", rung_last_error());
    return result == RUNG_OK;
}

/** While it is opened the model may become another form of itself; later contexts hold it. */
static bool load_other_form(struct rung_model *model, const struct rung__rung *wanted,
                            const struct rung__recall *recall, struct rung__serving *serving)
{
    if (model->serving)
        return false;
    return wanted ? load_wanted_form(model, wanted, serving)
                  : rung__stand_in_proven(model, recall, serving);
}

/** `wanted` NULL: nobody wants a certain one, and the model follows what is proven. */
static rung_result load_best(struct rung_model *model, const struct rung__rung *wanted,
                             struct rung__serving *serving)
{
    struct rung__recall recall;
    struct rung__walk walk = {.recall = &recall, .wanted = wanted, .serving = serving};
    rung_result result =
        rung__instance_recall(model->instance, model->artifact.digest_text, &recall);
    model->seen = recall.stamp;
    model->follows = !wanted;
    const bool unproven = result == RUNG_OK && !recall.verdict;
    if (result == RUNG_OK && load_other_form(model, wanted, &recall, serving)) {
        model->follows = false; /* it stays where it was proven */
        rung__recall_finish(&recall);
        return RUNG_OK;
    }
    if (result == RUNG_OK && wanted)
        prefer_library(model->instance, wanted);
    if (result == RUNG_OK)
        result = rung__walk_down(model, &walk);
    model->awaits = walk.awaits;
    atomic_store(&model->wants_background, unproven || walk.awaits);
    if (result == RUNG_OK)
        rung__walk_explain(model, &walk);
    else if (rung__walk_may_go_on(result) && walk.refusals)
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
static rung_result load_own(struct rung_model *model, const struct rung__rung *own, const char *id,
                            const char *who, struct rung__serving *serving)
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
static rung_result walk_up_to_date(const struct rung_model *model, struct rung__walk *walk)
{
    const struct rung__rung *proven = rung__recall_rung(walk->recall);
    rung_result result = RUNG_OK;
    if (proven && rung__walk_try(model, walk, proven, &result))
        (void)rung__walk_try_below(model, walk, proven, &result);
    const bool refused = result == RUNG_OK || rung__walk_may_go_on(result);
    if (result == RUNG_OK && walk->serving->rung)
        rung__walk_explain(model, walk);
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
    struct rung__walk walk = {
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

rung_result rung__model_load_next(struct rung_model *model, struct rung__serving **out)
{
    const struct rung__serving *lost = model->serving;
    struct rung__serving *next = calloc(1, sizeof *next);
    rung_result result;
    if (!next)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a model");
    if (model->named) {
        next->reason = rung__text_new("loaded anew when its device was lost; %s", lost->reason);
        result = rung__serving_load(model, lost->rung, lost->threads, RUNG__COMPILE_NOW, next);
    } else {
        result = load_best(model, NULL, next);
    }
    return rung__serving_complete(model, next, result, out);
}
