/* SPDX-License-Identifier: Apache-2.0 */
/* What follows a probe: records for the stages around the model, on the rung that serves it. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "session/handover.h"
#include "session/model.h"
#include "session/validate.h"

#define LIMIT_NS  (UINT64_C(5) * 1000000000)  /* for each implementation */
#define HELPER_NS (UINT64_C(30) * 1000000000) /* for all of it, with loading the model */

/** Adds "threaded-exact-v1 recorded" to what is told. */
static void add_row(void *user, const rung_validation *row)
{
    char *told = user;
    const size_t length = strlen(told);
    (void)rung__text_format(told + length, RUNG__VALIDATE_TOLD_BYTES - length, "%s%s %s",
                            length ? ", " : "", row->implementation, row->outcome);
}

rung_result rung__validate_here(rung_instance *instance, const char *path,
                                const atomic_bool *ending, char told[RUNG__VALIDATE_TOLD_BYTES])
{
    rung_model *model = NULL;
    rung_result result = rung_model_open(instance, path, NULL, &model);
    told[0] = '\0';
    if (result == RUNG_OK)
        result = rung__validate(model, &(struct rung__validate_task){
                                           .catalog = &rung__catalog,
                                           .limit_ns = LIMIT_NS,
                                           .unproven = true,
                                           .ending = ending,
                                           .callback = add_row,
                                           .user = told,
                                       });
    rung_model_destroy(model);
    return result;
}

static rung_result validate_in_helper(rung_instance *instance, const char *path,
                                      char told[RUNG__VALIDATE_TOLD_BYTES])
{
    struct rung__helper_answer answer;
    rung_result result = rung__hand_over(instance,
                                         &(struct rung__handover){.subcommand = RUNG__VALIDATE,
                                                                  .model = path,
                                                                  .time_limit_ns = HELPER_NS,
                                                                  .low_priority = true},
                                         &answer);
    const char *text = json_string_value(json_object_get(answer.json, RUNG__VALIDATE_TOLD));
    (void)rung__text_format(told, RUNG__VALIDATE_TOLD_BYTES, "%s", text ? text : "");
    rung__text_clean(told);
    rung__helper_answer_finish(&answer);
    return result;
}

void rung__validate_unasked(rung_instance *instance, const char *path)
{
    char told[RUNG__VALIDATE_TOLD_BYTES];
    if (!instance->state)
        return;
    rung_result result =
        instance->helper ? validate_in_helper(instance, path, told)
                         : rung__validate_here(instance, path, &instance->background.ending, told);
    if (result == RUNG_OK)
        rung__log_write(&instance->log, RUNG_LOG_INFO, "the stages around the model: %s", told);
    else
        rung__log_write(&instance->log, RUNG_LOG_WARNING,
                        "the stages around the model are not validated: %s", rung_last_error());
}
