/* SPDX-License-Identifier: Apache-2.0 */
/* A side's turn in a contest of series. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "session/contest_parts.h"

/* Frames of a series at least: the first and the last overlap with one other alone. */
#define SERIES_FRAMES 6u

struct feed {
    struct rung__bout *bout;
    enum rung__side side;
    uint32_t count, given, done;
    rung_result result;
    char error[RUNG__ERROR_BYTES]; /**< the reason, for the thread that began the series */
};

size_t rung__frame_bytes(const rung_frame *frame)
{
    const uint64_t row = (uint64_t)frame->width * rung__pixel_bytes((uint32_t)frame->format);
    return (size_t)((frame->stride ? frame->stride : row) * (frame->height - 1) + row);
}

/** Each frame is written anew, as what decodes or receives it does. */
static int next(void *user, rung_frame *frame, void **mark)
{
    struct feed *feed = user;
    const struct rung__contest *contest = feed->bout->contest;
    if (feed->given == feed->count || feed->result != RUNG_OK)
        return 0;
    const rung_frame *from = &contest->frames[feed->given % contest->frame_count];
    uint8_t *to = feed->bout->copies[feed->given % RUNG__BUFFER_SLOTS];
    memcpy(to, from->pixels, rung__frame_bytes(from));
    *frame = *from;
    frame->pixels = to;
    *mark = NULL; /* the results come in order */
    feed->given++;
    return 1;
}

static void done(void *user, void *mark, rung_result result, const void *packet, size_t size,
                 const rung_run_info *info)
{
    struct feed *feed = user;
    const uint32_t frame = feed->done++ % feed->bout->contest->frame_count;
    (void)mark, (void)info;
    if (result == RUNG_OK)
        result = rung__bout_take(feed->bout, feed->side, frame, (struct rung__bytes){packet, size});
    if (result == RUNG_OK || feed->result != RUNG_OK)
        return;
    feed->result = result;
    (void)rung__text_format(feed->error, sizeof feed->error, "%s", rung_last_error());
}

rung_result rung__bout_series(struct rung__bout *bout, enum rung__side side, uint64_t *ns)
{
    const uint32_t frames = bout->contest->frame_count;
    struct feed feed = {
        .bout = bout,
        .side = side,
        .count = (SERIES_FRAMES + frames - 1) / frames * frames,
    };
    const rung_series series = {.struct_size = sizeof series,
                                .version = RUNG_STRUCT_VERSION,
                                .user = &feed,
                                .next = next,
                                .done = done};
    const uint64_t began = rung__clock_now();
    rung_result result = rung_run_series(bout->contexts[side], &series);
    *ns = (rung__clock_now() - began) / feed.count;
    return result == RUNG_OK && feed.result != RUNG_OK ? rung__fail(feed.result, "%s", feed.error)
                                                       : result;
}
