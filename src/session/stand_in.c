/* SPDX-License-Identifier: Apache-2.0 */
#include "session/stand_in.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "ladder/pins.h"
#include "session/forms.h"
#include "session/walk.h"

#define OTHERS_BYTES 1024

static void swap_artifacts(struct rung_model *model, struct rung__form *form)
{
    const struct rung__artifact artifact = model->artifact;
    model->artifact = form->artifact;
    form->artifact = artifact;
}

/** Whether the rung has what it was measured on: this process may have loaded another library. */
static rung_result check_library(const struct rung_model *model, const struct rung__form *form)
{
    if (!form->outcome || !rung__walk_is_elsewhere(model->instance, form->rung, form->outcome))
        return RUNG_OK;
    return rung__fail(RUNG_UNSUPPORTED, "it runs on another ONNX Runtime than the one that this "
                                        "process has loaded");
}

/** The loaded model points at the artifact that it is given, so that has its place before. */
static rung_result load(struct rung_model *model, struct rung__form *form,
                        const struct rung__rung *rung, enum rung__compiling compiling,
                        struct rung__serving *serving)
{
    const uint32_t measured = form->outcome && form->rung == rung ? form->outcome->threads : 0;
    const uint32_t threads = measured && !model->threads_given ? measured : model->threads;
    swap_artifacts(model, form);
    const rung_result result = rung__serving_load(model, rung, threads, compiling, serving);
    model->stands_in = result == RUNG_OK;
    if (result != RUNG_OK) {
        rung__serving_unload(serving); /* while what it points at is mapped */
        serving->rung = NULL;
        swap_artifacts(model, form);
    }
    return result;
}

static char *reason_of(const struct rung__form *form)
{
    char *reason = rung__text_new("%s serves in the place of the model in f32: %s",
                                  rung__path_name(form->path), form->reason);
    if (reason)
        rung__text_clean(reason);
    return reason;
}

/* ---- what a probe proved ---- */

/** A verdict of this name and of other bytes: only then is a folder worth a look. */
static bool was_measured(const struct rung_model *model, const struct rung__recall *recall)
{
    for (uint32_t i = 0; i < recall->store.count; i++) {
        const struct rung__verdict *verdict = &recall->store.verdicts[i];
        if (strcmp(verdict->name, model->artifact.view.header.name) == 0 &&
            strcmp(verdict->model, model->artifact.digest_text) != 0)
            return true;
    }
    return false;
}

static bool load_fastest(struct rung_model *model, struct rung__form *form,
                         struct rung__serving *serving)
{
    char *reason = reason_of(form);
    if (*form->outcome->library)
        rung__instance_prefer_library(model->instance, form->outcome->library);
    rung_result result =
        reason ? check_library(model, form) : rung__fail(RUNG_NO_MEMORY, "no memory for a model");
    if (result == RUNG_OK)
        result = load(model, form, form->rung, RUNG__COMPILE_NEVER, serving);
    if (result == RUNG_OK)
        serving->reason = reason;
    else {
        /* Of a form whose engine is not built yet nobody is warned. */
        rung__log_write(&model->instance->log,
                        result == RUNG_NOT_FOUND ? RUNG_LOG_INFO : RUNG_LOG_WARNING,
                        "%s does not serve in the place of %s, though it is faster on %s: %s",
                        form->path, model->artifact.path, form->rung->id, rung_last_error());
        free(reason);
    }
    return result == RUNG_OK;
}

bool rung__stand_in_proven(struct rung_model *model, const struct rung__recall *recall,
                           struct rung__serving *serving)
{
    struct rung__forms *forms = NULL;
    bool loaded = false;
    if (model->any_precision || !recall->own || !rung__forms_may_be(&model->artifact) ||
        !was_measured(model, recall))
        return false;
    const rung_result result =
        rung__forms_find(model->instance, &model->artifact, recall, RUNG__FORMS_MEASURED, &forms);
    for (uint32_t i = 0; result == RUNG_OK && i < forms->count && !loaded; i++)
        if (forms->items[i].state == RUNG__FORM_CHOSEN)
            loaded = load_fastest(model, &forms->items[i], serving);
    rung__forms_free(forms);
    return loaded;
}

/* ---- what a rung needs ---- */

/** Why a form is not for the rung; NULL: it is. */
static const char *find_obstacle(const struct rung__form *form, const struct rung__rung *rung,
                                 char text[RUNG__WALK_REASON])
{
    if (!form->admitted)
        return form->reason;
    if (!rung__rung_takes(rung, &form->artifact.view.header, text, RUNG__WALK_REASON))
        return text;
    if (rung__gates_of(&form->gates, rung) == RUNG__GATE_PASSED)
        return NULL;
    (void)rung__text_format(text, RUNG__WALK_REASON, "no gate record says that it passed on %s",
                            rung->id);
    return text;
}

static rung_result tell_none(const struct rung_model *model, const struct rung__rung *rung,
                             const struct rung__forms *forms)
{
    char others[OTHERS_BYTES] = "", text[RUNG__WALK_REASON];
    for (uint32_t i = 0; i < forms->count; i++) {
        const size_t length = strlen(others);
        (void)rung__text_format(others + length, sizeof others - length, "; %s: %s",
                                rung__path_name(forms->items[i].path),
                                find_obstacle(&forms->items[i], rung, text));
    }
    rung__text_clean(others);
    (void)rung__rung_takes(rung, &model->artifact.view.header, text, sizeof text);
    return rung__fail(
        RUNG_UNSUPPORTED,
        "%s cannot serve %s: %s; no form that is for it lies beside %s with canonical "
        "%.16s…%s",
        rung->id, model->artifact.view.header.name, text, rung__path_name(model->artifact.path),
        model->artifact.digest_text, others);
}

static rung_result load_first(struct rung_model *model, const struct rung__rung *rung,
                              enum rung__compiling compiling, struct rung__forms *forms,
                              struct rung__serving *serving)
{
    char text[RUNG__WALK_REASON];
    uint32_t i = 0;
    while (i < forms->count && find_obstacle(&forms->items[i], rung, text))
        i++;
    return i < forms->count ? load(model, &forms->items[i], rung, compiling, serving)
                            : tell_none(model, rung, forms);
}

rung_result rung__stand_in_on(struct rung_model *model, const struct rung__rung *rung,
                              enum rung__compiling compiling, const char *who,
                              struct rung__serving *serving)
{
    struct rung__recall recall;
    struct rung__forms *forms = NULL;
    rung_result result =
        rung__instance_recall(model->instance, model->artifact.digest_text, &recall);
    if (result == RUNG_OK)
        result =
            rung__forms_find(model->instance, &model->artifact, &recall, RUNG__FORMS_ALL, &forms);
    if (result == RUNG_OK)
        result = load_first(model, rung, compiling, forms, serving);
    if (result == RUNG_OK)
        serving->reason =
            rung__text_new("%s; %s is the form for it", who, rung__path_name(model->artifact.path));
    if (result == RUNG_OK && serving->reason)
        rung__text_clean(serving->reason);
    rung__forms_free(forms);
    rung__recall_finish(&recall);
    return result;
}
