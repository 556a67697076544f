/* SPDX-License-Identifier: Apache-2.0 */
/* Frames one after the other, by the schedule of the context. */
#include <stdlib.h>

#include <rung/context.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "session/run.h"
#include "session/structure.h"
#include "stage/schedule/schedule.h"

/** What a series keeps of the frame in a lane. */
struct item {
    void *mark;
    rung_result result;
    char error[RUNG__ERROR_BYTES]; /**< the reason, for the thread that delivers */
};

struct series {
    rung_context *context;
    rung_series of;
    const struct rung__answer *answer;
    struct item items[RUNG__BUFFER_SLOTS];
    void *packet;
    size_t packet_size;
};

static void keep_result(struct item *item, rung_result result)
{
    item->result = result;
    if (result != RUNG_OK)
        (void)rung__text_format(item->error, sizeof item->error, "%s", rung_last_error());
}

static bool prepare(void *user, uint32_t slot)
{
    struct series *series = user;
    struct rung__lane *lane = &series->context->lanes[slot];
    struct item *item = &series->items[slot];
    rung_frame frame = {.struct_size = sizeof frame, .version = RUNG_STRUCT_VERSION};
    item->mark = NULL;
    if (!series->of.next(series->of.user, &frame, &item->mark))
        return false;
    rung_result result = rung__run_place(series->context, lane, &frame);
    if (result == RUNG_OK)
        result = rung__run_prepare(series->context, lane);
    keep_result(item, result);
    return true;
}

static void run(void *user, uint32_t slot)
{
    struct series *series = user;
    struct rung__lane *lane = &series->context->lanes[slot];
    struct item *item = &series->items[slot];
    lane->run.prepared = rung__clock_now(); /* the frame may have waited for this thread */
    if (item->result == RUNG_OK)
        keep_result(item, rung__run_model(series->context, lane));
}

static void finish(void *user, uint32_t slot)
{
    struct series *series = user;
    struct rung__lane *lane = &series->context->lanes[slot];
    struct item *item = &series->items[slot];
    size_t size = 0;
    rung__run_end_reading(lane);
    lane->run.answered = rung__clock_now(); /* and for this one */
    if (item->result == RUNG_OK)
        keep_result(item,
                    series->answer->write(series->context, lane,
                                          (rung_span){series->packet, series->packet_size}, &size));
    lane->run.finished = rung__clock_now();
    rung__metrics_note(series->context, lane, item->result);
    if (item->result == RUNG_OK) {
        const rung_run_info info = rung__run_describe(series->context, &lane->run);
        rung__epochs_mark(series->context, series->packet);
        rung__background_after_answer(series->context->model);
        series->of.done(series->of.user, item->mark, RUNG_OK, series->packet, size, &info);
    } else {
        (void)rung__fail(item->result, "%s", item->error); /* of this thread, for the caller */
        series->of.done(series->of.user, item->mark, item->result, NULL, 0, NULL);
    }
}

rung_result rung_run_series(rung_context *context, const rung_series *caller_series)
{
    struct series series = {.context = context};
    uint64_t bytes = 0;
    if (!context || !caller_series)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_run_series: an argument is NULL");
    rung_result result =
        rung__structure_read(&series.of, sizeof series.of, caller_series, "rung_series");
    if (result == RUNG_OK && (!series.of.next || !series.of.done))
        result = rung__fail(RUNG_INVALID_ARGUMENT, "rung_series: next or done is NULL");
    if (result == RUNG_OK)
        result = rung_context_get_max_output_bytes(context, &bytes);
    if (result != RUNG_OK)
        return result;
    series.answer = rung__answer_of(context);
    series.packet = rung__memory_new(bytes);
    series.packet_size = (size_t)bytes;
    if (!series.packet)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a packet of %llu bytes",
                          (unsigned long long)bytes);
    struct rung__schedule_request request = {&series, prepare, run, finish};
    result = rung__context_enter(context);
    if (result == RUNG_OK) {
        result = rung__stage_run(&context->stages, RUNG__STAGE_SCHEDULE, &request);
        rung__context_leave(context);
    }
    free(series.packet);
    return result;
}
