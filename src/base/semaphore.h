/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_SEMAPHORE_H
#define RUNG__BASE_SEMAPHORE_H

#include "base/thread.h"

/** A number that threads wait on until it is above 0. */
struct rung__semaphore {
    struct rung__mutex mutex;
    struct rung__condition condition;
    uint32_t count;
};

void rung__semaphore_init(struct rung__semaphore *semaphore);
void rung__semaphore_finish(struct rung__semaphore *semaphore);
/** Adds one, and wakes whoever waits for it. What was written before is seen behind the wait. */
void rung__semaphore_post(struct rung__semaphore *semaphore);
/** Waits until it is above 0, and takes one. */
void rung__semaphore_wait(struct rung__semaphore *semaphore);

#endif
