/* SPDX-License-Identifier: Apache-2.0 */
/* Which engine is built when: one after the other, the smallest model first. */
#include "session/engines_queue.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "session/engines_build.h"
#include "session/model.h"
#include "session/providers.h"
#include "session/structure.h"

#define TIME_LIMIT_MS 600000u
#define MS            UINT64_C(1000000) /* in ns */

/* How often is asked whether another process has come to the end of its build. */
#define BUSY_NS (200 * MS)

#define MODELS_MOST 65536u

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to build engines");
}

/* ---- pausing ---- */

void rung__engine_builder_init(struct rung__engine_builder *builder)
{
    rung__mutex_init(&builder->mutex);
    rung__condition_init(&builder->changed);
}

static void set_paused(struct rung__engine_builder *builder, bool paused)
{
    rung__mutex_lock(&builder->mutex);
    builder->paused = paused;
    atomic_store(&builder->hold, paused || builder->ending);
    rung__condition_broadcast(&builder->changed);
    rung__mutex_unlock(&builder->mutex);
}

void rung_engines_pause(rung_instance *instance)
{
    if (instance)
        set_paused(&instance->builder, true);
}

void rung_engines_resume(rung_instance *instance)
{
    if (instance)
        set_paused(&instance->builder, false);
}

/** False when there is no going on. */
static bool may_go_on(struct rung__engine_builder *builder)
{
    rung__mutex_lock(&builder->mutex);
    while (builder->paused && !builder->ending)
        (void)rung__condition_wait(&builder->changed, &builder->mutex, RUNG__CLOCK_NEVER);
    const bool ending = builder->ending;
    rung__mutex_unlock(&builder->mutex);
    return !ending;
}

static void wait_a_while(struct rung__engine_builder *builder)
{
    rung__mutex_lock(&builder->mutex);
    if (!builder->paused && !builder->ending)
        (void)rung__condition_wait(&builder->changed, &builder->mutex, rung__clock_now() + BUSY_NS);
    rung__mutex_unlock(&builder->mutex);
}

/* ---- one after the other ---- */

/** Models on their way through, and who is told. */
struct walk {
    struct rung_instance *instance;
    uint32_t done, total;
    rung_engines_progress_callback callback;
    void *user;
};

static void tell(void *user, const struct rung__engine_want *want,
                 const struct rung__engine_progress *progress)
{
    const struct walk *walk = user;
    if (walk->callback)
        walk->callback(walk->user, &(rung_engines_progress){
                                       .struct_size = sizeof(rung_engines_progress),
                                       .version = RUNG_STRUCT_VERSION,
                                       .done = walk->done,
                                       .total = walk->total,
                                       .result = progress->result,
                                       .path = want->path,
                                       .rung = progress->rung ? progress->rung->id : "",
                                       .state = progress->state,
                                       .reason = progress->reason,
                                   });
}

/** Until it is through, however often it was held. Results: those of rung__engines_build_one but
 * BUSY; CANCELLED: at the end of the instance. */
static rung_result build_one(struct walk *walk, const struct rung__engine_want *want,
                             struct rung__engine_progress *progress)
{
    struct rung__engine_builder *builder = &walk->instance->builder;
    const struct rung__engine_listener listener = {tell, walk};
    rung_result result = RUNG_CANCELLED;
    while ((result == RUNG_CANCELLED || result == RUNG_BUSY) && may_go_on(builder)) {
        result = rung__engines_build_one(walk->instance, want, &builder->hold, &listener, progress);
        if (result == RUNG_BUSY)
            wait_a_while(builder);
    }
    return result == RUNG_BUSY ? RUNG_CANCELLED : result;
}

/* ---- what is wanted ---- */

static void finish_wants(struct rung__engine_want *wants, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(wants[i].path);
    free(wants);
}

