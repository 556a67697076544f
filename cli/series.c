/* SPDX-License-Identifier: Apache-2.0 */
#include "series.h"

#include <string.h>

#include "roles.h"

struct series {
    const struct job_work *work;
    void *user, *session;
    const struct series_pictures *pictures;
    struct role_session *role;
    bool ended; /**< there are no more pictures */
};

static int next(void *user, rung_frame *frame, void **mark)
{
    struct series *series = user;
    struct job_item *item = series->pictures->take(series->pictures->pipeline);
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
    const struct series *series = user;
    if (result == RUNG_OK) {
        memcpy(series->role->packet, packet, size);
        result = rung_packet_check(series->role->packet, size);
    }
    answer(series, mark, result, info);
    if (series->ended)
        photo_thread_stop(); /* this thread may be the library's, which knows no pictures */
}

static void run_alone(const struct series *series)
{
    const struct series_pictures *pictures = series->pictures;
    struct job_item *item;
    while ((item = pictures->take(pictures->pipeline))) {
        rung_run_info info;
        answer(series, item, role_run(series->role, item, (rung_rect){0}, &info), &info);
    }
}

void series_run(const struct job_work *work, void *user, void *session,
                const struct series_pictures *pictures, bool alone)
{
    struct series series = {work, user, session, pictures, work->session_of(session), false};
    const rung_series of = {
        .struct_size = sizeof of,
        .version = RUNG_STRUCT_VERSION,
        .user = &series,
        .next = next,
        .done = done,
    };
    /* A series that cannot begin, for want of memory, leaves its pictures to be run alone. */
    if (alone || rung_run_series(series.role->context, &of) != RUNG_OK)
        run_alone(&series);
}
