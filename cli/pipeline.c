/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "series.h"

/* A buffer that one huge picture made this large is not kept for the others. */
#define KEPT_BYTES (256u << 20)

/* A session holds up to two pictures of a series, and waits for a third. */
#define SERIES_SLOTS 3u

enum slot_state { SLOT_FREE, SLOT_DECODING, SLOT_DECODED, SLOT_RUNNING, SLOT_DONE };

struct slot {
    struct job_item item; /* the first member */
    enum slot_state state;
};

struct pipeline {
    const struct sources *sources;
    struct pipeline_size size;
    uint64_t pixels_max;
    const struct job_work *work;
    void *user;
    void *const *sessions;

    pthread_mutex_t lock;   /* holds all that follows */
    pthread_cond_t changed; /* a slot changed its state, or `stopping` was set */
    struct slot *slots;
    size_t next_source; /* the next one to look at */
    size_t begun;       /* items that a decoder has taken */
    size_t run;         /* items that a session has taken, or that need none */
    size_t released;    /* items that came out */
    uint32_t next_session;
    bool stopping;
    struct photo_error start_error; /* its code is NULL while there is none */

    pthread_t *threads;
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
    pthread_cond_broadcast(&pipeline->changed);
}

/** Takes a free slot for the next source. NULL: there is no more to do. Called with the lock. */
static struct slot *begin_next(struct pipeline *pipeline)
{
    const struct source *source;
    while ((source = next_source(pipeline)) &&
           pipeline->begun - pipeline->released == pipeline->size.slots)
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
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
    pthread_mutex_lock(&pipeline->lock);
    while ((slot = begin_next(pipeline))) {
        pthread_mutex_unlock(&pipeline->lock);
        decode(pipeline, &slot->item);
        pthread_mutex_lock(&pipeline->lock);
        set_state(pipeline, slot, SLOT_DECODED);
    }
    /* Whoever waits for a slot to be begun learns that none will be. */
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    photo_thread_stop();
    return NULL;
}

/** libvips takes its time to start; the model is opened meanwhile. */
static void *start_and_decode_all(void *data)
{
    struct pipeline *pipeline = data;
    struct photo_error error;
    if (photo_start("rung", &error))
        return decode_all(pipeline);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->start_error = error;
    pipeline->stopping = true;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
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
            pthread_cond_wait(&pipeline->changed, &pipeline->lock);
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

static struct job_item *take(void *data)
{
    struct pipeline *pipeline = data;
    pthread_mutex_lock(&pipeline->lock);
    struct slot *slot = run_next(pipeline);
    pthread_mutex_unlock(&pipeline->lock);
    return slot ? &slot->item : NULL;
}

static void put(void *data, struct job_item *item)
{
    struct pipeline *pipeline = data;
    pthread_mutex_lock(&pipeline->lock);
    set_state(pipeline, (struct slot *)item, SLOT_DONE); /* of which it is the first member */
    pthread_mutex_unlock(&pipeline->lock);
}

static void *run_all(void *data)
{
    struct pipeline *pipeline = data;
    const struct series_pictures pictures = {pipeline, take, put};
    const struct job_work *work = pipeline->work;
    struct job_item *item;
    pthread_mutex_lock(&pipeline->lock);
    void *session = pipeline->sessions[pipeline->next_session++];
    pthread_mutex_unlock(&pipeline->lock);
    if (work->run)
        while ((item = take(pipeline))) {
            work->run(pipeline->user, session, item);
            put(pipeline, item);
        }
    else
        series_run(work, pipeline->user, session, &pictures, pipeline->size.slots < SERIES_SLOTS);
    photo_thread_stop();
    return NULL;
}

struct start {
    struct pipeline *pipeline;
    void *(*function)(void *pipeline);
    bool begun;
};

static void *begin(void *data)
{
    struct start *start = data;
    struct pipeline *pipeline = start->pipeline;
    void *(*const function)(void *) = start->function;
    pthread_mutex_lock(&pipeline->lock);
    start->begun = true;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    return function(pipeline);
}

/**
 * Starts a thread and waits until it runs: Linux may put it behind this one on the same processor,
 * where it would wait for some milliseconds. Who wakes up from waiting gets a free one.
 */
static bool start_thread(struct pipeline *pipeline, void *(*function)(void *))
{
    struct start start = {.pipeline = pipeline, .function = function};
    const int error =
        pthread_create(&pipeline->threads[pipeline->thread_count], NULL, begin, &start);
    if (error) {
        fprintf(stderr, "rung: a thread cannot be started: %s\n", strerror(error));
        return false;
    }
    pipeline->thread_count++;
    pthread_mutex_lock(&pipeline->lock);
    while (!start.begun)
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
    pthread_mutex_unlock(&pipeline->lock);
    return true;
}

/** Waits on the clock that only goes forward. */
static void init_lock(struct pipeline *pipeline)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

static struct timespec time_in(int ms)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += ms / 1000;
    time.tv_nsec += (long)(ms % 1000) * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    return time;
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
    photo_prepare();
    init_lock(pipeline);
    pipeline->slots = calloc(size.slots, sizeof *pipeline->slots);
    pipeline->threads = calloc((size_t)size.decoders + size.sessions, sizeof *pipeline->threads);
    if (!pipeline->slots || !pipeline->threads)
        fail_memory();
    else if (start_thread(pipeline, start_and_decode_all))
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
        started = start_thread(pipeline, run_all);
    for (uint32_t i = 1; i < pipeline->size.decoders && started; i++)
        started = start_thread(pipeline, decode_all);
    return started;
}

