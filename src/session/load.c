/* SPDX-License-Identifier: Apache-2.0 */
/* Which rung serves a model. */
#include <stdlib.h>

#include "artifact/names.h"
#include "base/error.h"
#include "base/text.h"
#include "hardware/cpus.h"
#include "session/model.h"

#define THREADS_MAX 1024u

static const char nothing_probed[] = "nothing was probed on this device";

/** Loads on one rung; its runtime is found first. */
static rung_result load_on(struct rung_model *model, const struct rung__rung *rung)
{
    const struct rung__provider *provider = rung->provider;
    const struct rung__model_request request = {
        .artifact = &model->artifact.view,
        .threads = model->threads,
        .helper = model->instance->helper,
    };
    rung_result result = RUNG_OK;
    if (provider->runtime)
        result = rung__instance_load_runtime(model->instance, provider->runtime);
    if (result == RUNG_OK)
        result = rung__artifact_check_unchanged(&model->artifact);
    if (result != RUNG_OK)
        return result;
    result = rung__provider_load(provider, &request, &model->loaded, &model->report);
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
    if (!rung->provider)
        return rung__fail(RUNG_UNSUPPORTED,
                          "this version cannot run the rung \"%s\" (%s); rung explain lists those "
                          "that it can",
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

static void explain_choice(struct rung_model *model, const char *refusals)
{
    if (!refusals) {
        model->reason =
            rung__text_new("the best rung that this version can run; %s", nothing_probed);
        return;
    }
    model->reason = rung__text_new("the next one down (%s); %s", refusals, nothing_probed);
    rung__log_write(&model->instance->log, RUNG_LOG_WARNING,
                    "%s runs on %s, the next rung down: %s", model->artifact.view.header.name,
                    model->rung->id, refusals);
}

static rung_result load_best(struct rung_model *model)
{
    rung_result result = RUNG_OK, first = RUNG_OK;
    char *refusals = NULL;
    for (uint32_t i = 0; i < rung__rung_count; i++) {
        if (!rung__rungs[i].automatic || !rung__rungs[i].provider)
            continue;
        result = load_on(model, &rung__rungs[i]);
        if (!next_may_do_better(result))
            break;
        if (first == RUNG_OK)
            first = result;
        refusals = add_refusal(refusals, &rung__rungs[i]);
        if (!refusals) {
            result = rung__fail(RUNG_NO_MEMORY, "no memory for a model");
            break;
        }
    }
    if (result == RUNG_OK)
        explain_choice(model, refusals);
    else if (next_may_do_better(result))
        result =
            rung__fail(first, "no rung can run %s: %s", model->artifact.view.header.name, refusals);
    free(refusals);
    return result;
}

/** What is no graph of ONNX must not reach a provider that takes it for one. */
static rung_result refuse_bundle(const struct rung_model *model)
{
    if (!model->artifact.bundle)
        return RUNG_OK;
    return rung__fail(
        RUNG_UNSUPPORTED, "%s: no rung can run it: none of this version takes a model of kind %s",
        model->artifact.path, rung__name_text(&rung__kind_names, model->artifact.view.header.kind));
}

static rung_result choose(struct rung_model *model, const rung_model_options *options)
{
    const char *variable = model->instance->environment.rung;
    if (options->rung)
        return load_named(model, options->rung, "the application");
    return variable ? load_named(model, variable, "RUNG_RUNG") : load_best(model);
}

rung_result rung__model_load(struct rung_model *model, const rung_model_options *options)
{
    struct rung__cpus cpus;
    rung_result result = refuse_bundle(model);
    if (result != RUNG_OK)
        return result;
    if (options->threads > THREADS_MAX)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_model_options.threads is %u; at most %u",
                          options->threads, THREADS_MAX);
    rung__cpus_read(rung__instance_hardware_root(model->instance), &cpus);
    model->threads = options->threads ? options->threads : rung__cpus_default_threads(&cpus);
    result = choose(model, options);
    if (result == RUNG_OK && !model->reason)
        result = rung__fail(RUNG_NO_MEMORY, "no memory for a model");
    if (result == RUNG_OK && model->rung->provider->single_threaded)
        model->threads = 1;
    return result;
}
