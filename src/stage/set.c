/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/set.h"

#include <string.h>

#include "base/error.h"

/** What fell back as a whole is worth a line; it is the context's first and last of it. */
static void warn_of_resolution(const struct rung__stage_set *set, enum rung__stage stage)
{
    const struct rung__resolution *at = &set->resolutions[stage];
    if (at->fell_back)
        rung__log_write(&set->log, RUNG_LOG_WARNING, "the stage %s: %s instead of %s: %s",
                        rung__stage_name(stage), at->effective->id, at->requested, at->reason.text);
}

rung_result rung__stage_set_init(struct rung__stage_set *set, const struct rung__catalog *catalog,
                                 const struct rung__plan *plan,
                                 const struct rung__stage_context *context,
                                 const struct rung__records *records, const struct rung__log *log)
{
    memset(set, 0, sizeof *set);
    set->catalog = catalog;
    set->plan = *plan;
    set->context = *context;
    set->log = *log;
    rung_result result =
        rung__registry_resolve(catalog, plan, &set->context, records, set->resolutions);
    if (result != RUNG_OK)
        memset(set->resolutions, 0, sizeof set->resolutions); /* nothing is to be destroyed */
    for (uint32_t stage = 0; stage < RUNG__STAGES && result == RUNG_OK; stage++) {
        const struct rung__implementation *effective = set->resolutions[stage].effective;
        warn_of_resolution(set, stage);
        result = effective->operations->create(&set->context, &set->objects[stage]);
    }
    return result;
}

void rung__stage_set_finish(struct rung__stage_set *set)
{
    for (uint32_t stage = 0; stage < RUNG__STAGES; stage++) {
        if (set->resolutions[stage].effective && set->objects[stage])
            set->resolutions[stage].effective->operations->destroy(set->objects[stage]);
        if (set->standby[stage] && set->standby_objects[stage])
            set->standby[stage]->operations->destroy(set->standby_objects[stage]);
        set->objects[stage] = set->standby_objects[stage] = NULL;
    }
}

rung_result rung__stage_reserve(struct rung__stage_set *set, enum rung__stage stage,
                                const void *request)
{
    const struct rung__stage_operations *operations = set->resolutions[stage].effective->operations;
    return operations->reserve ? operations->reserve(set->objects[stage], request) : RUNG_OK;
}

/** Warns once of a fallback with this reason. */
static void warn_of_request(struct rung__stage_set *set, enum rung__stage stage,
                            const struct rung__implementation *effective,
                            const struct rung__why *reason)
{
    const struct rung__implementation *requested = set->resolutions[stage].effective;
    struct rung__stage_warning *warnings = set->warnings[stage];
    const uint32_t count = set->warning_count[stage];
    for (uint32_t i = 0; i < count; i++)
        if (warnings[i].requested == requested && warnings[i].effective == effective &&
            strcmp(warnings[i].reason.text, reason->text) == 0)
            return;
    if (count == RUNG__WARNINGS_MAX)
        return;
    warnings[count] = (struct rung__stage_warning){requested, effective, *reason};
    set->warning_count[stage]++;
    rung__log_write(&set->log, RUNG_LOG_WARNING,
                    "the stage %s: %s instead of %s for such requests: %s", rung__stage_name(stage),
                    effective->id, requested->id, reason->text);
}

/** The fallback of a request, with its object. */
static rung_result stand_by(struct rung__stage_set *set, enum rung__stage stage,
                            const void *request, const struct rung__why *why)
{
    const struct rung__implementation *from = set->resolutions[stage].effective, *to;
    if (!set->plan.allow_fallback)
        return rung__fail(RUNG_UNSUPPORTED,
                          "%s cannot take this request: %s; the plan allows no fallback", from->id,
                          why->text);
    rung_result result = rung__registry_fall_back(set->catalog, from, &set->context, request, &to);
    if (result != RUNG_OK || to == set->standby[stage])
        return result;
    void *object = NULL;
    result = to->operations->create(&set->context, &object);
    if (result != RUNG_OK)
        return result;
    if (set->standby_objects[stage])
        set->standby[stage]->operations->destroy(set->standby_objects[stage]);
    set->standby[stage] = to;
    set->standby_objects[stage] = object;
    return RUNG_OK;
}

rung_result rung__stage_begin(struct rung__stage_set *set, enum rung__stage stage, void *request,
                              struct rung__stage_begun *begun)
{
    const struct rung__implementation *at = set->resolutions[stage].effective;
    struct rung__stage_last *last = &set->last[stage];
    void *object = set->objects[stage];
    struct rung__why why = {""};
    if (at->operations->check && !at->operations->check(&set->context, request, &why)) {
        rung_result result = stand_by(set, stage, request, &why);
        if (result != RUNG_OK)
            return result;
        at = set->standby[stage];
        object = set->standby_objects[stage];
        warn_of_request(set, stage, at, &why);
    }
    last->effective = at;
    if (last->reason.text[0] || why.text[0])
        last->reason = why;
    *begun = (struct rung__stage_begun){at, object};
    return rung__stage_go_on(begun, request);
}

rung_result rung__stage_go_on(const struct rung__stage_begun *begun, void *request)
{
    return begun->implementation->operations->run(begun->object, request);
}

rung_result rung__stage_run(struct rung__stage_set *set, enum rung__stage stage, void *request)
{
    struct rung__stage_begun begun;
    return rung__stage_begin(set, stage, request, &begun);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

json_t *rung__resolution_json(enum rung__stage stage, const struct rung__resolution *resolution)
{
    return json_pack("{s:s,s:s,s:s,s:s,s:b}", "stage", rung__stage_name(stage), "requested",
                     resolution->requested, "effective", resolution->effective->id, "reason",
                     resolution->reason.text, "fell_back", resolution->fell_back);
}

static json_t *last_json(enum rung__stage stage, const struct rung__stage_set *set)
{
    const struct rung__stage_last *last = &set->last[stage];
    if (!last->effective)
        return json_null();
    return json_pack("{s:s,s:s,s:s,s:s}", "stage", rung__stage_name(stage), "requested",
                     set->resolutions[stage].effective->id, "effective", last->effective->id,
                     "reason", last->reason.text);
}

json_t *rung__stage_set_json(const struct rung__stage_set *set)
{
    bool failed = false;
    json_t *json = json_object(), *stages = json_array(), *metadata = json_array();
    json_t *last = json_array();
    for (uint32_t stage = 0; stage < RUNG__STAGES; stage++) {
        const struct rung__resolution *at = &set->resolutions[stage];
        rung__json_append(stages, rung__resolution_json(stage, at), &failed);
        rung__json_append(metadata, rung__implementation_json(at->effective), &failed);
        rung__json_append(last, last_json(stage, set), &failed);
    }
    rung__json_set(json, "plan", rung__plan_json(&set->plan), &failed);
    rung__json_set(json, "stages", stages, &failed);
    rung__json_set(json, "metadata", metadata, &failed);
    rung__json_set(json, "last_request", last, &failed);
    if (!failed)
        return json;
    json_decref(json);
    return NULL;
}
