/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While the calling thread runs a frame, a second one finishes the frame before it and prepares the
 * one behind it, in the slot that this makes free.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/semaphore.h"
#include "base/thread.h"
#include "stage/buffer/buffer.h"
#include "stage/implementations.h"
#include "stage/schedule/schedule.h"

struct overlap {
    struct rung__ledger *ledger;
    struct rung__thread helper;
    struct rung__semaphore begin, ready, ran, ended;
    const struct rung__schedule_request *request; /**< the series; NULL: the helper is to end */
    bool more[RUNG__BUFFER_SLOTS]; /**< what `ready` announces is a frame, not the end */
};

static uint32_t slot_of(uint64_t frame)
{
    return (uint32_t)(frame % RUNG__BUFFER_SLOTS);
}

static void wake(struct overlap *overlap, struct rung__semaphore *semaphore)
{
    rung__ledger_handed_over(overlap->ledger, 1);
    rung__semaphore_post(semaphore);
}

/** Waits until a frame has run, and finishes it. */
static void finish(struct overlap *overlap, uint64_t frame)
{
    rung__semaphore_wait(&overlap->ran);
    overlap->request->finish(overlap->request->user, slot_of(frame));
}

static void help_with_series(struct overlap *overlap)
{
    const struct rung__schedule_request *request = overlap->request;
    uint64_t frame = 0;
    for (;; frame++) {
        if (frame >= RUNG__BUFFER_SLOTS)
            finish(overlap, frame - RUNG__BUFFER_SLOTS);
        const bool more = request->prepare(request->user, slot_of(frame));
        overlap->more[slot_of(frame)] = more;
        wake(overlap, &overlap->ready);
        if (!more)
            break;
    }
    /* Of the frames before, up to one is still to be finished. */
    const uint64_t finished = frame >= RUNG__BUFFER_SLOTS ? frame + 1 - RUNG__BUFFER_SLOTS : 0;
    for (uint64_t i = finished; i < frame; i++)
        finish(overlap, i);
    wake(overlap, &overlap->ended);
}

static void help(void *data)
{
    struct overlap *overlap = data;
    for (;;) {
        rung__semaphore_wait(&overlap->begin);
        if (!overlap->request)
            return;
        help_with_series(overlap);
    }
}

static rung_result create(const struct rung__stage_context *context, void **object)
{
    struct overlap *overlap = calloc(1, sizeof *overlap);
    if (!overlap)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
    overlap->ledger = context->ledger;
    rung_result result = rung__thread_start(&overlap->helper, "rung-overlap", help, overlap);
    if (result != RUNG_OK) {
        free(overlap);
        return result;
    }
    rung__ledger_allocated(context->ledger, 0, sizeof *overlap);
    rung__ledger_started(context->ledger);
    *object = overlap;
    return RUNG_OK;
}

static rung_result run(void *object, void *data)
{
    struct overlap *overlap = object;
    const struct rung__schedule_request *request = data;
    overlap->request = request;
    wake(overlap, &overlap->begin);
    for (uint64_t frame = 0;; frame++) {
        rung__semaphore_wait(&overlap->ready);
        if (!overlap->more[slot_of(frame)])
            break;
        request->run(request->user, slot_of(frame));
        wake(overlap, &overlap->ran);
    }
    rung__semaphore_wait(&overlap->ended);
    return RUNG_OK;
}

static void destroy(void *object)
{
    struct overlap *overlap = object;
    if (!overlap)
        return;
    overlap->request = NULL;
    rung__semaphore_post(&overlap->begin);
    rung__thread_join(&overlap->helper);
    rung__ledger_ended(overlap->ledger);
    rung__ledger_freed(overlap->ledger, sizeof *overlap);
    free(overlap);
}

static const struct rung__stage_operations operations = {
    .create = create,
    .run = run,
    .destroy = destroy,
};

const struct rung__implementation rung__schedule_overlap = {
    RUNG__ON_ANY_CPU,
    .id = "overlap-v1",
    .stage = RUNG__STAGE_SCHEDULE,
    .scenarios = RUNG__SCENARIO_SERIES,
    .needs = &rung__buffer_ring,
    .fallback = RUNG__STAGE_BASE,
    .per_model = true,
    .output = "results in the order of the frames",
    .stream = "done when it returns; frames are fetched and finished on a thread of its own",
    .operations = &operations,
};
