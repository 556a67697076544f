/* SPDX-License-Identifier: Apache-2.0 */
#include "session/tickets.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static uint64_t align8(uint64_t size)
{
    return (size + 7) / 8 * 8;
}

/** Zeros of a whole number of cache lines: nobody else's memory is in the lines of a slot. */
static void *zeros(uint64_t size)
{
    void *memory = rung__memory_new(size);
    if (memory)
        memset(memory, 0, (size_t)size);
    return memory;
}

static bool allocate_slots(struct rung__tickets *tickets)
{
    tickets->slots = zeros(tickets->depth * sizeof *tickets->slots);
    bool complete = tickets->slots;
    for (uint32_t i = 0; i < tickets->depth && complete; i++) {
        struct rung__slot *slot = &tickets->slots[i];
        slot->frames = zeros(tickets->request_frames * sizeof *slot->frames);
        slot->packets = zeros(tickets->request_frames * tickets->packet_room);
        complete = slot->frames && slot->packets;
    }
    return complete;
}

static void free_all(struct rung__tickets *tickets)
{
    for (uint32_t i = 0; tickets->slots && i < tickets->depth; i++) {
        free(tickets->slots[i].frames);
        free(tickets->slots[i].packets);
    }
    free(tickets->slots);
    free(tickets);
}

rung_result rung__tickets_create(struct rung_context *context, struct rung__tickets **out)
{
    const rung_context_options *options = &context->options;
    uint64_t packet = 0;
    rung_result result = rung_context_get_max_output_bytes(context, &packet);
    struct rung__tickets *tickets = zeros(sizeof *tickets);
    if (result == RUNG_OK && !tickets)
        result = rung__fail(RUNG_NO_MEMORY, "no memory for the tickets of a context");
    if (result != RUNG_OK)
        return result;
    tickets->context = context;
    tickets->depth = options->depth ? options->depth : 1;
    tickets->request_frames = options->request_frames ? options->request_frames : 1;
    tickets->packet_room = align8(packet);
    result = allocate_slots(tickets)
                 ? rung__thread_start(&tickets->thread, "rung-worker", rung__worker_run, tickets)
                 : rung__fail(RUNG_NO_MEMORY, "no memory for the tickets of a context");
    if (result != RUNG_OK) {
        free_all(tickets);
        return result;
    }
    rung__ledger_started(&context->metrics.ledger);
    *out = tickets;
    return RUNG_OK;
}

uint64_t rung__tickets_packet_bytes(const struct rung__tickets *tickets)
{
    return (uint64_t)tickets->depth * tickets->request_frames * tickets->packet_room;
}

/** With nobody else left who could know of the slots. */
static void release_all(struct rung__tickets *tickets)
{
    for (uint32_t i = 0; i < tickets->depth; i++)
        if (rung__slot_phase(atomic_load(&tickets->slots[i].word)) != RUNG__SLOT_FREE)
            rung__slot_retire(&tickets->slots[i]);
}

void rung__tickets_destroy(struct rung__tickets *tickets)
{
    if (!tickets)
        return;
    atomic_store(&tickets->ending, true);
    rung__worker_ring(tickets);
    rung__thread_join(&tickets->thread);
    release_all(tickets);
    free_all(tickets);
}
