/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/engine_build.h"

#include "base/error.h"
#include "base/text.h"
#include "ladder/table.h"
#include "runtime/helper.h"

static rung_result take_failure(const struct rung__helper_answer *answer, rung_result result,
                                struct rung__outcome *out)
{
    if (answer->end == RUNG__PROCESS_CANCELLED)
        return rung__fail(RUNG_CANCELLED, "the build of an engine was given up");
    /* What was never started is no outcome, nor is what had no memory. */
    if (result == RUNG_NO_MEMORY || (!answer->answered && result != RUNG_BACKEND))
        return result;
    rung__outcome_set(out,
                      answer->end == RUNG__PROCESS_SIGNALLED ? RUNG__OUTCOME_CRASHED
                      : answer->end == RUNG__PROCESS_TIMEOUT ? RUNG__OUTCOME_TIMEOUT
                                                             : RUNG__OUTCOME_FAILED,
                      "%s", rung_last_error());
    return RUNG_OK;
}

rung_result rung__engine_build(const struct rung__engine_task *task, struct rung__outcome *out)
{
    char threads[16];
    struct rung__helper_answer answer;
    const char *const arguments[] = {
        RUNG__ENGINE_BUILD,
        rung__rung_told(task->rung),
        task->library,
        task->plugin ? task->plugin : "",
        threads,
        task->folder,
        NULL,
    };
    *out = (struct rung__outcome){0};
    (void)rung__text_format(threads, sizeof threads, "%u", task->threads);
    rung_result result =
        rung__helper_ask(&(struct rung__helper_task){.helper = task->helper,
                                                     .arguments = arguments,
                                                     .input = task->artifact->file,
                                                     .time_limit_ns = task->time_limit_ns,
                                                     .low_priority = true,
                                                     .cancel = task->cancel},
                         &answer);
    if (result == RUNG_OK)
        rung__outcome_set(out, RUNG__OUTCOME_CHOSEN, "%s", "");
    else
        result = take_failure(&answer, result, out);
    rung__helper_answer_finish(&answer);
    return result;
}
