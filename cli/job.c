/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline.h"
#include "plans.h"
#include "progress.h"
#include "report.h"
#include "resume.h"
#include "signals.h"

/* How long the main thread waits before it looks whether it was interrupted, and draws the bar. */
#define TICK_MS 100

/* One decoder keeps this many sessions busy: a run takes some five times as long as decoding. */
#define SESSIONS_PER_DECODER 4u

static const char hint_throughput[] = "throughput", hint_latency[] = "latency";
const char *const job_hints[] = {hint_throughput, hint_latency, NULL};

/** What one call of a command holds. */
struct job {
    const struct job_work *work;
    void *user;
    rung_instance *instance;
    struct sources sources;
    struct resume resume;
    struct job_plan plan;
    struct pipeline *pipeline;
    void **sessions;
    json_t *settings;
    struct progress progress;
    size_t skipped, done, failed, counted;
    int status;
};

double job_now_ms(void)
{
    return (double)now_ns() / 1e6;
}

void job_item_fail(struct job_item *item, rung_result result)
{
    const char *detail = rung_last_error();
    item->error.code = rung_result_name(result);
    snprintf(item->error.message, sizeof item->error.message, "%s",
             detail[0] ? detail : rung_result_text(result));
    item->status = exit_of(result);
}

void job_item_fail_memory(struct job_item *item)
{
    item->error = (struct photo_error){"NO_MEMORY", "there is no memory to report what was found"};
    item->status = EXIT_BACKEND;
}

/* ---- one result after the other ----------------------------------------------------------- */

/** A failing runtime says more than a file that cannot be read. */
static void note_status(struct job *job, int status)
{
    if (job->status == EXIT_DONE || status == EXIT_BACKEND)
        job->status = status;
}

static int write_error(struct job *job, const struct job_item *item)
{
    const char *path = item->source->path;
    int (*const note)(void *, const json_t *) = job->work->note_failure;
    int status = EXIT_DONE;
    json_t *line =
        common.resume || common.json || note ? report_error_line(path, &item->error) : NULL;
    if (line && common.resume)
        status = resume_append(&job->resume, line);
    if (!line || common.resume || !common.json || !print_json(line))
        fprintf(stderr, "rung: %s: %s\n", path, item->error.message);
    if (status == EXIT_DONE && note)
        status = line ? note(job->user, line) : fail_memory();
    json_decref(line);
    job->failed++;
    note_status(job, item->status);
    return status;
}

static int write_result(struct job *job, const struct job_item *item)
{
    int status = EXIT_DONE;
    if (common.resume)
        status = resume_append(&job->resume, item->line);
    else if (common.json && !print_json(item->line))
        status = fail_memory();
    if (status == EXIT_DONE)
        status = job->work->write(job->user, item->index, item->line);
    job->done++;
    if (job->work->counted)
        job->counted += json_array_size(json_object_get(item->line, job->work->counted));
    return status;
}

/* Not json_object_update_missing: where there is no memory for a member it leaves it out, and says
 * nothing. */
static bool complete_line(json_t *line, json_t *settings)
{
    const char *key;
    json_t *value;
    json_object_foreach(settings, key, value)
    {
        if (!json_object_get(line, key) && json_object_set(line, key, value) != 0)
            return false;
    }
    return true;
}

/** Gives EXIT_DONE unless the job cannot go on. */
static int take_item(struct job *job, struct job_item *item)
{
    int status;
    progress_clear(&job->progress);
    if (item->line && !complete_line(item->line, job->settings)) {
        json_decref(item->line);
        item->line = NULL;
        job_item_fail_memory(item);
    }
    status = item->line ? write_result(job, item) : write_error(job, item);
    pipeline_release(job->pipeline, item);
    if (status == EXIT_DONE && ferror(stdout))
        status = EXIT_IO; /* main says why */
    return status;
}

static int take_all(struct job *job)
{
    struct job_item *item;
    enum pipeline_state state;
    int status = EXIT_DONE;
    while ((state = pipeline_next(job->pipeline, TICK_MS, &item)) != PIPELINE_END) {
        if (state == PIPELINE_ITEM && status == EXIT_DONE)
            status = take_item(job, item);
        else if (state == PIPELINE_ITEM)
            pipeline_release(job->pipeline, item);
        if (signals_caught() || status != EXIT_DONE)
            pipeline_stop(job->pipeline);
        progress_draw(&job->progress, job->done + job->failed, job_now_ms());
    }
    progress_clear(&job->progress);
    return status;
}

/* ---- before and after --------------------------------------------------------------------- */

static size_t count_done(const struct sources *sources)
{
    size_t done = 0;
    for (size_t i = 0; i < sources->count; i++)
        done += sources->items[i].done;
    return done;
}

static int list_sources(struct job *job, int count, char **operands)
{
    char why[512];
    if (!sources_list(&job->sources, count, operands, common.null_separated, why, sizeof why)) {
        fprintf(stderr, "rung: %s\n", why);
        return errno == ENOMEM ? EXIT_BACKEND : EXIT_IO;
    }
    int status = EXIT_DONE;
    if (common.resume)
        status = resume_open(&job->resume, common.resume, &job->sources);
    job->skipped = count_done(&job->sources);
    return status;
}

