/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

/* A buffer that one huge picture made this large is not kept for the others. */
#define KEPT_BYTES (256u << 20)

enum slot_state { SLOT_FREE, SLOT_DECODING, SLOT_DECODED, SLOT_RUNNING, SLOT_DONE };

struct slot {
    struct job_item item;
    enum slot_state state;
};

struct pipeline {
    const struct sources *sources;
    struct pipeline_size size;
    uint64_t pixels_max;
    const struct job_work *work;
    void *user;
    void *const *sessions;

    GMutex lock;   /* holds all that follows */
    GCond changed; /* a slot changed its state, or `stopping` was set */
    struct slot *slots;
    size_t next_source; /* the next one to look at */
    size_t begun;       /* items that a decoder has taken */
    size_t run;         /* items that a session has taken, or that need none */
    size_t released;    /* items that came out */
    uint32_t next_session;
    bool stopping, failed;

    GThread **threads;
    uint32_t thread_count;
};

static struct slot *slot_of(struct pipeline *pipeline, size_t number)
{
    return &pipeline->slots[number % pipeline->size.slots];
}

/** The next source that is not done; NULL: none is left, or none may be begun. */
static const struct source *next_source(struct pipeline *pipeline)
{
    const struct sources *sources = pipeline->sources;
    while (pipeline->next_source < sources->count && sources->items[pipeline->next_source].done)
        pipeline->next_source++;
    if (pipeline->stopping || pipeline->next_source == sources->count)
        return NULL;
    return &sources->items[pipeline->next_source];
}

static void set_state(struct pipeline *pipeline, struct slot *slot, enum slot_state state)
{
    slot->state = state;
    g_cond_broadcast(&pipeline->changed);
}

/** Takes a free slot for the next source. NULL: there is no more to do. Called with the lock. */
static struct slot *begin_next(struct pipeline *pipeline)
{
    const struct source *source;
    while ((source = next_source(pipeline)) &&
           pipeline->begun - pipeline->released == pipeline->size.slots)
        g_cond_wait(&pipeline->changed, &pipeline->lock);
    if (!source)
        return NULL;
    struct slot *slot = slot_of(pipeline, pipeline->begun++);
    slot->item.index = pipeline->next_source++;
    slot->item.source = source;
    slot->item.line = NULL;
    slot->item.status = EXIT_DONE;
    set_state(pipeline, slot, SLOT_DECODING);
    return slot;
}

static void decode(struct pipeline *pipeline, struct job_item *item)
{
    item->begin_ms = job_now_ms();
    item->error.code = "NO_MEMORY";
    if (!photo_load(item->source->path, pipeline->pixels_max, &item->photo, &item->error))
        item->status = strcmp(item->error.code, "NO_MEMORY") == 0 ? EXIT_BACKEND : EXIT_IO;
    item->decode_ms = job_now_ms() - item->begin_ms;
}

static void *decode_all(void *data)
{
    struct pipeline *pipeline = data;
    struct slot *slot;
    g_mutex_lock(&pipeline->lock);
    while ((slot = begin_next(pipeline))) {
        g_mutex_unlock(&pipeline->lock);
        decode(pipeline, &slot->item);
        g_mutex_lock(&pipeline->lock);
        set_state(pipeline, slot, SLOT_DECODED);
    }
    /* Whoever waits for a slot to be begun learns that none will be. */
    g_cond_broadcast(&pipeline->changed);
    g_mutex_unlock(&pipeline->lock);
    photo_thread_stop();
    return NULL;
}

/** libvips takes its time to start; the model is opened meanwhile. */
static void *start_and_decode_all(void *data)
{
    struct pipeline *pipeline = data;
    if (photo_start("rung"))
        return decode_all(pipeline);
    g_mutex_lock(&pipeline->lock);
    pipeline->failed = pipeline->stopping = true;
    g_cond_broadcast(&pipeline->changed);
    g_mutex_unlock(&pipeline->lock);
    return NULL;
}

/** The next decoded item; those that could not be decoded are done. NULL: none will come. */
static struct slot *run_next(struct pipeline *pipeline)
{
    for (;;) {
        struct slot *slot = slot_of(pipeline, pipeline->run);
        const bool is_begun = pipeline->run < pipeline->begun;
        if (!is_begun && !next_source(pipeline))
            return NULL;
        if (!is_begun || slot->state == SLOT_DECODING) {
            g_cond_wait(&pipeline->changed, &pipeline->lock);
            continue;
        }
        pipeline->run++;
        if (slot->item.status == EXIT_DONE) {
            slot->state = SLOT_RUNNING;
            return slot;
        }
        set_state(pipeline, slot, SLOT_DONE);
    }
}

