/* SPDX-License-Identifier: Apache-2.0 */
#include "feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common.h"

#define SECOND_NS 1000000000u

/* A feed has stalled when nothing came for so long, and for so many of its periods. */
#define STALL_NS      SECOND_NS
#define STALL_PERIODS 3u

uint64_t watch_now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

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

static void set_state(struct feed *feed, enum feed_state state, const char *sentence)
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

static void note_broken(struct feed *feed, const struct photo_error *error)
{
    note_error(feed, error, false);
    pthread_mutex_lock(&feed->lock);
    feed->report.broken++;
    pthread_mutex_unlock(&feed->lock);
}

static void fail(struct feed *feed, const struct photo_error *error, bool lacks)
{
    note_error(feed, error, lacks);
    set_state(feed, FEED_FAILED, error->message);
}

/** False when the feed is to stop. */
static bool wait_until(struct feed *feed, uint64_t deadline_ns)
{
    pthread_mutex_lock(&feed->lock);
    while (!feed->is_stopping && watch_now_ns() < deadline_ns)
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

/** NULL when the feed is to stop. */
static struct feed_slot *take_slot(struct feed *feed)
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

static void give_back(struct feed_slot *slot)
{
    struct feed *feed = slot->feed;
    pthread_mutex_lock(&feed->lock);
    slot->is_taken = false;
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
}

static void release(void *user, const void *pixels)
{
    struct feed_slot *slot = user;
    (void)pixels;
    pthread_mutex_lock(&slot->feed->lock);
    slot->feed->released++;
    pthread_mutex_unlock(&slot->feed->lock);
    give_back(slot);
}

/* ---- one frame after the other ------------------------------------------------------------ */

/** Where a thread is. */
struct position {
    uint64_t number; /**< of the frame that is next */
    uint64_t due_ns; /**< when it is to be offered; 0: no time was fixed yet */
    uint64_t played; /**< frames since the beginning, or since it was begun again */
};

/** Begins again where that is wished and of use: a round without a frame is none. */
static bool begin_again(struct feed *feed, struct position *at)
{
    if (!feed->wishes.loop || !feed->kind->rewind || at->played == 0)
        return false;
    feed->kind->rewind(feed->state);
    at->played = 0;
    return true;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/** What should go on for ever has failed when it ends. */
static void end(struct feed *feed)
{
    char sentence[FEED_SENTENCE_BYTES];
    pthread_mutex_lock(&feed->lock);
    const struct feed_report report = feed->report;
    pthread_mutex_unlock(&feed->lock);
    const bool has_failed = report.frames == 0 || (feed->wishes.loop && feed->kind->rewind);
    if (has_failed)
        snprintf(sentence, sizeof sentence, "no frame could be read: %.500s",
                 report.broken ? report.sentence : "there was none");
    else if (report.broken)
        snprintf(sentence, sizeof sentence,
                 "ended after %" PRIu64 " frame%s; %" PRIu64 " could not be read", report.frames,
                 plural(report.frames), report.broken);
    else
        snprintf(sentence, sizeof sentence, "ended after %" PRIu64 " frame%s", report.frames,
                 plural(report.frames));
    set_state(feed, has_failed ? FEED_FAILED : FEED_ENDED, sentence);
}

/** When the frame after this one is due: a feed that is behind begins anew, instead of hurrying. */
static uint64_t due_after(const struct feed *feed, uint64_t due_ns)
{
    const uint64_t now = watch_now_ns();
    return feed->period_ns == 0 || due_ns + 2 * feed->period_ns < now ? now
                                                                      : due_ns + feed->period_ns;
}

/** A frame that cannot be had takes its time like any other. */
static bool pass_broken(struct feed *feed, struct position *at, const struct photo_error *error)
{
    note_broken(feed, error);
    at->number++;
    if (at->due_ns == 0)
        return true;
    at->due_ns = due_after(feed, at->due_ns);
    return wait_until(feed, at->due_ns);
}

static struct feed_slot *read_next(struct feed *feed, struct position *at)
{
    struct photo_error error = {0};
    struct feed_slot *slot = take_slot(feed);
    while (slot) {
        bool goes_on = false;
        switch (feed->kind->read(feed->state, at->number, &slot->picture, &error)) {
        case KIND_FRAME:
            return slot;
        case KIND_BROKEN:
            goes_on = pass_broken(feed, at, &error);
            break;
        case KIND_END:
            goes_on = begin_again(feed, at);
            if (!goes_on)
                end(feed);
            break;
        case KIND_FAILED:
            fail(feed, &error, false);
            break;
        case KIND_STOPPED:
            break;
        }
        if (!goes_on) {
            give_back(slot);
            slot = NULL;
        }
    }
    return NULL;
}

/** The scene did not take a frame, and the library says why. */
static void refused(struct feed *feed)
{
    struct photo_error error = {.code = "REFUSED"};
    snprintf(error.message, sizeof error.message, "%s", rung_last_error());
    note_broken(feed, &error);
}

static bool offer(struct feed *feed, struct feed_slot *slot, const struct position *at)
{
    const struct photo *photo = &slot->picture.photo;
    const rung_frame frame = {
        .struct_size = sizeof frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = photo->pixels,
        .width = photo->width,
        .height = photo->height,
        .format = slot->picture.format,
        .source_id = feed->id,
        .display_id = feed->id,
        .frame_id = at->number,
        .session_epoch = 1,
        .transform_epoch = 1,
        .topology_epoch = 1,
        .capture_ns = at->due_ns,
        .release = release,
        .release_user = slot,
    };
    const rung_scene_frame placed = {
        .struct_size = sizeof placed,
        .version = RUNG_STRUCT_VERSION,
        .frame = &frame,
        .placement = feed->place,
    };
    if (rung_scene_offer(feed->scene, &placed) == RUNG_OK)
        return true;
    give_back(slot);
    refused(feed);
    return false;
}

static void note_offered(struct feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->report.frames++;
    feed->report.last_ns = watch_now_ns();
    pthread_mutex_unlock(&feed->lock);
}

static void note_size(struct feed *feed, const struct photo *photo)
{
    pthread_mutex_lock(&feed->lock);
    if (feed->report.width == 0) {
        feed->report.width = photo->width;
        feed->report.height = photo->height;
    }
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
}

/** False when the feed is to stop before it has a scene. */
static bool await_scene(struct feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    while (!feed->is_stopping && !feed->has_scene)
        pthread_cond_wait(&feed->changed, &feed->lock);
    const bool goes_on = !feed->is_stopping;
    pthread_mutex_unlock(&feed->lock);
    return goes_on;
}

static void play(struct feed *feed)
{
    struct position at = {0};
    struct feed_slot *slot = read_next(feed, &at);
    if (slot)
        note_size(feed, &slot->picture.photo);
    if (slot && !await_scene(feed)) {
        give_back(slot);
        return;
    }
    at.due_ns = watch_now_ns();
    while (slot) {
        if (!wait_until(feed, at.due_ns)) {
            give_back(slot);
            return;
        }
        if (offer(feed, slot, &at))
            note_offered(feed);
        at.number++;
        at.played++;
        at.due_ns = due_after(feed, at.due_ns);
        slot = read_next(feed, &at);
        /* What comes when it comes is taken just now. */
        if (feed->period_ns == 0)
            at.due_ns = watch_now_ns();
    }
}

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

/** libvips takes its time to start, so the first thread that decodes does it. */
static bool start_pictures(struct photo_error *error)
{
    static bool is_started;
    pthread_mutex_lock(&start_lock);
    is_started = is_started || photo_start("rung", error);
    const bool complete = is_started;
    pthread_mutex_unlock(&start_lock);
    return complete;
}

static void *run(void *data)
{
    struct feed *feed = data;
    struct photo_error error = {0};
    if (feed->kind->has_pictures && !start_pictures(&error)) {
        fail(feed, &error, true);
        return NULL;
    }
    play(feed);
    if (feed->kind->has_pictures)
        photo_thread_stop();
    return NULL;
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
    feed->has_thread = pthread_create(&feed->thread, NULL, run, feed) == 0;
    return feed->has_thread;
}

void feed_await_size(struct feed *feed, uint64_t deadline_ns)
{
    pthread_mutex_lock(&feed->lock);
    while (feed->report.width == 0 && feed->report.state == FEED_STARTING &&
           watch_now_ns() < deadline_ns)
        await_change(feed, deadline_ns);
    pthread_mutex_unlock(&feed->lock);
}

void feed_play(struct feed *feed, rung_scene *scene, rung_desktop_rect place)
{
    pthread_mutex_lock(&feed->lock);
    feed->scene = scene;
    feed->place = place;
    feed->has_scene = true;
    feed->report.last_ns = watch_now_ns();
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
