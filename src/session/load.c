/* SPDX-License-Identifier: Apache-2.0 */
/* A model is loaded on a rung. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "ladder/execution.h"
#include "ladder/pins.h"
#include "session/guard.h"
#include "session/identity.h"
#include "session/model.h"
#include "session/plugins.h"

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
        rung__rung_execution_make(rung, serving->threads, serving->engine.folder, &execution);
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
    return result;
}

/** With its engine; without one it is compiled now, where that is allowed, and nothing is kept. */
static rung_result load_with_engine(const struct rung_model *model, const struct rung__rung *rung,
                                    enum rung__compiling compiling, struct rung__serving *serving)
{
    serving->compiled = false;
    serving->from_engine = model->artifact.view.header.kind == RUNG_ARTIFACT_ENGINE;
    if (serving->from_engine) /* it brings it along */
        return load_into(model, rung, serving);
    rung_result result =
        rung__engine_ready(model->instance, rung, &model->artifact, &serving->engine);
    if (result != RUNG_OK && (compiling == RUNG__COMPILE_NEVER || result == RUNG_NO_MEMORY))
        return result;
    result = load_into(model, rung, serving);
    if (result != RUNG_OK) {
        rung__engine_use_finish(&serving->engine);
        return result;
    }
    serving->from_engine = serving->engine.folder != NULL || serving->report.from_engine;
    serving->compiled = (rung->compiling && !serving->from_engine) || serving->report.compiled;
    return RUNG_OK;
}

rung_result rung__serving_load(const struct rung_model *model, const struct rung__rung *rung,
                               uint32_t threads, enum rung__compiling compiling,
                               struct rung__serving *serving)
{
    const struct rung__provider *provider = rung->provider;
    rung_result result = RUNG_OK;
    const uint64_t began = rung__clock_now();
    serving->threads = provider->single_threaded ? 1 : threads;
    if (provider->runtime)
        result = rung__instance_load_runtime(model->instance, provider->runtime);
    serving->runtime_ns = rung__clock_now() - began;
    if (result == RUNG_OK)
        result = rung__artifact_check_unchanged(&model->artifact);
    if (result != RUNG_OK)
        return result;
    const uint64_t loading = rung__clock_now();
    result = load_with_engine(model, rung, compiling, serving);
    serving->load_ns = rung__clock_now() - loading;
    if (result == RUNG_OK)
        serving->rung = rung;
    /* The runtime has read the file by now. Was it still the one that was verified? If not, that is
     * the reason, whatever the runtime made of it. */
    rung_result unchanged = rung__artifact_check_unchanged(&model->artifact);
    return unchanged == RUNG_OK ? result : unchanged;
}

rung_result rung__serving_complete(const struct rung_model *model, struct rung__serving *serving,
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