static void make_plan(struct job *job)
{
    const size_t left = job->sources.count - job->skipped;
    const uint32_t threads = common.threads ? common.threads : rung_default_threads();
    const bool one = common.hint ? common.hint == hint_latency : left <= 1;
    job->plan = one ? (struct job_plan){1, threads} : (struct job_plan){threads, 1};
    if (job->plan.sessions > left && left > 0)
        job->plan.sessions = (uint32_t)left;
}

/** Before there is a thread that loads libvips: the system's loader would let this one wait. */
static int make_instance(struct job *job)
{
    const rung_result result = open_instance(&job->instance);
    return result == RUNG_OK ? EXIT_DONE : fail_with(result);
}

static int start_pipeline(struct job *job)
{
    const uint32_t sessions = job->plan.sessions;
    const uint32_t decoders = (sessions + SESSIONS_PER_DECODER - 1) / SESSIONS_PER_DECODER;
    /* On one picture all threads are for the run: nothing is decoded meanwhile. */
    const bool ahead = job->plan.threads == 1;
    const struct pipeline_size size = {decoders, sessions, ahead ? 2 * sessions + decoders + 1 : 1};
    job->pipeline = pipeline_start(&job->sources, size, common.max_pixels);
    return job->pipeline ? EXIT_DONE : EXIT_BACKEND;
}

static int make_sessions(struct job *job)
{
    job->sessions = calloc(job->plan.sessions, sizeof *job->sessions);
    if (!job->sessions)
        return fail_memory();
    for (uint32_t i = 0; i < job->plan.sessions; i++) {
        const rung_result result = job->work->session_new(job->user, &job->sessions[i]);
        if (result == RUNG_NO_MEMORY)
            return fail_memory(); /* also that of the command itself, which the library knows not */
        if (result != RUNG_OK)
            return fail_with(result);
    }
    return EXIT_DONE;
}

/** What is wrong with the model is said first. */
static int refuse_no_pictures(const char *operand)
{
    fprintf(stderr, "rung: no pictures in %s\n", operand);
    return EXIT_IO;
}

/** Opens the model, and everything that the results go to. */
static int prepare(struct job *job, char **operands)
{
    const struct job_work *work = job->work;
    int status = work->open(job->user, job->instance, &job->plan);
    if (status == EXIT_DONE && job->sources.count == 0)
        status = refuse_no_pictures(operands[0]);
    if (status == EXIT_DONE)
        status = make_sessions(job);
    if (status == EXIT_DONE && !(job->settings = work->settings(job->user)))
        status = fail_memory();
    if (status == EXIT_DONE && work->begin)
        status = work->begin(job->user, &job->sources);
    if (status == EXIT_DONE && common.resume)
        status = resume_replay(&job->resume, job->settings, work->write, job->user);
    return status;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void summarise(const struct job *job, double seconds)
{
    char served[256];
    const char *noun = job->work->noun;
    job->work->describe(job->user, served, sizeof served);
    fprintf(stderr, "%zu picture%s, ", job->done, plural(job->done));
    if (noun)
        fprintf(stderr, "%zu %s%s, ", job->counted, noun, plural(job->counted));
    fprintf(stderr, "%zu error%s in %.2f s", job->failed, plural(job->failed), seconds);
    if (job->skipped)
        fprintf(stderr, "; %zu were done before", job->skipped);
    fprintf(stderr, " (%s, %u × %u thread%s)\n", served, job->plan.sessions, job->plan.threads,
            plural(job->plan.threads));
}

static int work_through(struct job *job, char **operands)
{
    int status = prepare(job, operands);
    const double begin = job_now_ms();
    if (status != EXIT_DONE)
        return status;
    if (!pipeline_start_sessions(job->pipeline, job->work, job->user, job->sessions))
        return EXIT_BACKEND;
    progress_begin(&job->progress, job->sources.count, job->skipped, begin);
    status = take_all(job);
    const char *failure = pipeline_failed(job->pipeline);
    if (failure) {
        fprintf(stderr, "rung: %s\n", failure);
        return EXIT_BACKEND;
    }
    if (status == EXIT_DONE && job->work->finish)
        status = job->work->finish(job->user);
    if (!common.json)
        summarise(job, (job_now_ms() - begin) / 1e3);
    if (signals_caught())
        fprintf(stderr, "rung: interrupted after %zu of %zu pictures\n",
                job->skipped + job->done + job->failed, job->sources.count);
    if (status != EXIT_DONE)
        return status;
    return signals_caught() ? EXIT_INTERRUPTED : job->status;
}

static void tear_down(struct job *job)
{
    if (job->pipeline) {
        pipeline_end(job->pipeline);
        photo_stop();
    }
    for (uint32_t i = 0; job->sessions && i < job->plan.sessions; i++)
        if (job->sessions[i])
            job->work->session_free(job->sessions[i]);
    free(job->sessions);
    job->work->close(job->user);
    rung_instance_destroy(job->instance);
    json_decref(job->settings);
    sources_finish(&job->sources);
}

int job_run(const struct job_work *work, void *user, int count, char **operands)
{
    struct job job = {.work = work, .user = user, .resume = {.file = -1}};
    signals_catch();
    int status = plan_take();
    if (status == EXIT_DONE)
        status = list_sources(&job, count, operands);
    if (status == EXIT_DONE)
        status = make_instance(&job);
    if (status == EXIT_DONE) {
        make_plan(&job);
        status = start_pipeline(&job);
    }
    if (status == EXIT_DONE)
        status = work_through(&job, operands);
    tear_down(&job);
    const int closed = resume_close(&job.resume);
    return status == EXIT_DONE ? closed : status;
}
