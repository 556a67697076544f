/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/trial_thread.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "base/thread.h"
#include "ladder/trial.h"

/* How often is looked whether the host wants to end, and how long the trial at hand is then waited
 * for: an exit while a driver works on another thread is what a host may not survive. */
#define LOOK_NS   (UINT64_C(50) * 1000000)
#define ENDING_NS (UINT64_C(10) * 1000000000)

/** A trial, which belongs to the thread and to the one who waits; the last of them frees it. */
struct job {
    struct rung__mutex mutex;
    struct rung__condition condition;
    bool done, left;
    struct rung__artifact_view artifact;
    struct rung__trial_request request;
    struct rung__outcome figures;
    struct rung__buffer outputs;
    rung_result result;
    char reason[RUNG__OUTCOME_REASON];
};

static void free_job(struct job *job)
{
    rung__buffer_finish(&job->outputs);
    rung__condition_finish(&job->condition);
    rung__mutex_finish(&job->mutex);
    free(job);
}

static void work(void *argument)
{
    struct job *job = argument;
    rung__thread_yield_to_others();
    job->result = rung__trial_run(&job->request, &job->figures, &job->outputs);
    if (job->result != RUNG_OK)
        (void)rung__text_format(job->reason, sizeof job->reason, "%s", rung_last_error());
    rung__mutex_lock(&job->mutex);
    job->done = true;
    const bool left = job->left;
    rung__condition_signal(&job->condition);
    rung__mutex_unlock(&job->mutex);
    if (left)
        free_job(job);
}

/** True when it came back before its deadline, or before the host's patience ended. */
static bool await(struct job *job, uint64_t deadline, const atomic_bool *ending)
{
    bool told = false;
    rung__mutex_lock(&job->mutex);
    for (uint64_t now = rung__clock_now(); !job->done && now < deadline; now = rung__clock_now()) {
        if (ending && !told && atomic_load(ending)) {
            told = true;
            deadline = now + ENDING_NS < deadline ? now + ENDING_NS : deadline;
        }
        (void)rung__condition_wait(&job->condition, &job->mutex, now + LOOK_NS);
    }
    const bool done = job->done;
    job->left = !done; /* and from here on the thread's alone */
    rung__mutex_unlock(&job->mutex);
    return done;
}

static void take(struct job *job, struct rung__trial *out)
{
    if (job->result != RUNG_OK) {
        rung__outcome_set(&out->outcome, RUNG__OUTCOME_FAILED, "%s", job->reason);
        return;
    }
    out->outcome = job->figures;
    out->outcome.threads = job->request.threads;
    out->outputs = job->outputs;
    out->answered = true;
    job->outputs = (struct rung__buffer){0};
}

/** NULL: it could not be started. */
static struct job *start(const struct rung__probe_task *task, struct rung__thread *thread)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job) {
        (void)rung__fail(RUNG_NO_MEMORY, "no memory for a trial");
        return NULL;
    }
    rung__mutex_init(&job->mutex);
    rung__condition_init(&job->condition);
    job->artifact = *task->artifact;
    job->request = (struct rung__trial_request){
        .rung = task->rung,
        .artifact = &job->artifact,
        .plugin = task->plugin,
        .threads = task->threads,
    };
    if (rung__thread_start(thread, "rung-trial", work, job) == RUNG_OK)
        return job;
    free_job(job);
    return NULL;
}

rung_result rung__probe_try_here(const struct rung__probe_task *task, const atomic_bool *ending,
                                 struct rung__trial *out, bool *left)
{
    struct rung__thread thread;
    rung_result result = RUNG_OK;
    *out = (struct rung__trial){.rung = task->rung, .outcome.threads = task->threads};
    *left = false;
    struct job *job = start(task, &thread);
    if (!job)
        return RUNG_NO_MEMORY;
    if (!await(job, rung__clock_now() + task->time_limit_ns, ending)) {
        *left = true;
        rung__thread_leave(&thread);
        rung__outcome_set(&out->outcome, RUNG__OUTCOME_TIMEOUT,
                          "it did not come back in %.0f s, and stays on a thread of this process",
                          (double)task->time_limit_ns / 1e9);
    } else {
        rung__thread_join(&thread);
        take(job, out);
        result =
            job->result == RUNG_NO_MEMORY ? rung__fail(RUNG_NO_MEMORY, "%s", job->reason) : RUNG_OK;
        free_job(job);
    }
    if (result == RUNG_OK && ending && atomic_load(ending))
        result = rung__fail(RUNG_BUSY, "the instance ends");
    return result;
}
