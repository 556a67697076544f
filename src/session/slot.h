/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_SLOT_H
#define RUNG__SESSION_SLOT_H

#include <stdatomic.h>
#include <stdbool.h>

#include <rung/ticket.h>

#include "base/error.h"

/*
 * The place of one ticket. All that threads know of each other is one word of a generation and a
 * phase: whoever moves it from one phase to another owns what is in the slot, until it moves on.
 * tests/model/ticket.pml is this file and worker.c as a model, which is checked for every order of
 * steps.
 *
 *   FREE ─▶ QUEUED ─▶ RUNNING ─▶ ENDING ─▶ COMPLETE ⇄ COLLECTING
 *                        │         │  └────▶ FAILED
 *                        └─────────┴───────▶ CANCELLING ─▶ CANCELLED
 *
 * and from QUEUED, COLLECTING and the three ends to RETIRING ─▶ FREE.
 */
enum rung__phase {
    RUNG__SLOT_FREE,       /**< the submitter's */
    RUNG__SLOT_QUEUED,     /**< nobody's */
    RUNG__SLOT_RUNNING,    /**< the worker's */
    RUNG__SLOT_ENDING,     /**< still the worker's, who runs nothing any more */
    RUNG__SLOT_CANCELLING, /**< still the worker's; its result is not wanted any more */
    RUNG__SLOT_COMPLETE,   /**< nobody's */
    RUNG__SLOT_COLLECTING, /**< the collector's, who may yet find that it has no room */
    RUNG__SLOT_FAILED,     /**< nobody's */
    RUNG__SLOT_CANCELLED,  /**< nobody's */
    RUNG__SLOT_RETIRING,   /**< whose who lets it go */
};

struct rung__slot {
    _Atomic uint64_t word;      /**< generation << 8 | phase; a free one has no generation */
    atomic_uint sleepers;       /**< who waits, or is about to, until the word changes */
    atomic_uint news;           /**< how often they were woken */
    atomic_uint interrupting;   /**< cancellers that are about to interrupt the runtime */
    _Atomic uint64_t cancelled; /**< when it was, while it ran, rung__clock_now; 0: it was not */
    rung_frame *frames;         /**< copies */
    uint32_t frame_count;
    uint8_t *packets; /**< one behind the other, each at a multiple of 8 bytes */
    size_t used;      /**< bytes of them */
    rung_result result;
    rung_run_info info; /**< of all frames together */
    char error[RUNG__ERROR_BYTES];
};

/* A ticket is a generation << 8 | the number of its slot. */
#define RUNG__TICKET_SHIFT 8
#define RUNG__TICKET_SLOT  0xffu

static inline uint64_t rung__slot_word(uint64_t generation, enum rung__phase phase)
{
    return generation << RUNG__TICKET_SHIFT | (uint64_t)phase;
}

static inline enum rung__phase rung__slot_phase(uint64_t word)
{
    return (enum rung__phase)(word & RUNG__TICKET_SLOT);
}

static inline uint64_t rung__slot_generation(uint64_t word)
{
    return word >> RUNG__TICKET_SHIFT;
}

/** Moves from one phase to another, and wakes those who wait for an end. False when it was not, or
 * is no longer, that ticket in that phase. */
bool rung__slot_move(struct rung__slot *slot, uint64_t generation, enum rung__phase from,
                     enum rung__phase to);

/** Sets the word of a slot that is the caller's, and wakes those who wait for an end. */
void rung__slot_set(struct rung__slot *slot, uint64_t generation, enum rung__phase phase);

/** Waits from this word on for an end, or for the ticket to go. False when `deadline` (monotonic
 * ns) passed. */
bool rung__slot_wait(struct rung__slot *slot, uint64_t word, uint64_t deadline);

/** Lets go of a slot in RETIRING: it is free before its frames are released, so that a release may
 * submit the next. */
void rung__slot_retire(struct rung__slot *slot);

#endif
