/* SPDX-License-Identifier: Apache-2.0 */
#include <rung/ticket.h>

#include <string.h>

#include <rung/targets.h>

#include "base/clock.h"
#include "base/wait.h"
#include "session/structure.h"
#include "session/tickets.h"

static rung_result stale(void)
{
    return rung__fail(RUNG_STALE, "the ticket is gone: it was collected, cancelled or reset, or it "
                                  "is of another context");
}

static rung_result check(const rung_context *context, const char *function)
{
    if (!context)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: context is NULL", function);
    if (!context->tickets)
        return rung__fail(RUNG_UNSUPPORTED, "%s: the context was made without RUNG_CONTEXT_TICKETS",
                          function);
    return RUNG_OK;
}

/** The slot of a ticket; NULL, and STALE, where it cannot have one. */
static struct rung__slot *slot_of(const struct rung_context *context, rung_ticket ticket)
{
    const uint64_t number = ticket & RUNG__TICKET_SLOT;
    if (number < context->tickets->depth)
        return &context->tickets->slots[number];
    (void)stale();
    return NULL;
}

/** What callers are told of a phase; 0: the ticket is gone. */
static rung_ticket_state state_of(uint64_t word, rung_ticket ticket)
{
    static const rung_ticket_state states[] = {
        [RUNG__SLOT_QUEUED] = RUNG_TICKET_QUEUED,
        [RUNG__SLOT_RUNNING] = RUNG_TICKET_RUNNING,
        [RUNG__SLOT_ENDING] = RUNG_TICKET_RUNNING,
        [RUNG__SLOT_CANCELLING] = RUNG_TICKET_RUNNING,
        [RUNG__SLOT_COMPLETE] = RUNG_TICKET_COMPLETE,
        [RUNG__SLOT_COLLECTING] = RUNG_TICKET_COMPLETE,
        [RUNG__SLOT_FAILED] = RUNG_TICKET_FAILED,
        [RUNG__SLOT_CANCELLED] = RUNG_TICKET_CANCELLED,
        [RUNG__SLOT_RETIRING] = (rung_ticket_state)0,
    };
    return rung__slot_generation(word) == rung__slot_generation(ticket) &&
                   rung__slot_generation(ticket)
               ? states[rung__slot_phase(word)]
               : (rung_ticket_state)0;
}

/* ---- submit ---------------------------------------------------------------------------------- */

static struct rung__slot *find_free(struct rung__tickets *tickets)
{
    for (uint32_t i = 0; i < tickets->depth; i++)
        if (atomic_load(&tickets->slots[i].word) == RUNG__SLOT_FREE)
            return &tickets->slots[i];
    return NULL;
}

static rung_result copy_frames(struct rung__slot *slot, const rung_request *request)
{
    rung_result result = RUNG_OK;
    for (uint32_t i = 0; i < request->frame_count && result == RUNG_OK; i++) {
        struct rung__surface surface;
        struct rung__crop crop;
        if (!request->frames[i])
            return rung__fail(RUNG_INVALID_ARGUMENT, "rung_request: frame %u is NULL", i);
        result = rung__frame_read(request->frames[i], &slot->frames[i], &surface, &crop);
    }
    return result;
}

/** For one thread at a time. */
static rung_result submit(struct rung__tickets *tickets, const rung_request *request,
                          rung_ticket *ticket)
{
    struct rung__slot *slot = find_free(tickets);
    if (atomic_load(&tickets->ending)) /* a release inside rung_context_destroy */
        return rung__fail(RUNG_STATE, "rung_submit: the context is being destroyed");
    if (atomic_load(&tickets->context->loss.lost))
        return rung__loss_tell(tickets->context);
    if (!slot)
        return rung__fail(RUNG_BUSY,
                          "rung_submit: %u tickets are alive, which is the context's "
                          "depth; collect or cancel one",
                          tickets->depth);
    rung_result result = copy_frames(slot, request);
    if (result != RUNG_OK)
        return result;
    slot->frame_count = request->frame_count;
    atomic_store_explicit(&slot->cancelled, 0, memory_order_relaxed);
    const uint64_t generation =
        atomic_fetch_add_explicit(&tickets->context->model->instance->tickets, 1,
                                  memory_order_relaxed) +
        1;
    *ticket = generation << RUNG__TICKET_SHIFT | (uint64_t)(slot - tickets->slots);
    rung__slot_set(slot, generation, RUNG__SLOT_QUEUED);
    rung__worker_ring(tickets);
    return RUNG_OK;
}

