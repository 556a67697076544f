/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_REBUILD_H
#define RUNG__SESSION_REBUILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rung/result.h>

struct rung_context;

/** What became of a context's device. All zero: it is there. */
struct rung__loss {
    atomic_bool lost;
    _Atomic uint64_t count;   /**< how often it was lost */
    _Atomic uint64_t rebuilt; /**< how often the context was rebuilt: its model epoch */
    _Atomic uint64_t next;    /**< when it may be rebuilt by itself, monotonic ns */
    uint64_t wait_ns;         /**< from the last try to the next */
};

/** How long is waited behind a try, when `waited` was waited before it (0: it was the first). */
uint64_t rung__rebuild_backoff(uint64_t waited);

/** A run said that the device is lost. The caller uses the context. */
void rung__loss_note(struct rung_context *context);

/** DEVICE_LOST, with its sentence. */
rung_result rung__loss_tell(const struct rung_context *context);

/** OK while the device is there, else DEVICE_LOST; a context without a thread that rebuilds itself
 * does it here when it is time. The caller uses the context. */
rung_result rung__loss_check(struct rung_context *context);

/** When the context is to be rebuilt by itself, monotonic ns; RUNG__CLOCK_NEVER: it is not. Safe
 * from any thread. */
uint64_t rung__rebuild_due(const struct rung_context *context);

/** Rebuilds it. Results: those of rung_context_rebuild. The caller uses the context. */
rung_result rung__rebuild(struct rung_context *context);

#endif
