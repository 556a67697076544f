/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_LEDGER_H
#define RUNG__STAGE_LEDGER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the stages of a context take, for its report. Their objects enter it themselves, on whatever
 * thread they are used; it may be read from any other. Without a ledger (NULL) nothing is noted.
 */
struct rung__ledger {
    atomic_uint_fast64_t bytes;                    /**< of memory that is held */
    atomic_uint_fast64_t allocations;              /**< that were ever made */
    atomic_uint_fast64_t hand_overs;               /**< times that a thread woke another one */
    atomic_uint_fast32_t threads, threads_started; /**< that there are, and that ever were */
};

/** Memory of `from` bytes was replaced by a new piece of `to`. */
static inline void rung__ledger_allocated(struct rung__ledger *ledger, uint64_t from, uint64_t to)
{
    if (!ledger)
        return;
    atomic_fetch_add_explicit(&ledger->bytes, to - from, memory_order_relaxed);
    atomic_fetch_add_explicit(&ledger->allocations, 1, memory_order_relaxed);
}

static inline void rung__ledger_freed(struct rung__ledger *ledger, uint64_t bytes)
{
    if (ledger)
        atomic_fetch_sub_explicit(&ledger->bytes, bytes, memory_order_relaxed);
}

static inline void rung__ledger_started(struct rung__ledger *ledger)
{
    if (!ledger)
        return;
    atomic_fetch_add_explicit(&ledger->threads, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&ledger->threads_started, 1, memory_order_relaxed);
}

static inline void rung__ledger_ended(struct rung__ledger *ledger)
{
    if (ledger)
        atomic_fetch_sub_explicit(&ledger->threads, 1, memory_order_relaxed);
}

static inline void rung__ledger_handed_over(struct rung__ledger *ledger, uint32_t times)
{
    if (ledger)
        atomic_fetch_add_explicit(&ledger->hand_overs, times, memory_order_relaxed);
}

#endif
