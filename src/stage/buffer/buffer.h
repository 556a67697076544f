/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_BUFFER_H
#define RUNG__STAGE_BUFFER_H

#include "stage/contract.h"

/** Frames that may be in memory at once. */
#define RUNG__BUFFER_SLOTS 2u

/** What the stage `buffer` is asked for: where a tensor is made, and that the runtime has it. */
struct rung__buffer_request {
    enum { RUNG__BUFFER_TARGET, RUNG__BUFFER_HAND_OVER } what;
    void *input;    /**< the memory that the runtime reads */
    uint64_t bytes; /**< of it */
    void *target;   /**< set by TARGET: where the tensor is to be made; read by HAND_OVER */
};

/** How many frames an implementation holds at once: each is a context of the provider's. */
uint32_t rung__buffer_slots(const struct rung__implementation *implementation);

/** The operations of those whose tensor is made where the runtime reads it. */
extern const struct rung__stage_operations rung__buffer_in_place;

#endif
