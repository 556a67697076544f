/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/probe.h"

#include "artifact/tensors.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "ladder/table.h"
#include "runtime/helper.h"

#define NS_MAX (UINT64_C(1) << 53)

static uint64_t outputs_bytes(const struct rung__tensors *tensors)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < tensors->output_count; i++)
        bytes += rung__tensor_size(&tensors->outputs[i]);
    return bytes;
}

static bool read_figures(const json_t *json, struct rung__outcome *to)
{
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, json, "the answer");
    (void)rung__json_member(&reader, RUNG__HELPER_RESULT);
    (void)rung__json_member(&reader, RUNG__HELPER_DETAIL);
    const char *by = rung__json_text(&reader, RUNG__PROBE_EXECUTED_BY, true);
    to->build_ns = rung__json_u64(&reader, RUNG__PROBE_BUILD_NS, 0, NS_MAX, true, 0);
    to->first_ns = rung__json_u64(&reader, RUNG__PROBE_FIRST_NS, 0, NS_MAX, true, 0);
    to->median_ns = rung__json_u64(&reader, RUNG__PROBE_MEDIAN_NS, 0, NS_MAX, true, 0);
    to->peak_bytes = rung__json_u64(&reader, RUNG__PROBE_PEAK_BYTES, 0, NS_MAX, true, 0);
    to->runs = (uint32_t)rung__json_u64(&reader, RUNG__PROBE_RUNS, 1, UINT16_MAX, true, 0);
    if (rung__json_reader_end(&reader) != RUNG_OK)
        return false;
    (void)rung__text_format(to->executed_by, sizeof to->executed_by, "%s", by);
    return true;
}

/** A rung that ran: its outputs are exactly those that the file declares, once or twice, or it did
 * not. */
static rung_result take_answer(const struct rung__probe_task *task,
                               const struct rung__helper_answer *answer, struct rung__trial *out)
{
    const uint64_t wanted = outputs_bytes(&task->artifact->tensors);
    const bool is_whole = answer->more.size == wanted || answer->more.size == 2 * wanted;
    if (!read_figures(answer->json, &out->outcome) || !is_whole) {
        rung__outcome_set(&out->outcome, RUNG__OUTCOME_FAILED,
                          "the trial process gave no answer that can be read");
        return RUNG_OK;
    }
    out->answered = true;
    out->outcome.threads = task->threads;
    return rung__buffer_append(&out->outputs, answer->more.data, answer->more.size);
}

static void take_failure(const struct rung__helper_answer *answer, struct rung__outcome *out)
{
    static const enum rung__outcome_kind kinds[] = {
        [RUNG__PROCESS_EXITED] = RUNG__OUTCOME_FAILED,
        [RUNG__PROCESS_SIGNALLED] = RUNG__OUTCOME_CRASHED,
        [RUNG__PROCESS_TIMEOUT] = RUNG__OUTCOME_TIMEOUT,
    };
    rung__outcome_set(out, kinds[answer->end], "%s", rung_last_error());
}

rung_result rung__probe_try(const struct rung__probe_task *task, struct rung__trial *out)
{
    char threads[16];
    struct rung__helper_answer answer;
    const char *const arguments[] = {RUNG__PROBE_TRIAL, rung__rung_told(task->rung),
                                     task->library,     task->plugin ? task->plugin : "",
                                     threads,           NULL};
    *out = (struct rung__trial){.rung = task->rung};
    (void)rung__text_format(threads, sizeof threads, "%u", task->threads);
    rung_result result = rung__helper_ask(
        &(struct rung__helper_task){.helper = task->helper,
                                    .arguments = arguments,
                                    .input = task->artifact->file,
                                    .time_limit_ns = task->time_limit_ns,
                                    .more_output =
                                        (size_t)(2 * outputs_bytes(&task->artifact->tensors)),
                                    .low_priority = true},
        &answer);
    if (result == RUNG_OK)
        result = take_answer(task, &answer, out);
    else if (answer.answered || result == RUNG_BACKEND) {
        take_failure(&answer, &out->outcome);
        result = RUNG_OK;
    }
    rung__helper_answer_finish(&answer);
    return result;
}

void rung__trial_finish(struct rung__trial *trial)
{
    rung__buffer_finish(&trial->outputs);
    *trial = (struct rung__trial){0};
}
