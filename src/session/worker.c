/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that works on a context's tickets. */
#include <string.h>

#include <rung/targets.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/wait.h"
#include "session/run.h"
#include "session/tickets.h"

enum { AWAKE, ASLEEP }; /* what the bell says of the thread */

void rung__worker_ring(struct rung__tickets *tickets)
{
    if (atomic_exchange(&tickets->bell, AWAKE) == ASLEEP)
        rung__wake_one(&tickets->bell);
}

/* ---- which is next --------------------------------------------------------------------------- */

/** The oldest that is queued, and not younger than `youngest`; NULL: none. */
static struct rung__slot *find_oldest(struct rung__tickets *tickets, uint64_t youngest,
                                      uint64_t *generation)
{
    struct rung__slot *oldest = NULL;
    for (uint32_t i = 0; i < tickets->depth; i++) {
        const uint64_t word = atomic_load(&tickets->slots[i].word);
        if (rung__slot_phase(word) != RUNG__SLOT_QUEUED || rung__slot_generation(word) > youngest)
            continue;
        youngest = rung__slot_generation(word);
        oldest = &tickets->slots[i];
    }
    *generation = youngest;
    return oldest;
}

/**
 * Takes the next ticket; NULL: none is queued. While the slots are looked at, an older ticket may
 * come into one that was passed already, and a younger one into one that was not. All that are
 * older than one that was seen were there by then, so that a second look finds the oldest.
 */
static struct rung__slot *take(struct rung__tickets *tickets, uint64_t *generation)
{
    uint64_t seen;
    while (find_oldest(tickets, UINT64_MAX, &seen)) {
        struct rung__slot *slot = find_oldest(tickets, seen, generation);
        if (slot && rung__slot_move(slot, *generation, RUNG__SLOT_QUEUED, RUNG__SLOT_RUNNING))
            return slot;
    } /* else it was cancelled just now */
    return NULL;
}

/* ---- working on it --------------------------------------------------------------------------- */

static bool is_unwanted(struct rung__slot *slot)
{
    return rung__slot_phase(atomic_load_explicit(&slot->word, memory_order_relaxed)) ==
           RUNG__SLOT_CANCELLING;
}

/** Adds up what the frames of a request took. */
static void note_times(struct rung__slot *slot, const struct rung_context *context)
{
    const rung_run_info before = slot->info;
    slot->info = rung__run_describe(context, &context->lanes[0].run);
    slot->info.preprocess_ns += before.preprocess_ns;
    slot->info.run_ns += before.run_ns;
    slot->info.postprocess_ns += before.postprocess_ns;
}

/** The packet of one frame, behind those that are there. */
static rung_result run_frame(struct rung__tickets *tickets, struct rung__slot *slot, uint32_t frame)
{
    struct rung_context *context = tickets->context;
    const size_t begin = (slot->used + 7) / 8 * 8;
    const rung_span packet = {slot->packets + begin, (size_t)tickets->packet_room};
    memset(slot->packets + slot->used, 0, begin - slot->used);
    size_t size = 0;
    const rung_result result =
        rung__run_steps(context, rung__answer_of(context), &slot->frames[frame], packet, &size);
    if (result != RUNG_OK)
        return result;
    slot->used = begin + size;
    note_times(slot, context);
    return RUNG_OK;
}

/** A canceller who came in time is about to interrupt the runtime: not the next ticket's run. */
static void let_cancellers_finish(struct rung__slot *slot)
{
    uint32_t cancellers;
    while ((cancellers = atomic_load(&slot->interrupting)) > 0)
        (void)rung__wait(&slot->interrupting, cancellers, RUNG__CLOCK_NEVER);
}

/** The ticket's result is there: from now on the runtime is not interrupted for it. */
static void end_run(struct rung__slot *slot, uint64_t generation)
{
    if (!rung__slot_move(slot, generation, RUNG__SLOT_RUNNING, RUNG__SLOT_ENDING))
        let_cancellers_finish(slot);
}

/** The worker's last step: it owns nothing of the slot afterwards. */
static void finish(struct rung__slot *slot, uint64_t generation, struct rung__metrics *metrics)
{
    const enum rung__phase end = slot->result == RUNG_OK ? RUNG__SLOT_COMPLETE : RUNG__SLOT_FAILED;
    if (rung__slot_move(slot, generation, RUNG__SLOT_ENDING, end))
        return;
    rung__metrics_note_cancel(metrics, rung__clock_now() - atomic_load(&slot->cancelled));
    rung__slot_set(slot, generation, RUNG__SLOT_CANCELLED);
}

void rung__worker_interrupt(struct rung__tickets *tickets)
{
    const struct rung_context *context = tickets->context;
    if (!atomic_load(&tickets->at_work) || !context->serving->rung->provider->cancel)
        return; /* the thread looks whether it is wanted before it begins */
    context->serving->rung->provider->cancel(context->lanes[0].running);
}

static void serve(struct rung__tickets *tickets, struct rung__slot *slot, uint64_t generation)
{
    struct rung_context *context = tickets->context;
    slot->used = 0;
    memset(&slot->info, 0, sizeof slot->info);
    rung__ledger_handed_over(&context->metrics.ledger, 1);
    rung__use_wait(&context->use);
    slot->result = rung__loss_check(context);
    atomic_store(&tickets->at_work, slot->result == RUNG_OK);
    for (uint32_t i = 0; i < slot->frame_count && slot->result == RUNG_OK; i++) {
        if (is_unwanted(slot))
            break;
        slot->result = run_frame(tickets, slot, i);
    }
    if (slot->result != RUNG_OK)
        (void)rung__text_format(slot->error, sizeof slot->error, "%s", rung_last_error());
    const bool answered = slot->result == RUNG_OK;
    end_run(slot, generation);
    atomic_store(&tickets->at_work, false);
    rung__use_end(&context->use); /* whoever sees the end finds the context free */
    finish(slot, generation, &context->metrics);
    if (answered)
        rung__background_after_answer(context->model);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static bool rebuild_if_due(struct rung_context *context)
{
    if (rung__rebuild_due(context) == RUNG__CLOCK_NEVER ||
        rung__clock_now() < rung__rebuild_due(context))
        return false;
    rung__use_wait(&context->use);
    if (rung__clock_now() >= rung__rebuild_due(context))
        (void)rung__rebuild(context); /* it plans the next try, and logs the reason */
    rung__use_end(&context->use);
    return true;
}

static bool is_idle(struct rung__tickets *tickets)
{
    uint64_t generation;
    return !atomic_load(&tickets->ending) && !find_oldest(tickets, UINT64_MAX, &generation);
}

static void sleep_until_rung(struct rung__tickets *tickets)
{
    atomic_store(&tickets->bell, ASLEEP);
    if (is_idle(tickets))
        (void)rung__wait(&tickets->bell, ASLEEP, rung__rebuild_due(tickets->context));
    atomic_store(&tickets->bell, AWAKE);
}

void rung__worker_run(void *argument)
{
    struct rung__tickets *tickets = argument;
    struct rung_context *context = tickets->context;
    rung__service_claim(&tickets->service);
    rung__log_write(&context->model->instance->log, RUNG_LOG_INFO,
                    "the thread of a context of %s has %s",
                    context->model->artifact.view.header.name, tickets->service.got);
    while (!atomic_load(&tickets->ending)) {
        uint64_t generation;
        struct rung__slot *slot = take(tickets, &generation);
        if (slot)
            serve(tickets, slot, generation);
        else if (!rebuild_if_due(context))
            sleep_until_rung(tickets);
    }
    rung__service_give_back(&tickets->service);
}
