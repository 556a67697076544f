/* SPDX-License-Identifier: Apache-2.0 */
#include "session/handover.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "base/library.h"
#include "ladder/policy.h"

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to hand work over to the helper program");
}

static void set_text(json_t *object, const char *key, const char *text, bool *failed)
{
    if (text)
        rung__json_set(object, key, json_string(text), failed);
}

/** The environment, and in it the ladder file that an option named. */
static json_t *describe_variables(const struct rung_instance *instance, bool *failed)
{
    const struct rung__environment *environment = &instance->environment;
    json_t *object = json_object();
#define SET(field, name, text) set_text(object, name, environment->field, failed);
    RUNG__ENVIRONMENT(SET)
#undef SET
    set_text(object, RUNG__LADDER_VARIABLE, instance->table.path, failed);
    return object;
}

/** All that the helper needs to do what this instance would do. */
static json_t *describe(const struct rung_instance *instance, const char *model, bool *failed)
{
    char *library = rung__library_path_of(rung__runtimes);
    json_t *object =
        json_pack("{s:i,s:s,s:b}", "schema", RUNG__HANDOVER_SCHEMA, RUNG__HANDOVER_MODEL, model,
                  RUNG__HANDOVER_UNSIGNED, (instance->flags & RUNG_INSTANCE_ALLOW_UNSIGNED) != 0);
    set_text(object, RUNG__HANDOVER_POLICY,
             rung__name_text(&rung__policy_names, (uint32_t)instance->probe), failed);
    set_text(object, RUNG__HANDOVER_HELPER, instance->helper, failed);
    set_text(object, RUNG__HANDOVER_LIBRARY, library, failed);
    set_text(object, RUNG__HANDOVER_RUNTIMES, instance->runtime_path, failed);
    set_text(object, RUNG__HANDOVER_TRUST, instance->trust_path, failed);
    rung__json_set(object, RUNG__HANDOVER_VARIABLES, describe_variables(instance, failed), failed);
    free(library);
    return object;
}

static rung_result ask(const struct rung_instance *instance, const struct rung__handover *what,
                       const json_t *json, struct rung__helper_answer *out)
{
    const char *const arguments[] = {what->subcommand, NULL};
    size_t size = 0;
    (void)rung__json_write(json, (rung_span){0}, &size);
    char *text = size ? malloc(size) : NULL;
    if (!text)
        return no_memory();
    rung_result result = rung__json_write(json, (rung_span){text, size}, NULL);
    if (result == RUNG_OK)
        result = rung__helper_ask(
            &(struct rung__helper_task){
                .helper = instance->helper,
                .arguments = arguments,
                .input = {(const uint8_t *)text, size - 1},
                .time_limit_ns = what->time_limit_ns,
                .low_priority = what->low_priority,
                .cancel = what->cancel,
            },
            out);
    free(text);
    return result;
}

rung_result rung__hand_over(const struct rung_instance *instance, const struct rung__handover *what,
                            struct rung__helper_answer *out)
{
    bool failed = false;
    *out = (struct rung__helper_answer){0};
    json_t *json = describe(instance, what->model, &failed);
    rung_result result = json && !failed ? ask(instance, what, json, out) : no_memory();
    json_decref(json);
    return result;
}
