/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_EPOCHS_H
#define RUNG__SESSION_EPOCHS_H

#include <stdatomic.h>

#include <rung/context.h>

/** What is current, 0: any. Set one after the other: a frame of the new ones may for a moment be
 * taken for stale, one of the old ones never for current. */
struct rung__epochs {
    _Atomic uint64_t session, transform, topology;
};

/** Marks a packet whose epochs are no longer the context's: nothing in it is actionable. */
void rung__epochs_mark(const struct rung_context *context, void *packet);

#endif
