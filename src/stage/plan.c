/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/plan.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define FALLBACK_KEY "allow_compatibility_fallback"

struct rung__plan rung__plan_default(void)
{
    struct rung__plan plan = {.allow_fallback = true};
    for (uint32_t i = 0; i < RUNG__STAGES; i++)
        memcpy(plan.ids[i], RUNG__PLAN_AUTO, sizeof RUNG__PLAN_AUTO);
    return plan;
}

const char *rung__plan_key(enum rung__stage stage)
{
    static const char *const keys[RUNG__STAGES] = {"preprocessor", "buffer", "scheduler",
                                                   "postprocessor", "engine"};
    return keys[stage];
}

rung_result rung__plan_set(struct rung__plan *plan, enum rung__stage stage, const char *id,
                           const char *where)
{
    if (*id && rung__text_format(plan->ids[stage], RUNG__STAGE_ID_BYTES, "%s", id)) {
        rung__text_clean(plan->ids[stage]);
        return RUNG_OK;
    }
    return rung__fail(RUNG_INVALID_ARGUMENT,
                      "%s: \"%.40s\" is no name of an implementation; rung plan lists them", where,
                      id);
}

rung_result rung__plan_parse(struct rung__bytes text, const char *what, struct rung__plan *out)
{
    json_t *json = NULL;
    struct rung__json_reader reader;
    struct rung__plan plan = rung__plan_default();
    rung_result result = rung__json_parse(text, what, &json);
    if (result != RUNG_OK)
        return result;
    rung__json_reader_init(&reader, json, what);
    for (uint32_t i = 0; i < RUNG__STAGES && result == RUNG_OK; i++) {
        const char *id = rung__json_text(&reader, rung__plan_key(i), false);
        if (id)
            result = rung__plan_set(&plan, i, id, what);
    }
    plan.allow_fallback = rung__json_bool(&reader, FALLBACK_KEY, false, true);
    if (result == RUNG_OK)
        result = rung__json_reader_end(&reader);
    json_decref(json);
    if (result == RUNG_OK)
        *out = plan;
    return result;
}

json_t *rung__plan_json(const struct rung__plan *plan)
{
    bool failed = false;
    json_t *json = json_object();
    for (uint32_t i = 0; i < RUNG__STAGES; i++)
        rung__json_set(json, rung__plan_key(i), json_string(plan->ids[i]), &failed);
    rung__json_set(json, FALLBACK_KEY, json_boolean(plan->allow_fallback), &failed);
    if (!failed)
        return json;
    json_decref(json);
    return NULL;
}
