/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/trial.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/text.h"
#include "ladder/execution.h"
#include "ladder/trial_input.h"

/* The median of at least three runs, and of five where they take less than 300 ms. */
enum { RUNS_LEAST = 3, RUNS_MOST = 5 };
#define ENOUGH_NS (UINT64_C(300) * 1000000)

/** What was measured, in ns. */
struct times {
    uint64_t build, first, runs[RUNS_MOST];
    uint32_t count;
};

static rung_result load(const struct rung__trial_request *request,
                        struct rung__trial_session *session)
{
    struct rung__rung_execution execution;
    rung_result result =
        rung__rung_execution_make(request->rung, request->threads, request->engines, &execution);
    execution.execution.plugin = request->plugin;
    if (result == RUNG_OK)
        result = rung__provider_load(session->provider,
                                     &(struct rung__model_request){
                                         .artifact = request->artifact,
                                         .execution = &execution.execution,
                                         .threads = request->threads,
                                         .expendable = request->expendable,
                                     },
                                     &session->model, &session->report);
    rung__rung_execution_finish(&execution);
    return result;
}

rung_result rung__trial_open(const struct rung__trial_request *request,
                             struct rung__trial_session *out)
{
    *out = (struct rung__trial_session){.provider = request->rung->provider};
    rung_result result = load(request, out);
    return result == RUNG_OK
               ? out->provider->create_context(out->model, &out->memory, &out->context)
               : result;
}

static rung_result time_run(const struct rung__trial_session *session, uint64_t *ns)
{
    const uint64_t started = rung__clock_now();
    rung_result result = session->provider->run(session->context);
    *ns = rung__clock_now() - started;
    return result;
}

/** The outputs of the first run, which are what is compared. */
static rung_result copy_outputs(const struct rung__trial_session *session, struct rung__buffer *to)
{
    rung_result result = RUNG_OK;
    for (uint32_t i = 0; i < session->report.output_count && result == RUNG_OK; i++)
        result = rung__buffer_append(to, session->memory.outputs[i],
                                     (size_t)session->memory.output_bytes[i]);
    return result;
}

/** True when the last run answered the bytes of the first one. */
static bool answers_the_same(const struct rung__trial_session *session,
                             const struct rung__buffer *first)
{
    size_t at = 0;
    for (uint32_t i = 0; i < session->report.output_count; i++) {
        const size_t size = (size_t)session->memory.output_bytes[i];
        if (memcmp(first->data + at, session->memory.outputs[i], size) != 0)
            return false;
        at += size;
    }
    return true;
}

/** `answers` has those of the first run; those of one that answers otherwise follow. */
static rung_result time_more(const struct rung__trial_session *session, struct times *times,
                             struct rung__buffer *answers)
{
    const size_t one = answers->size;
    uint64_t whole = 0;
    rung_result result = RUNG_OK;
    while (result == RUNG_OK && times->count < RUNS_MOST &&
           (times->count < RUNS_LEAST || whole < ENOUGH_NS)) {
        result = time_run(session, &times->runs[times->count]);
        whole += times->runs[times->count++];
        if (result == RUNG_OK && answers->size == one && !answers_the_same(session, answers))
            result = copy_outputs(session, answers);
    }
    return result;
}

static int compare_times(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void report(const struct rung__trial_session *session, struct times *times,
                   struct rung__outcome *to)
{
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    qsort(times->runs, times->count, sizeof times->runs[0], compare_times);
    (void)rung__text_format(to->executed_by, sizeof to->executed_by, "%s",
                            session->report.executed_by);
    to->build_ns = times->build;
    to->first_ns = times->first;
    to->median_ns = times->runs[times->count / 2];
    to->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    to->runs = times->count;
}

static rung_result build_and_run(const struct rung__trial_request *request,
                                 struct rung__trial_session *session, struct times *times,
                                 struct rung__buffer *outputs)
{
    const uint64_t started = rung__clock_now();
    rung_result result = rung__trial_open(request, session);
    times->build = rung__clock_now() - started;
    if (result == RUNG_OK)
        result = rung__trial_fill_input(request->artifact, &session->memory);
    if (result == RUNG_OK)
        result = time_run(session, &times->first);
    if (result == RUNG_OK)
        result = copy_outputs(session, outputs);
    return result == RUNG_OK ? time_more(session, times, outputs) : result;
}

/** A process that ends takes everything with it, and nothing that a driver does at the end can then
 * change what it answered. */
static void finish(const struct rung__trial_request *request, struct rung__trial_session *session)
{
    if (request->expendable)
        return;
    if (session->context)
        session->provider->destroy_context(session->context);
    if (session->model)
        session->provider->destroy_model(session->model);
}

rung_result rung__trial_run(const struct rung__trial_request *request,
                            struct rung__outcome *figures, struct rung__buffer *outputs)
{
    struct rung__trial_session session = {0};
    struct times times = {0};
    rung_result result = build_and_run(request, &session, &times, outputs);
    if (result == RUNG_OK)
        report(&session, &times, figures);
    finish(request, &session);
    return result;
}
