/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TICKET_H
#define RUNG_TICKET_H

#include <rung/context.h>
#include <rung/export.h>
#include <rung/frame.h>
#include <rung/result.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Requests that are worked on by a context's own thread, for contexts made with
 * RUNG_CONTEXT_TICKETS. A request becomes a ticket:
 *
 *   submit ─▶ QUEUED ─▶ RUNNING ─▶ COMPLETE ─▶ collect, and it is gone
 *                │         ├─────▶ FAILED ───▶ collect, and it is gone
 *                │         └─────▶ CANCELLED ▶ cancel or collect, and it is gone
 *                └─ cancel, and it is gone
 *
 * Requests are worked on in the order in which they were submitted. All functions of this file are
 * safe from any thread, take no lock and allocate nothing; only rung_wait, rung_collect with a time
 * limit and rung_context_reset wait. A context without RUNG_CONTEXT_TICKETS is UNSUPPORTED.
 */

/**
 * A handle of one request. 0 is none. Once its ticket is gone a handle is STALE for good, also when
 * its place in the context was taken again, and so is the handle of another context of the
 * instance.
 */
typedef uint64_t rung_ticket;

/** Where a ticket stands. */
typedef enum rung_ticket_state {
    RUNG_TICKET_QUEUED = 1,
    RUNG_TICKET_RUNNING = 2,  /**< also one that was cancelled while the model runs on */
    RUNG_TICKET_COMPLETE = 3, /**< its packets can be collected */
    RUNG_TICKET_CANCELLED = 4,
    RUNG_TICKET_FAILED = 5 /**< rung_collect tells why */
} rung_ticket_state;

/** What is to be done. */
typedef struct rung_request {
    uint32_t struct_size;            /**< sizeof(rung_request) */
    uint32_t version;                /**< RUNG_STRUCT_VERSION */
    uint32_t flags;                  /**< 0 */
    uint32_t frame_count;            /**< 1..rung_context_options.request_frames */
    const rung_frame *const *frames; /**< worked on in order, one packet each */
    uint64_t reserved[4];
} rung_request;

/**
 * Hands a request over to the context's thread and returns at once.
 *
 * The frames are checked here and copied; their pixels are borrowed until `release` is called for
 * each. They stay the caller's when this fails. Results: OK, INVALID_ARGUMENT (also a frame that
 * is), VERSION, UNSUPPORTED, BUSY (as many tickets as its depth are alive, or another thread is
 * submitting just now), DEVICE_LOST, STATE (the context is being destroyed: from `release`).
 */
RUNG_API rung_result rung_submit(rung_context *context, const rung_request *request,
                                 rung_ticket *ticket);

/** Tells where a ticket stands and changes nothing. Results: OK, INVALID_ARGUMENT, UNSUPPORTED,
 * STALE. */
RUNG_API rung_result rung_poll(rung_context *context, rung_ticket ticket, rung_ticket_state *state);

/** No time limit. */
#define RUNG_FOREVER UINT64_MAX

/**
 * Waits until a ticket is COMPLETE, CANCELLED or FAILED, and tells which; it changes nothing. Any
 * number of threads may wait for it.
 *
 * `timeout_ns` from now; 0: it does not wait; RUNG_FOREVER. `state` may be NULL; it is set also
 * with TIMEOUT. Results: OK, TIMEOUT, INVALID_ARGUMENT, UNSUPPORTED, STALE (also when the ticket
 * goes while it is waited for).
 */
RUNG_API rung_result rung_wait(rung_context *context, rung_ticket ticket, uint64_t timeout_ns,
                               rung_ticket_state *state);

/**
 * Takes what a ticket came to, waiting for it at most `timeout_ns` (0: not at all; RUNG_FOREVER).
 *
 * With OK the packets of all its frames lie in `packets`, in their order, each at a multiple of 8
 * bytes: the next begins total_size bytes, rounded up to 8, behind the beginning of this one.
 * `*needed` (may be NULL) is set to the bytes of all of them, also when they do not fit. `info`
 * (may be NULL) has the times of all frames together. The ticket is then gone and its frames are
 * released, as with every other result of the work: CANCELLED, or why it failed (BACKEND,
 * DEVICE_LOST, TIMEOUT of a fence, …; of the first frame that did, and rung_last_error has the
 * reason).
 *
 * The ticket lives on with BUSY (not done, and no time limit; or another thread is collecting it),
 * TIMEOUT (not done within the limit) and CAPACITY (nothing was written). `packets` must be 8-byte
 * aligned. Further results: INVALID_ARGUMENT, VERSION, UNSUPPORTED, STALE.
 */
RUNG_API rung_result rung_collect(rung_context *context, rung_ticket ticket, uint64_t timeout_ns,
                                  rung_span packets, size_t *needed, rung_run_info *info);

/**
 * Does away with a ticket and its result.
 *
 * OK: it is gone, and its frames are released. BUSY: the context's thread still works on it; its
 * result is suppressed, a runtime that can be interrupted is, and the ticket becomes CANCELLED
 * soon. Then this function, or rung_collect, lets it go. BUSY also when another thread is
 * collecting it just now, who may find that it has no room. Other results: INVALID_ARGUMENT,
 * UNSUPPORTED, STALE.
 */
RUNG_API rung_result rung_cancel(rung_context *context, rung_ticket ticket);

/**
 * Does away with all tickets that are alive; the one that is running is cancelled and waited for.
 * All frames are released, and the handles are STALE. Results: OK, INVALID_ARGUMENT, UNSUPPORTED.
 */
RUNG_API rung_result rung_context_reset(rung_context *context);

#ifdef __cplusplus
}
#endif

#endif