static rung_result read_request(const struct rung__tickets *tickets, const rung_request *callers,
                                rung_request *request)
{
    rung_result result = rung__structure_read(request, sizeof *request, callers, "rung_request");
    if (result == RUNG_OK)
        result = rung__structure_check_flags(request->flags, 0, "rung_request");
    if (result != RUNG_OK)
        return result;
    if (!request->frames || request->frame_count < 1 ||
        request->frame_count > tickets->request_frames)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_request has %u frames; the context takes 1..%u "
                          "(rung_context_options.request_frames)",
                          request->frames ? request->frame_count : 0, tickets->request_frames);
    return RUNG_OK;
}

rung_result rung_submit(rung_context *context, const rung_request *callers, rung_ticket *ticket)
{
    rung_request request;
    if (!callers || !ticket)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_submit: an argument is NULL");
    rung_result result = check(context, "rung_submit");
    if (result != RUNG_OK)
        return result;
    struct rung__tickets *tickets = context->tickets;
    *ticket = 0;
    result = read_request(tickets, callers, &request);
    if (result != RUNG_OK)
        return result;
    if (atomic_exchange_explicit(&tickets->submitting, true, memory_order_acquire))
        return rung__fail(RUNG_BUSY, "rung_submit: another thread is submitting just now");
    result = submit(tickets, &request, ticket);
    atomic_store_explicit(&tickets->submitting, false, memory_order_release);
    return result;
}

/* ---- poll and wait --------------------------------------------------------------------------- */

static uint64_t deadline_of(uint64_t timeout_ns)
{
    const uint64_t now = timeout_ns && timeout_ns != RUNG_FOREVER ? rung__clock_now() : 0;
    return timeout_ns < RUNG__CLOCK_NEVER - now ? now + timeout_ns : RUNG__CLOCK_NEVER;
}

static bool is_end(rung_ticket_state state)
{
    return state != RUNG_TICKET_QUEUED && state != RUNG_TICKET_RUNNING;
}

/** Waits for an end, or for the ticket to go (0); `deadline` 0 is long ago. Results: OK, TIMEOUT.
 */
static rung_result wait_for_end(struct rung__slot *slot, rung_ticket ticket, uint64_t deadline,
                                rung_ticket_state *state)
{
    for (;;) {
        const uint64_t word = atomic_load(&slot->word);
        *state = state_of(word, ticket);
        if (is_end(*state))
            return RUNG_OK;
        if (deadline == 0 || !rung__slot_wait(slot, word, deadline))
            return rung__fail(RUNG_TIMEOUT, "the ticket is not done yet");
    }
}

/** The same of a handle, for callers. `*state` 0: STALE. Results: OK, TIMEOUT, STALE. */
static rung_result await(const struct rung_context *context, rung_ticket ticket,
                         uint64_t timeout_ns, rung_ticket_state *state)
{
    struct rung__slot *slot = slot_of(context, ticket);
    *state = (rung_ticket_state)0;
    if (!slot)
        return RUNG_STALE;
    const rung_result result = wait_for_end(slot, ticket, deadline_of(timeout_ns), state);
    return *state ? result : stale();
}

rung_result rung_poll(rung_context *context, rung_ticket ticket, rung_ticket_state *state)
{
    if (!state)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_poll: state is NULL");
    rung_result result = check(context, "rung_poll");
    if (result != RUNG_OK)
        return result;
    struct rung__slot *slot = slot_of(context, ticket);
    const rung_ticket_state now =
        slot ? state_of(atomic_load(&slot->word), ticket) : (rung_ticket_state)0;
    if (!now)
        return stale();
    *state = now;
    return RUNG_OK;
}

