/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_SEMAPHORE_H
#define RUNG__BASE_SEMAPHORE_H

#include "base/wait.h"

/** A number that threads wait on until it is above 0. All zero is 0; there is nothing to end, but
 * it outlives the calls. */
struct rung__semaphore {
    atomic_uint count;
    atomic_uint waiting; /**< threads that may sleep */
};

/** Adds one, and wakes whoever waits for it. What was written before is seen behind the wait. */
void rung__semaphore_post(struct rung__semaphore *semaphore);
/** Waits until it is above 0, and takes one. */
void rung__semaphore_wait(struct rung__semaphore *semaphore);

#endif
