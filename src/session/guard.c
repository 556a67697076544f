/* SPDX-License-Identifier: Apache-2.0 */
#include "session/guard.h"

#include <rung/probe.h>

#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "ladder/attempts.h"
#include "session/recall.h"

void rung_cancel_tries(void)
{
    rung__cancel_all();
}

/** What a driver compiles or sets up on the first run is as good at killing as the load is. */
static rung_result run_once(const struct rung__provider *provider, void *loaded)
{
    struct rung__model_memory memory;
    void *context = NULL;
    rung_result result = provider->create_context(loaded, &memory, &context);
    if (result != RUNG_OK)
        return result;
    result = provider->run(context);
    if (result == RUNG_DEVICE_LOST) /* to a model that is not open yet, a rung that cannot run it */
        result = rung__fail(RUNG_BACKEND, "its first run failed: %s", rung_last_error());
    provider->destroy_context(context);
    return result;
}

static rung_result load_and_run(const struct rung__provider *provider,
                                const struct rung__model_request *request, void **loaded,
                                struct rung__model_report *report)
{
    rung_result result = rung__provider_load(provider, request, loaded, report);
    if (result != RUNG_OK)
        return result;
    result = run_once(provider, *loaded);
    if (result == RUNG_OK)
        return RUNG_OK;
    provider->destroy_model(*loaded);
    *loaded = NULL;
    return result;
}

/** Keeps the reason why the load failed, whatever becomes of its record. */
static rung_result end(struct rung_instance *instance, struct rung__attempt *attempt,
                       rung_result result)
{
    char why[RUNG__ERROR_BYTES];
    (void)rung__text_format(why, sizeof why, "%s", rung_last_error());
    if (rung__attempt_end(attempt, false) != RUNG_OK)
        rung__instance_tell_state(instance, "what a try did is not remembered");
    return result == RUNG_OK ? result : rung__fail(result, "%s", why);
}

static rung_result begin(struct rung_instance *instance, const struct rung__rung *rung,
                         const char *model, struct rung__attempt *out)
{
    char *fingerprint = NULL;
    rung_result result =
        rung__instance_fingerprint(instance, RUNG__FINGERPRINT_ENGINES, &fingerprint);
    if (result == RUNG_OK)
        result = rung__instance_go_on(instance, "what a try does is not remembered",
                                      rung__attempt_begin(
                                          &(struct rung__try){
                                              .folder = instance->state,
                                              .fingerprint = fingerprint,
                                              .rung = rung->id,
                                              .model = model,
                                              .kind = RUNG__TRY_BUILD,
                                          },
                                          out));
    free(fingerprint);
    return result;
}

static bool is_accelerated(const struct rung__rung *rung)
{
    return !rung->floor && rung->executed_by;
}

rung_result rung__guarded_load(struct rung_instance *instance, const struct rung__rung *rung,
                               const char *model, const struct rung__model_request *request,
                               void **loaded, struct rung__model_report *report)
{
    struct rung__attempt attempt = {.number = RUNG__CANCEL_NONE};
    rung_result result = RUNG_OK;
    if (!is_accelerated(rung))
        return rung__provider_load(rung->provider, request, loaded, report);
    if (instance->state)
        result = begin(instance, rung, model, &attempt);
    if (result == RUNG_OK && attempt.refused)
        result = rung__fail(RUNG_UNSUPPORTED, RUNG__REFUSED_TEXT, attempt.strike_path);
    else if (result == RUNG_OK)
        result = load_and_run(rung->provider, request, loaded, report);
    return end(instance, &attempt, result);
}