enum pipeline_state pipeline_next(struct pipeline *pipeline, int ms, struct job_item **item)
{
    const struct timespec end = time_in(ms);
    enum pipeline_state state = PIPELINE_WAIT;
    bool is_late = false;
    *item = NULL;
    pthread_mutex_lock(&pipeline->lock);
    while (state == PIPELINE_WAIT && !is_late) {
        struct slot *slot = slot_of(pipeline, pipeline->released);
        const bool is_begun = pipeline->released < pipeline->begun;
        if (is_begun && slot->state == SLOT_DONE) {
            *item = &slot->item;
            state = PIPELINE_ITEM;
        } else if (!is_begun && !next_source(pipeline))
            state = PIPELINE_END;
        else
            is_late =
                pthread_cond_timedwait(&pipeline->changed, &pipeline->lock, &end) == ETIMEDOUT;
    }
    pthread_mutex_unlock(&pipeline->lock);
    return state;
}

void pipeline_release(struct pipeline *pipeline, struct job_item *item)
{
    json_decref(item->line);
    item->line = NULL;
    if (item->photo.capacity > KEPT_BYTES)
        photo_finish(&item->photo);
    pthread_mutex_lock(&pipeline->lock);
    set_state(pipeline, slot_of(pipeline, pipeline->released++), SLOT_FREE);
    pthread_mutex_unlock(&pipeline->lock);
}

void pipeline_stop(struct pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->stopping = true;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

const char *pipeline_failed(struct pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    const bool failed = pipeline->start_error.code != NULL;
    pthread_mutex_unlock(&pipeline->lock);
    return failed ? pipeline->start_error.message : NULL;
}

void pipeline_end(struct pipeline *pipeline)
{
    if (!pipeline)
        return;
    pipeline_stop(pipeline);
    for (uint32_t i = 0; i < pipeline->thread_count; i++)
        pthread_join(pipeline->threads[i], NULL);
    for (uint32_t i = 0; pipeline->slots && i < pipeline->size.slots; i++) {
        json_decref(pipeline->slots[i].item.line);
        photo_finish(&pipeline->slots[i].item.photo);
    }
    pthread_cond_destroy(&pipeline->changed);
    pthread_mutex_destroy(&pipeline->lock);
    free(pipeline->threads);
    free(pipeline->slots);
    free(pipeline);
}