rung_result rung_wait(rung_context *context, rung_ticket ticket, uint64_t timeout_ns,
                      rung_ticket_state *state)
{
    rung_ticket_state now;
    rung_result result = check(context, "rung_wait");
    if (result != RUNG_OK)
        return result;
    result = await(context, ticket, timeout_ns, &now);
    if (state && now)
        *state = now;
    return result;
}

/* ---- collect --------------------------------------------------------------------------------- */

/** Results that are no longer current are marked in the caller's copy. */
static void mark_stale(const struct rung_context *context, uint8_t *packets, size_t size)
{
    for (size_t at = 0; at < size;) {
        rung_packet_header *header = (rung_packet_header *)(packets + at);
        rung__epochs_mark(context, header);
        at += (size_t)((header->total_size + 7) / 8 * 8);
    }
}

/** The collector's own slot is copied. Results: OK, CAPACITY, and those of rung__structure_write.
 */
static rung_result give(const struct rung_context *context, struct rung__slot *slot,
                        rung_span packets, size_t *needed, rung_run_info *info)
{
    if (needed)
        *needed = slot->used;
    if (packets.size < slot->used)
        return rung__fail(RUNG_CAPACITY, "the packets need %zu bytes, the span has %zu", slot->used,
                          packets.size);
    rung_result result =
        info ? rung__structure_write(info, &slot->info, sizeof slot->info, "rung_run_info")
             : RUNG_OK;
    if (result != RUNG_OK)
        return result;
    memcpy(packets.data, slot->packets, slot->used);
    mark_stale(context, packets.data, slot->used);
    return RUNG_OK;
}

/** Lets go of a ticket that failed or was cancelled. False when another thread did. */
static bool let_go(struct rung__slot *slot, rung_ticket ticket, enum rung__phase phase,
                   rung_result *result)
{
    if (!rung__slot_move(slot, rung__slot_generation(ticket), phase, RUNG__SLOT_RETIRING))
        return false;
    *result = phase == RUNG__SLOT_FAILED ? rung__fail(slot->result, "%s", slot->error)
                                         : rung__fail(RUNG_CANCELLED, "the ticket was cancelled");
    rung__slot_retire(slot);
    return true;
}

static rung_result busy(void)
{
    return rung__fail(RUNG_BUSY, "rung_collect: another thread is collecting the ticket");
}

static rung_result collect(struct rung_context *context, rung_ticket ticket,
                           rung_ticket_state state, rung_span packets, size_t *needed,
                           rung_run_info *info)
{
    struct rung__slot *slot = slot_of(context, ticket);
    const uint64_t generation = rung__slot_generation(ticket);
    rung_result result;
    if (state == RUNG_TICKET_FAILED)
        return let_go(slot, ticket, RUNG__SLOT_FAILED, &result) ? result : busy();
    if (state == RUNG_TICKET_CANCELLED)
        return let_go(slot, ticket, RUNG__SLOT_CANCELLED, &result) ? result : busy();
    if (!rung__slot_move(slot, generation, RUNG__SLOT_COMPLETE, RUNG__SLOT_COLLECTING))
        return busy();
    result = give(context, slot, packets, needed, info);
    if (result != RUNG_OK) {
        rung__slot_set(slot, generation, RUNG__SLOT_COMPLETE);
        return result;
    }
    rung__slot_set(slot, generation, RUNG__SLOT_RETIRING);
    rung__slot_retire(slot);
    return RUNG_OK;
}

rung_result rung_collect(rung_context *context, rung_ticket ticket, uint64_t timeout_ns,
                         rung_span packets, size_t *needed, rung_run_info *info)
{
    rung_ticket_state state;
    rung_result result = check(context, "rung_collect");
    if (result == RUNG_OK && !packets.data && packets.size)
        result = rung__fail(RUNG_INVALID_ARGUMENT, "rung_collect: packets is NULL");
    if (result == RUNG_OK && (uintptr_t)packets.data % 8)
        result = rung__fail(RUNG_INVALID_ARGUMENT, "rung_collect: the span is not 8-byte aligned");
    if (result != RUNG_OK)
        return result;
    result = await(context, ticket, timeout_ns, &state);
    if (result == RUNG_TIMEOUT && timeout_ns == 0)
        return rung__fail(RUNG_BUSY, "rung_collect: the ticket is not done yet");
    return result == RUNG_OK ? collect(context, ticket, state, packets, needed, info) : result;
}

