/* SPDX-License-Identifier: Apache-2.0 */
#include "series.h"

#include <string.h>

#include "roles.h"

#define LOST_MAX 4u /* more than a series has on their way */

struct series {
    const struct job_work *work;
    void *user, *session;
    const struct series_pictures *pictures;
    struct role_session *role;
    bool ended; /**< there are no more pictures */
    /** Those that the device was lost with: they are done once more when the series has ended. */
    struct job_item *lost[LOST_MAX];
    uint32_t lost_count;
};

static int next(void *user, rung_frame *frame, void **mark)
{
    struct series *series = user;
    struct job_item *item =
        series->lost_count ? NULL : series->pictures->take(series->pictures->pipeline);
    series->ended = !item;
    if (!item)
        return 0;
    *frame = role_frame(item, (rung_rect){0});
    *mark = item;
    return 1;
}

/** What was found lies in the session's packet, where the commands may change it. */
static void answer(const struct series *series, struct job_item *item, rung_result result,
                   const rung_run_info *info)
{
    if (result == RUNG_OK)
        series->work->answer(series->user, series->session, item, info);
    else
        job_item_fail(item, result);
    series->pictures->put(series->pictures->pipeline, item);
}

static void done(void *user, void *mark, rung_result result, const void *packet, size_t size,
                 const rung_run_info *info)
{
    struct series *series = user;
    if (result == RUNG_OK) {
        memcpy(series->role->packet, packet, size);
        result = rung_packet_check(series->role->packet, size);
    }
    if (result == RUNG_DEVICE_LOST && series->lost_count < LOST_MAX)
        series->lost[series->lost_count++] = mark;
    else
        answer(series, mark, result, info);
    if (series->ended)
        photo_thread_stop(); /* this thread may be the library's, which knows no pictures */
}

static void run_one(const struct series *series, struct job_item *item)
{
    rung_run_info info;
    answer(series, item, role_run(series->role, item, (rung_rect){0}, &info), &info);
}

static void run_alone(const struct series *series)
{
    const struct series_pictures *pictures = series->pictures;
    struct job_item *item;
    while ((item = pictures->take(pictures->pipeline)))
        run_one(series, item);
}

/** True when a device was lost, and the series is to go on. */
static bool recover(struct series *series)
{
    const uint32_t count = series->lost_count;
    for (uint32_t i = 0; i < count; i++)
        run_one(series, series->lost[i]);
    series->lost_count = 0;
    return count;
}

/** One series after the other, as long as devices are lost. False when one cannot begin. */
static bool run_series(struct series *series)
{
    const rung_series of = {
        .struct_size = sizeof of,
        .version = RUNG_STRUCT_VERSION,
        .user = series,
        .next = next,
        .done = done,
    };
    do
        if (rung_run_series(series->role->context, &of) != RUNG_OK)
            return false;
    while (recover(series));
    return true;
}

void series_run(const struct job_work *work, void *user, void *session,
                const struct series_pictures *pictures, bool alone)
{
    struct series series = {work,  user,   session, pictures, work->session_of(session),
                            false, {NULL}, 0};
    /* One that cannot begin, for want of memory or of a device, leaves its pictures to be run
     * alone. */
    if (alone || !run_series(&series))
        run_alone(&series);
}
