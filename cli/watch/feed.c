/* SPDX-License-Identifier: Apache-2.0 */
#include "feed.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common.h"
#include "feed_parts.h"

#define SECOND_NS 1000000000u

/* A feed has stalled when nothing came for so long, and for so many of its periods. */
#define STALL_NS      SECOND_NS
#define STALL_PERIODS 3u

const char *feed_state_name(enum feed_state state)
{
    static const char *const names[] = {"starting", "playing", "stalled", "ended", "failed"};
    return names[state];
}

/* ---- what a thread waits for, and says ---------------------------------------------------- */

/** Waits for a change, at most until then. Called with the lock. */
static void await_change(struct feed *feed, uint64_t deadline_ns)
{
    const struct timespec deadline = {
        .tv_sec = (time_t)(deadline_ns / SECOND_NS),
        .tv_nsec = (long)(deadline_ns % SECOND_NS),
    };
    pthread_cond_timedwait(&feed->changed, &feed->lock, &deadline);
}

void feed_set_state(struct feed *feed, enum feed_state state, const char *sentence)
{
    pthread_mutex_lock(&feed->lock);
    feed->report.state = state;
    snprintf(feed->report.sentence, sizeof feed->report.sentence, "%s", sentence);
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
}

/** Whose fault it was decides the exit status. */
static void note_error(struct feed *feed, const struct photo_error *error, bool lacks)
{
    pthread_mutex_lock(&feed->lock);
    feed->report.lacks = feed->report.lacks || lacks || strcmp(error->code, "NO_MEMORY") == 0;
    snprintf(feed->report.sentence, sizeof feed->report.sentence, "%s", error->message);
    pthread_mutex_unlock(&feed->lock);
}

void feed_note_broken(struct feed *feed, const struct photo_error *error)
{
    note_error(feed, error, false);
    pthread_mutex_lock(&feed->lock);
    feed->report.broken++;
    pthread_mutex_unlock(&feed->lock);
}

void feed_fail(struct feed *feed, const struct photo_error *error, bool lacks)
{
    note_error(feed, error, lacks);
    feed_set_state(feed, FEED_FAILED, error->message);
}

bool feed_wait_until(struct feed *feed, uint64_t deadline_ns)
{
    pthread_mutex_lock(&feed->lock);
    while (!feed->is_stopping && now_ns() < deadline_ns)
        await_change(feed, deadline_ns);
    const bool goes_on = !feed->is_stopping;
    pthread_mutex_unlock(&feed->lock);
    return goes_on;
}

/* ---- the pool ----------------------------------------------------------------------------- */

static struct feed_slot *find_free(struct feed *feed)
{
    for (size_t i = 0; i < FEED_SLOTS; i++)
        if (!feed->slots[i].is_taken)
            return &feed->slots[i];
    return NULL;
}

struct feed_slot *feed_take_slot(struct feed *feed)
{
    struct feed_slot *slot = NULL;
    pthread_mutex_lock(&feed->lock);
    while (!feed->is_stopping && !(slot = find_free(feed)))
        pthread_cond_wait(&feed->changed, &feed->lock);
    if (slot)
        slot->is_taken = true;
    pthread_mutex_unlock(&feed->lock);
    return slot;
}

void feed_give_back(struct feed_slot *slot)
{
    struct feed *feed = slot->feed;
    pthread_mutex_lock(&feed->lock);
    slot->is_taken = false;
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
}

void feed_release(void *user, const void *pixels)
{
    struct feed_slot *slot = user;
    (void)pixels;
    pthread_mutex_lock(&slot->feed->lock);
    slot->feed->released++;
    pthread_mutex_unlock(&slot->feed->lock);
    feed_give_back(slot);
}

/* ---- for the main thread ------------------------------------------------------------------ */

static bool init_waiting(struct feed *feed)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return false;
    const bool complete = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                          pthread_cond_init(&feed->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return complete && pthread_mutex_init(&feed->lock, NULL) == 0;
}

int feed_open(struct feed *feed, const char *operand, uint64_t id,
              const struct kind_options *options, const struct feed_wishes *wishes)
{
    struct kind_opened opened = {0};
    const struct kind *kind = kind_of(operand);
    const int status = kind->open(operand, options, &opened);
    if (status != EXIT_DONE)
        return status;
    const uint32_t fps = wishes->fps ? wishes->fps : kind->has_pace ? 0 : FEED_FPS_DEFAULT;
    *feed = (struct feed){
        .name = operand,
        .id = id,
        .kind = kind,
        .state = opened.state,
        .wishes = *wishes,
        .period_ns = fps ? SECOND_NS / fps : 0,
        .report = {.width = opened.width, .height = opened.height},
    };
    for (size_t i = 0; i < FEED_SLOTS; i++)
        feed->slots[i].feed = feed;
    if (init_waiting(feed))
        return EXIT_DONE;
    kind->close(opened.state);
    feed->kind = NULL;
    return fail_memory();
}

bool feed_start(struct feed *feed)
{
    feed->has_thread = pthread_create(&feed->thread, NULL, feed_run, feed) == 0;
    return feed->has_thread;
}

void feed_await_size(struct feed *feed, uint64_t deadline_ns)
{
    pthread_mutex_lock(&feed->lock);
    while (feed->report.width == 0 && feed->report.state == FEED_STARTING && now_ns() < deadline_ns)
        await_change(feed, deadline_ns);
    pthread_mutex_unlock(&feed->lock);
}

void feed_play(struct feed *feed, rung_scene *scene, rung_desktop_rect place, uint64_t begin_ns)
{
    pthread_mutex_lock(&feed->lock);
    feed->scene = scene;
    feed->place = place;
    feed->has_scene = true;
    feed->begin_ns = feed->report.last_ns = begin_ns;
    if (feed->report.state == FEED_STARTING)
        feed->report.state = FEED_PLAYING;
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
}

struct feed_report feed_look(struct feed *feed, uint64_t now_ns)
{
    pthread_mutex_lock(&feed->lock);
    struct feed_report report = feed->report;
    pthread_mutex_unlock(&feed->lock);
    const uint64_t silence_ns = now_ns > report.last_ns ? now_ns - report.last_ns : 0;
    if (report.state == FEED_PLAYING && silence_ns > STALL_NS &&
        silence_ns > STALL_PERIODS * feed->period_ns)
        report.state = FEED_STALLED;
    return report;
}

void feed_stop(struct feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->is_stopping = true;
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
    if (feed->has_thread)
        pthread_join(feed->thread, NULL);
    feed->has_thread = false;
}

bool feed_close(struct feed *feed)
{
    const bool all_came_back = feed->released == feed->report.frames;
    for (size_t i = 0; i < FEED_SLOTS; i++)
        photo_finish(&feed->slots[i].picture.photo);
    feed->kind->close(feed->state);
    pthread_cond_destroy(&feed->changed);
    pthread_mutex_destroy(&feed->lock);
    return all_came_back;
}
