/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_READINESS_H
#define RUNG__STAGE_READINESS_H

#include <stdbool.h>
#include <stdint.h>

#include <rung/result.h>

/*
 * A tensor may be handed over before it is ready. The tracker ties one event to that exact buffer
 * and generation; whoever uses the tensor waits, and takes the entry away. A tensor without an
 * entry is ready. The tracker is its context's: its calls are ordered by the hand-over of the
 * buffer, and take no lock.
 */

#define RUNG__READINESS_MAX 4u /* buffers of a context that may be on their way at once */

/** Something that happens once. */
struct rung__ready_event {
    void (*wait)(void *user);
    void *user;
};

struct rung__readiness {
    struct rung__readiness_entry {
        const void *buffer; /**< NULL: the entry is free */
        uint64_t generation;
        struct rung__ready_event event;
    } entries[RUNG__READINESS_MAX];
};

/** Enters a buffer, which has no entry. Results: OK, CAPACITY (too many are on their way). */
rung_result rung__readiness_enter(struct rung__readiness *readiness, const void *buffer,
                                  uint64_t generation, struct rung__ready_event event);

/** Waits for a buffer of this generation, if it has an entry, and takes that away. */
void rung__readiness_wait(struct rung__readiness *readiness, const void *buffer,
                          uint64_t generation);

#endif