static int by_bytes(const void *left, const void *right)
{
    const struct rung__engine_want *a = left, *b = right;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static rung_result read_options(const rung_instance *instance,
                                const rung_engines_options *caller_options,
                                struct rung__engine_want *out)
{
    rung_engines_options options;
    *out = (struct rung__engine_want){0};
    rung_result result =
        rung__structure_read(&options, sizeof options, caller_options, "rung_engines_options");
    if (result == RUNG_OK)
        result =
            rung__structure_check_flags(options.flags, RUNG_ENGINES_AGAIN, "rung_engines_options");
    if (result != RUNG_OK)
        return result;
    out->again = options.flags & RUNG_ENGINES_AGAIN;
    out->time_limit_ns = (options.time_limit_ms ? options.time_limit_ms : TIME_LIMIT_MS) * MS;
    if (options.rung && !(out->rung = rung__table_find(&instance->table, options.rung)))
        return rung__fail(RUNG_NOT_FOUND, "there is no rung \"%s\"; rung explain lists them",
                          options.rung);
    return rung__threads_resolve(instance, options.threads, "rung_engines_options", &out->threads);
}

/** The smallest first; a file that is not there has its end like the others. */
static rung_result make_wants(const char *const *paths, uint32_t count,
                              const struct rung__engine_want *options,
                              struct rung__engine_want **out)
{
    struct rung__glance glance;
    struct rung__engine_want *wants = calloc(count, sizeof *wants);
    *out = NULL;
    if (!wants)
        return no_memory();
    for (uint32_t i = 0; i < count; i++) {
        wants[i] = *options;
        wants[i].path = rung__text_new("%s", paths[i]);
        if (!wants[i].path) {
            finish_wants(wants, i);
            return no_memory();
        }
        (void)rung__artifact_look(paths[i], &glance);
        wants[i].bytes = glance.bytes;
    }
    qsort(wants, count, sizeof *wants, by_bytes);
    *out = wants;
    return RUNG_OK;
}

static rung_result check_arguments(const rung_instance *instance, const char *const *paths,
                                   uint32_t count, const rung_engines_options *caller_options,
                                   struct rung__engine_want *options)
{
    bool complete = instance && paths && count && count <= MODELS_MOST;
    for (uint32_t i = 0; complete && i < count; i++)
        complete = paths[i] != NULL;
    if (!complete)
        return rung__fail(RUNG_INVALID_ARGUMENT, "engines of 1 to %u models are built at once",
                          MODELS_MOST);
    rung_result result = read_options(instance, caller_options, options);
    if (result == RUNG_OK && !instance->helper)
        result = rung__fail(RUNG_UNSUPPORTED,
                            "the helper program rung-probe is missing beside the library; without "
                            "it no engine is built");
    return result;
}

/* ---- and waiting for it ---- */

rung_result rung_engines_build(rung_instance *instance, const char *const *paths, uint32_t count,
                               const rung_engines_options *caller_options,
                               rung_engines_progress_callback callback, void *user)
{
    struct rung__engine_want options, *wants = NULL;
    struct rung__engine_progress progress;
    struct walk walk = {instance, 0, count, callback, user};
    rung_result result = check_arguments(instance, paths, count, caller_options, &options);
    if (result == RUNG_OK)
        result = make_wants(paths, count, &options, &wants);
    for (uint32_t i = 0; i < count && result == RUNG_OK; i++) {
        result = build_one(&walk, &wants[i], &progress);
        walk.done++;
        if (result == RUNG_OK)
            tell(&walk, &wants[i], &progress);
    }
    if (wants)
        finish_wants(wants, count);
    return result;
}

/* ---- in the background ---- */

/** Takes the smallest of what is left; false when nothing is. */
static bool take_next(struct rung__engine_builder *builder, struct rung__engine_want *out,
                      struct walk *walk)
{
    struct rung__engine_want *next = NULL;
    rung__mutex_lock(&builder->mutex);
    for (uint32_t i = 0; i < builder->count; i++)
        if (builder->wants[i].path && (!next || builder->wants[i].bytes < next->bytes))
            next = &builder->wants[i];
    if (next && !builder->ending) {
        *out = *next;
        next->path = NULL;
        *walk = (struct walk){walk->instance, builder->done, builder->count, builder->callback,
                              builder->user};
    } else {
        builder->running = false;
        next = NULL;
    }
    rung__mutex_unlock(&builder->mutex);
    return next != NULL;
}

/** Where no engine can be kept at all, the next ones will tell the same. */
static void note_end(struct walk *walk, rung_result result, struct rung__engine_progress *progress)
{
    struct rung__engine_builder *builder = &walk->instance->builder;
    if (result != RUNG_OK && result != RUNG_CANCELLED) {
        rung__instance_tell_cache(walk->instance);
        progress->state = "failed";
        progress->result = result;
        (void)rung__text_format(progress->reason, sizeof progress->reason, "%s", rung_last_error());
    }
    rung__mutex_lock(&builder->mutex);
    walk->done = ++builder->done;
    walk->total = builder->count;
    rung__mutex_unlock(&builder->mutex);
}

static void work(void *argument)
{
    struct walk walk = {.instance = argument};
    struct rung__engine_builder *builder = &walk.instance->builder;
    struct rung__engine_want want;
    struct rung__engine_progress progress;
    while (take_next(builder, &want, &walk)) {
        const rung_result result = build_one(&walk, &want, &progress);
        note_end(&walk, result, &progress);
        if (result != RUNG_CANCELLED)
            tell(&walk, &want, &progress);
        free(want.path);
    }
}

/** Those that are through are forgotten when nothing is left. */
static rung_result append_wants(struct rung__engine_builder *builder,
                                struct rung__engine_want *wants, uint32_t count)
{
    if (!builder->running) {
        finish_wants(builder->wants, builder->count);
        builder->wants = NULL;
        builder->count = builder->done = 0;
    }
    struct rung__engine_want *longer =
        realloc(builder->wants, (builder->count + count) * sizeof *longer);
    if (!longer)
        return no_memory();
    builder->wants = longer;
    for (uint32_t i = 0; i < count; i++) {
        longer[builder->count++] = wants[i];
        wants[i].path = NULL;
    }
    return RUNG_OK;
}

/** A thread that came to its end is joined, and another one begins. */
static rung_result start_thread(struct rung_instance *instance)
{
    struct rung__engine_builder *builder = &instance->builder;
    if (builder->running)
        return RUNG_OK;
    if (builder->started)
        rung__thread_join(&builder->thread);
    builder->started = false;
    rung_result result = rung__thread_start(&builder->thread, "rung-engines", work, instance);
    builder->started = builder->running = result == RUNG_OK;
    return result;
}

rung_result rung_engines_start(rung_instance *instance, const char *const *paths, uint32_t count,
                               const rung_engines_options *caller_options,
                               rung_engines_progress_callback callback, void *user)
{
    struct rung__engine_want options, *wants = NULL;
    rung_result result = check_arguments(instance, paths, count, caller_options, &options);
    if (result == RUNG_OK)
        result = make_wants(paths, count, &options, &wants);
    if (result != RUNG_OK || !wants)
        return result;
    struct rung__engine_builder *builder = &instance->builder;
    rung__instance_close_providers(instance); /* the thread looks at the rungs from here on */
    rung__mutex_lock(&builder->mutex);
    result = append_wants(builder, wants, count);
    if (result == RUNG_OK) {
        builder->callback = callback;
        builder->user = user;
        result = start_thread(instance);
    }
    rung__mutex_unlock(&builder->mutex);
    finish_wants(wants, count);
    return result;
}

void rung__engine_builder_finish(struct rung__engine_builder *builder)
{
    rung__mutex_lock(&builder->mutex);
    builder->ending = true;
    atomic_store(&builder->hold, true);
    rung__condition_broadcast(&builder->changed);
    rung__mutex_unlock(&builder->mutex);
    if (builder->started)
        rung__thread_join(&builder->thread);
    finish_wants(builder->wants, builder->count);
    rung__condition_finish(&builder->changed);
    rung__mutex_finish(&builder->mutex);
}