/* ---- cancel and reset ------------------------------------------------------------------------ */

/** True when the ticket, in one of the phases that belong to nobody, was let go. */
static bool retire_idle(struct rung__slot *slot, uint64_t generation)
{
    static const enum rung__phase idle[] = {RUNG__SLOT_QUEUED, RUNG__SLOT_COMPLETE,
                                            RUNG__SLOT_FAILED, RUNG__SLOT_CANCELLED};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (rung__slot_move(slot, generation, idle[i], RUNG__SLOT_RETIRING)) {
            rung__slot_retire(slot);
            return true;
        }
    return false;
}

/** A running one is no longer wanted, and its run is to end. It may have come to its end meanwhile;
 * the worker does not go on to the next ticket before this is over. */
static void suppress(struct rung_context *context, struct rung__slot *slot, uint64_t generation)
{
    uint64_t never = 0;
    (void)atomic_compare_exchange_strong(&slot->cancelled, &never, rung__clock_now());
    atomic_fetch_add(&slot->interrupting, 1);
    if (rung__slot_move(slot, generation, RUNG__SLOT_RUNNING, RUNG__SLOT_CANCELLING))
        rung__worker_interrupt(context->tickets);
    else
        (void)rung__slot_move(slot, generation, RUNG__SLOT_ENDING, RUNG__SLOT_CANCELLING);
    if (atomic_fetch_sub(&slot->interrupting, 1) == 1)
        rung__wake_one(&slot->interrupting);
}

rung_result rung_cancel(rung_context *context, rung_ticket ticket)
{
    rung_result result = check(context, "rung_cancel");
    if (result != RUNG_OK)
        return result;
    struct rung__slot *slot = slot_of(context, ticket);
    const uint64_t generation = rung__slot_generation(ticket);
    if (!slot || !state_of(atomic_load(&slot->word), ticket))
        return stale();
    if (retire_idle(slot, generation))
        return RUNG_OK;
    suppress(context, slot, generation);
    if (retire_idle(slot, generation))
        return RUNG_OK;
    return state_of(atomic_load(&slot->word), ticket)
               ? rung__fail(RUNG_BUSY, "rung_cancel: the context still works on the ticket, whose "
                                       "result is suppressed; cancel or collect it later")
               : stale();
}

/** Until this generation is gone, whoever lets it go. */
static void drop(struct rung_context *context, struct rung__slot *slot, uint64_t generation)
{
    for (;;) {
        const uint64_t word = atomic_load(&slot->word);
        if (rung__slot_generation(word) != generation || retire_idle(slot, generation))
            return;
        suppress(context, slot, generation);
        if (rung__slot_phase(word) == RUNG__SLOT_CANCELLING ||
            rung__slot_phase(word) == RUNG__SLOT_COLLECTING ||
            rung__slot_phase(word) == RUNG__SLOT_RETIRING)
            (void)rung__slot_wait(slot, word, RUNG__CLOCK_NEVER);
    }
}

rung_result rung_context_reset(rung_context *context)
{
    rung_result result = check(context, "rung_context_reset");
    if (result != RUNG_OK)
        return result;
    uint64_t alive[RUNG__DEPTH_MAX] = {0};
    struct rung__tickets *tickets = context->tickets;
    for (uint32_t i = 0; i < tickets->depth; i++)
        alive[i] = rung__slot_generation(atomic_load(&tickets->slots[i].word));
    for (uint32_t i = 0; i < tickets->depth; i++) /* so that none is begun behind what runs */
        if (alive[i] && retire_idle(&tickets->slots[i], alive[i]))
            alive[i] = 0;
    for (uint32_t i = 0; i < tickets->depth; i++)
        if (alive[i])
            drop(context, &tickets->slots[i], alive[i]);
    return RUNG_OK;
}
