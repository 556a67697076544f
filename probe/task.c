/* SPDX-License-Identifier: Apache-2.0 */
#include "task.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "ladder/policy.h"
#include "session/handover.h"

rung_result task_read(struct rung__bytes input, struct task *to)
{
    struct rung__json_reader reader;
    rung_result result = rung__json_parse(input, "the task", &to->json);
    if (result != RUNG_OK)
        return result;
    rung__json_reader_init(&reader, to->json, "the task");
    (void)rung__json_u64(&reader, "schema", RUNG__HANDOVER_SCHEMA, RUNG__HANDOVER_SCHEMA, true,
                         RUNG__HANDOVER_SCHEMA);
    to->model = rung__json_text(&reader, RUNG__HANDOVER_MODEL, true);
    to->library = rung__json_text(&reader, RUNG__HANDOVER_LIBRARY, false);
    to->variables = rung__json_member(&reader, RUNG__HANDOVER_VARIABLES);
    const char *policy = rung__json_text(&reader, RUNG__HANDOVER_POLICY, false);
    to->options = (rung_instance_options){
        .struct_size = sizeof to->options,
        .version = RUNG_STRUCT_VERSION,
        .runtime_path = rung__json_text(&reader, RUNG__HANDOVER_RUNTIMES, false),
        .trust_path = rung__json_text(&reader, RUNG__HANDOVER_TRUST, false),
        .helper_path = rung__json_text(&reader, RUNG__HANDOVER_HELPER, true),
        .probe = RUNG_PROBE_OFF,
    };
    if (rung__json_bool(&reader, RUNG__HANDOVER_UNSIGNED, true, false))
        to->options.flags |= RUNG_INSTANCE_ALLOW_UNSIGNED;
    if (policy && !rung__name_value(&rung__policy_names, policy, &to->policy))
        rung__json_refuse(&reader, "there is no policy \"%s\"", policy);
    return rung__json_reader_end(&reader);
}

/** The variables as the instance read them, whatever became of them since. */
static rung_result take_variable(const json_t *variables, const char *name)
{
    const char *value = json_string_value(json_object_get(variables, name));
    if (value)
        return rung__environment_set(name, value);
    (void)unsetenv(name);
    return RUNG_OK;
}

static rung_result take_variables(const json_t *variables)
{
    rung_result result = RUNG_OK;
#define TAKE(field, name, text)                                                                    \
    if (result == RUNG_OK)                                                                         \
        result = take_variable(variables, name);
    RUNG__ENVIRONMENT(TAKE)
#undef TAKE
    return result;
}

rung_result task_instance(const struct task *task, rung_instance **out)
{
    rung_result result = take_variables(task->variables);
    if (result == RUNG_OK)
        result = rung_instance_create(&task->options, out);
    if (result != RUNG_OK || !task->library)
        return result;
    (*out)->library = rung__text_new("%s", task->library);
    if ((*out)->library)
        return RUNG_OK;
    rung_instance_destroy(*out);
    return rung__fail(RUNG_NO_MEMORY, "no memory for the path of the library");
}
