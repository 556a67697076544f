/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_TICKETS_H
#define RUNG__SESSION_TICKETS_H

#include "base/service.h"
#include "base/thread.h"
#include "session/context.h"
#include "session/slot.h"

#define RUNG__DEPTH_MAX          16u
#define RUNG__REQUEST_FRAMES_MAX 16u

/** The tickets of a context and the thread that works on them. */
struct rung__tickets {
    struct rung_context *context;
    uint32_t depth;          /**< slots */
    uint32_t request_frames; /**< of one request, at most */
    uint64_t packet_room;    /**< bytes of one packet, a multiple of 8 */
    atomic_bool submitting;  /**< one thread at a time */
    atomic_uint bell;        /**< see worker.c */
    atomic_bool ending;
    atomic_bool at_work; /**< the thread has the context and its place: a run may be interrupted */
    struct rung__thread thread;
    bool started;
    struct rung__service service; /**< of the thread, once it is up */
    struct rung__slot *slots;
};

/** Allocates all that tickets need, and starts the thread. Results: OK, NO_MEMORY. */
rung_result rung__tickets_create(struct rung_context *context, struct rung__tickets **out);

/** The memory of all packets that they may come to. */
uint64_t rung__tickets_packet_bytes(const struct rung__tickets *tickets);

/** Waits for what is running, ends the thread, and releases the frames of all tickets. NULL is
 * allowed. */
void rung__tickets_destroy(struct rung__tickets *tickets);

/** Tells the thread that there is something new. Safe from any thread. */
void rung__worker_ring(struct rung__tickets *tickets);

/** Asks what the thread runs to end early, where the provider can do that. Only while the ticket
 * that it runs cannot end. */
void rung__worker_interrupt(struct rung__tickets *tickets);

/** What the thread does, until `ending` is set and it is rung. */
void rung__worker_run(void *tickets);

#endif
