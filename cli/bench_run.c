/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_run.h"

#include <stdio.h>
#include <stdlib.h>

/** A frame on its way. */
struct bench_flight {
    struct bench_flight *next; /**< of the idle ones */
    struct photo photo;
    uint64_t begin_ns, decoded_ns;
};

static bool fail_run(struct bench_runner *runner, rung_result result)
{
    const char *detail = rung_last_error();
    snprintf(runner->why, sizeof runner->why, "%s", detail[0] ? detail : rung_result_text(result));
    runner->status = exit_of(result);
    return false;
}

static bool fail_to_keep(struct bench_runner *runner)
{
    snprintf(runner->why, sizeof runner->why, "there is no memory to keep what is measured");
    runner->status = EXIT_BACKEND;
    return false;
}

/* ---- frames ------------------------------------------------------------------------------- */

static struct bench_flight *take_off(struct bench_runner *runner)
{
    struct bench_flight *flight = runner->idle;
    if (!flight)
        return calloc(1, sizeof *flight);
    runner->idle = flight->next;
    return flight;
}

static void land(struct bench_runner *runner, struct bench_flight *flight)
{
    flight->next = runner->idle;
    runner->idle = flight;
}

void bench_runner_finish(struct bench_runner *runner)
{
    while (runner->idle) {
        struct bench_flight *flight = take_off(runner);
        photo_finish(&flight->photo);
        free(flight);
    }
}

/** Begins a run: gets its frame. NULL with the reason in the runner. */
static struct bench_flight *begin_run(struct bench_runner *runner, size_t number, rung_frame *frame)
{
    const struct bench_frames *frames = &runner->bench->frames;
    struct bench_flight *flight = take_off(runner);
    struct photo_error error = {0};
    if (!flight) {
        fail_to_keep(runner);
        return NULL;
    }
    flight->begin_ns = now_ns();
    const struct photo *photo = bench_frames_take(frames, number, &flight->photo, &error);
    flight->decoded_ns = bench_frames_decode(frames) ? now_ns() : flight->begin_ns;
    if (!photo) {
        land(runner, flight);
        runner->status = bench_frames_fail(frames, number, &error, runner->why, sizeof runner->why);
        return NULL;
    }
    *frame = photo_frame(photo);
    frame->frame_id = number;
    return flight;
}

/** Ends it: takes what it took. */
static bool end_run(struct bench_runner *runner, const struct bench_supply *supply,
                    struct bench_flight *flight, rung_result result, const rung_run_info *info)
{
    const uint64_t end = now_ns();
    land(runner, flight);
    if (result != RUNG_OK)
        return fail_run(runner, result);
    const struct bench_run run = {
        .begin_ns = flight->begin_ns,
        .ns = {[BENCH_DECODE] = flight->decoded_ns - flight->begin_ns,
               [BENCH_PREPROCESS] = info->preprocess_ns,
               [BENCH_RUN] = info->run_ns,
               [BENCH_POSTPROCESS] = info->postprocess_ns,
               [BENCH_TOTAL] = end - flight->begin_ns},
    };
    return supply->take(supply->user, &run) || fail_to_keep(runner);
}

/* ---- one after the other ------------------------------------------------------------------ */

static bool run_once(struct bench_runner *runner, size_t index, const struct bench_supply *supply,
                     size_t number)
{
    const struct role_session *session = &runner->bench->sides[index].sessions[runner->context];
    const rung_span packet = {session->packet, (size_t)session->packet_bytes};
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    rung_frame frame;
    struct bench_flight *flight = begin_run(runner, number, &frame);
    if (!flight)
        return false;
    const rung_result result = session->run(session->context, &frame, packet, NULL, &info);
    return end_run(runner, supply, flight, result, &info);
}

/* ---- series ------------------------------------------------------------------------------- */

struct series {
    struct bench_runner *runner;
    const struct bench_supply *supply;
};

static int next_of_series(void *user, rung_frame *frame, void **mark)
{
    const struct series *series = user;
    size_t number;
    if (series->runner->status == EXIT_DONE &&
        series->supply->next(series->supply->user, &number) &&
        (*mark = begin_run(series->runner, number, frame)))
        return 1;
    photo_thread_stop(); /* the thread is the library's, and may end */
    return 0;
}

static void done_of_series(void *user, void *mark, rung_result result, const void *packet,
                           size_t size, const rung_run_info *info)
{
    const struct series *series = user;
    (void)packet, (void)size;
    end_run(series->runner, series->supply, mark, result, info);
}

static bool run_series(struct bench_runner *runner, size_t side, const struct bench_supply *supply)
{
    struct series series = {runner, supply};
    const rung_series whole = {
        .struct_size = sizeof whole,
        .version = RUNG_STRUCT_VERSION,
        .user = &series,
        .next = next_of_series,
        .done = done_of_series,
    };
    const rung_result result =
        rung_run_series(runner->bench->sides[side].sessions[runner->context].context, &whole);
    return result == RUNG_OK ? runner->status == EXIT_DONE : fail_run(runner, result);
}

bool bench_run_all(struct bench_runner *runner, size_t side, const struct bench_supply *supply)
{
    size_t number;
    if (runner->bench->plan.series)
        return run_series(runner, side, supply);
    while (supply->next(supply->user, &number))
        if (!run_once(runner, side, supply, number))
            return false;
    return true;
}