static void *run_all(void *data)
{
    struct pipeline *pipeline = data;
    struct slot *slot;
    g_mutex_lock(&pipeline->lock);
    void *session = pipeline->sessions[pipeline->next_session++];
    while ((slot = run_next(pipeline))) {
        g_mutex_unlock(&pipeline->lock);
        pipeline->work->run(pipeline->user, session, &slot->item);
        g_mutex_lock(&pipeline->lock);
        set_state(pipeline, slot, SLOT_DONE);
    }
    g_mutex_unlock(&pipeline->lock);
    photo_thread_stop();
    return NULL;
}

static bool start_thread(struct pipeline *pipeline, const char *name, GThreadFunc function)
{
    GError *error = NULL;
    GThread *thread = g_thread_try_new(name, function, pipeline, &error);
    if (thread)
        pipeline->threads[pipeline->thread_count++] = thread;
    else
        fprintf(stderr, "rung: a thread cannot be started: %s\n", error->message);
    g_clear_error(&error);
    return thread != NULL;
}

struct pipeline *pipeline_start(const struct sources *sources, struct pipeline_size size,
                                uint64_t pixels_max)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline) {
        fail_memory();
        return NULL;
    }
    pipeline->sources = sources;
    pipeline->size = size;
    pipeline->pixels_max = pixels_max;
    g_mutex_init(&pipeline->lock);
    g_cond_init(&pipeline->changed);
    pipeline->slots = calloc(size.slots, sizeof *pipeline->slots);
    pipeline->threads = calloc((size_t)size.decoders + size.sessions, sizeof(GThread *));
    if (!pipeline->slots || !pipeline->threads)
        fail_memory();
    else if (start_thread(pipeline, "decode", start_and_decode_all))
        return pipeline;
    pipeline_end(pipeline);
    return NULL;
}

bool pipeline_start_sessions(struct pipeline *pipeline, const struct job_work *work, void *user,
                             void *const *sessions)
{
    bool started = true;
    pipeline->work = work;
    pipeline->user = user;
    pipeline->sessions = sessions;
    for (uint32_t i = 0; i < pipeline->size.sessions && started; i++)
        started = start_thread(pipeline, "session", run_all);
    for (uint32_t i = 1; i < pipeline->size.decoders && started; i++)
        started = start_thread(pipeline, "decode", decode_all);
    return started;
}

enum pipeline_state pipeline_next(struct pipeline *pipeline, int ms, struct job_item **item)
{
    const gint64 end = g_get_monotonic_time() + (gint64)ms * 1000;
    enum pipeline_state state = PIPELINE_WAIT;
    bool is_late = false;
    *item = NULL;
    g_mutex_lock(&pipeline->lock);
    while (state == PIPELINE_WAIT && !is_late) {
        struct slot *slot = slot_of(pipeline, pipeline->released);
        const bool is_begun = pipeline->released < pipeline->begun;
        if (is_begun && slot->state == SLOT_DONE) {
            *item = &slot->item;
            state = PIPELINE_ITEM;
        } else if (!is_begun && !next_source(pipeline))
            state = PIPELINE_END;
        else
            is_late = !g_cond_wait_until(&pipeline->changed, &pipeline->lock, end);
    }
    g_mutex_unlock(&pipeline->lock);
    return state;
}

void pipeline_release(struct pipeline *pipeline, struct job_item *item)
{
    json_decref(item->line);
    item->line = NULL;
    if (item->photo.capacity > KEPT_BYTES)
        photo_finish(&item->photo);
    g_mutex_lock(&pipeline->lock);
    set_state(pipeline, slot_of(pipeline, pipeline->released++), SLOT_FREE);
    g_mutex_unlock(&pipeline->lock);
}

void pipeline_stop(struct pipeline *pipeline)
{
    g_mutex_lock(&pipeline->lock);
    pipeline->stopping = true;
    g_cond_broadcast(&pipeline->changed);
    g_mutex_unlock(&pipeline->lock);
}

bool pipeline_failed(struct pipeline *pipeline)
{
    g_mutex_lock(&pipeline->lock);
    const bool failed = pipeline->failed;
    g_mutex_unlock(&pipeline->lock);
    return failed;
}

void pipeline_end(struct pipeline *pipeline)
{
    if (!pipeline)
        return;
    pipeline_stop(pipeline);
    for (uint32_t i = 0; i < pipeline->thread_count; i++)
        g_thread_join(pipeline->threads[i]);
    for (uint32_t i = 0; pipeline->slots && i < pipeline->size.slots; i++) {
        json_decref(pipeline->slots[i].item.line);
        photo_finish(&pipeline->slots[i].item.photo);
    }
    g_cond_clear(&pipeline->changed);
    g_mutex_clear(&pipeline->lock);
    free(pipeline->threads);
    free(pipeline->slots);
    free(pipeline);
}
