/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of a source: one frame after the other. */
#include <inttypes.h>
#include <stdio.h>

#include "common.h"
#include "feed_parts.h"

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
    feed_set_state(feed, has_failed ? FEED_FAILED : FEED_ENDED, sentence);
}

/** When the frame after this one is due. A feed that is behind leaves periods out, instead of
 * hurrying, and keeps to their multiples: so those of one rate stay side by side. */
static uint64_t due_after(const struct feed *feed, uint64_t due_ns)
{
    const uint64_t now = now_ns(), period = feed->period_ns, next = due_ns + period;
    if (period == 0)
        return now;
    return next + period < now ? next + (now - next) / period * period : next;
}

/** A frame that cannot be had takes its time like any other. */
static bool pass_broken(struct feed *feed, struct position *at, const struct photo_error *error)
{
    feed_note_broken(feed, error);
    at->number++;
    if (at->due_ns == 0)
        return true;
    at->due_ns = due_after(feed, at->due_ns);
    return feed_wait_until(feed, at->due_ns);
}

static struct feed_slot *read_next(struct feed *feed, struct position *at)
{
    struct photo_error error = {0};
    struct feed_slot *slot = feed_take_slot(feed);
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
            feed_fail(feed, &error, false);
            break;
        case KIND_STOPPED:
            break;
        }
        if (!goes_on) {
            feed_give_back(slot);
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
    feed_note_broken(feed, &error);
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
        .release = feed_release,
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
    feed_give_back(slot);
    refused(feed);
    return false;
}

static void note_offered(struct feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->report.frames++;
    feed->report.last_ns = now_ns();
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
        feed_give_back(slot);
        return;
    }
    at.due_ns = feed->begin_ns;
    while (slot) {
        if (!feed_wait_until(feed, at.due_ns)) {
            feed_give_back(slot);
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
            at.due_ns = now_ns();
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

void *feed_run(void *data)
{
    struct feed *feed = data;
    struct photo_error error = {0};
    if (feed->kind->has_pictures && !start_pictures(&error)) {
        feed_fail(feed, &error, true);
        return NULL;
    }
    play(feed);
    if (feed->kind->has_pictures)
        photo_thread_stop();
    return NULL;
}
