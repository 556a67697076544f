/* SPDX-License-Identifier: Apache-2.0 */
/* rung-probe run RUNG LIBRARY PLUGIN THREADS <MODEL FILE: a real session on one rung, timed. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/error.h"
#include "input.h"
#include "ladder/probe.h"
#include "probe.h"
#include "session.h"

/* The median of at least three runs, and of five where they take less than 300 ms. */
enum { RUNS_LEAST = 3, RUNS_MOST = 5 };
#define ENOUGH_NS (UINT64_C(300) * 1000000)

/** What was measured, in ns. */
struct times {
    uint64_t build, first, runs[RUNS_MOST];
    uint32_t count;
};

static rung_result time_run(const struct session *session, uint64_t *ns)
{
    const uint64_t started = rung__clock_now();
    rung_result result = session->provider->run(session->context);
    *ns = rung__clock_now() - started;
    return result;
}

/** The outputs of the first run, which are what is compared. */
static rung_result copy_outputs(const struct session *session, struct rung__buffer *to)
{
    rung_result result = RUNG_OK;
    for (uint32_t i = 0; i < session->report.output_count && result == RUNG_OK; i++)
        result = rung__buffer_append(to, session->memory.outputs[i],
                                     (size_t)session->memory.output_bytes[i]);
    return result;
}

/** True when the last run answered the bytes of the first one. */
static bool answers_the_same(const struct session *session, const struct rung__buffer *first)
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
static rung_result time_more(const struct session *session, struct times *times,
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

static rung_result report(const struct session *session, struct times *times, struct answer *answer)
{
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    qsort(times->runs, times->count, sizeof times->runs[0], compare_times);
    answer->members =
        json_pack("{s:s,s:I,s:I,s:I,s:I,s:i}", RUNG__PROBE_EXECUTED_BY, session->report.executed_by,
                  RUNG__PROBE_BUILD_NS, (json_int_t)times->build, RUNG__PROBE_FIRST_NS,
                  (json_int_t)times->first, RUNG__PROBE_MEDIAN_NS,
                  (json_int_t)times->runs[times->count / 2], RUNG__PROBE_PEAK_BYTES,
                  (json_int_t)usage.ru_maxrss * 1024, RUNG__PROBE_RUNS, (int)times->count);
    return answer->members ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for an answer");
}

rung_result run_rung(char **operands, struct rung__bytes file, struct answer *answer)
{
    struct rung__artifact_view view;
    struct session session = {0};
    struct times times = {0};
    const uint64_t started = rung__clock_now();
    rung_result result = session_open(file, operands, NULL, &view, &session);
    times.build = rung__clock_now() - started;
    if (result != RUNG_OK)
        return result; /* the process ends, and everything with it */
    result = fill_input(&view, &session.memory);
    if (result == RUNG_OK)
        result = time_run(&session, &times.first);
    if (result == RUNG_OK)
        result = copy_outputs(&session, &answer->outputs);
    if (result == RUNG_OK)
        result = time_more(&session, &times, &answer->outputs);
    return result == RUNG_OK ? report(&session, &times, answer) : result;
}
