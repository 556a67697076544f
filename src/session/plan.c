/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions on plans and stages. */
#include <rung/plan.h>

#include "base/error.h"
#include "base/json.h"
#include "session/run.h"
#include "session/stages.h"

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to describe stages");
}

static json_t *describe(const struct rung__staging *staging,
                        const struct rung__resolution resolutions[RUNG__STAGES])
{
    bool failed = false;
    json_t *json = json_object(), *stages = json_array();
    for (uint32_t stage = 0; stage < RUNG__STAGES; stage++)
        rung__json_append(stages, rung__resolution_json(stage, &resolutions[stage]), &failed);
    rung__json_set(json, "catalog", rung__catalog_json(&rung__catalog), &failed);
    rung__json_set(json, "plan", rung__plan_json(&staging->plan), &failed);
    rung__json_set(json, "device", json_string(staging->device_id), &failed);
    rung__json_set(json, "level", json_string(staging->context.level), &failed);
    rung__json_set(json, "stages", stages, &failed);
    if (!failed)
        return json;
    json_decref(json);
    return NULL;
}

/** Writes and ends it; NULL: there was no memory to make it. */
static rung_result give(json_t *json, rung_span to, size_t *needed)
{
    rung_result result = json ? rung__json_write(json, to, needed) : no_memory();
    json_decref(json);
    return result;
}

rung_result rung_plan_describe(rung_instance *instance, rung_model *model, const char *plan,
                               uint32_t flags, rung_span to, size_t *needed)
{
    struct rung__staging staging;
    struct rung__resolution resolutions[RUNG__STAGES];
    struct rung__serving *serving = NULL;
    if (!instance || (!to.data && to.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_plan_describe: an argument is NULL");
    rung_result result = RUNG_OK;
    if (model)
        result = rung__model_take_serving(
            model, &(rung_context_options){.flags = RUNG_CONTEXT_STAY}, &serving);
    if (result != RUNG_OK)
        return result;
    result = rung__staging_init(&staging, &(struct rung__stage_environment){
                                              .instance = instance,
                                              .model = model,
                                              .serving = serving,
                                              .in_series = flags & RUNG_CONTEXT_SERIES,
                                              .plan = plan,
                                          });
    if (result == RUNG_OK)
        result = rung__registry_resolve(&rung__catalog, &staging.plan, &staging.context,
                                        &staging.records, resolutions);
    if (result == RUNG_OK)
        result = give(describe(&staging, resolutions), to, needed);
    rung__staging_finish(&staging);
    if (serving)
        rung__model_return_serving(model, serving);
    return result;
}

rung_result rung_context_metadata(rung_context *context, rung_span to, size_t *needed)
{
    if (!context || (!to.data && to.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_context_metadata: an argument is NULL");
    rung_result result = rung__context_enter(context);
    if (result != RUNG_OK)
        return result;
    result = give(rung__stage_set_json(&context->stages), to, needed);
    rung__context_leave(context);
    return result;
}
