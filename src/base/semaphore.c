/* SPDX-License-Identifier: Apache-2.0 */
#include "base/semaphore.h"

#include "base/clock.h"

void rung__semaphore_init(struct rung__semaphore *semaphore)
{
    rung__mutex_init(&semaphore->mutex);
    rung__condition_init(&semaphore->condition);
    semaphore->count = 0;
}

void rung__semaphore_finish(struct rung__semaphore *semaphore)
{
    rung__condition_finish(&semaphore->condition);
    rung__mutex_finish(&semaphore->mutex);
}

void rung__semaphore_post(struct rung__semaphore *semaphore)
{
    rung__mutex_lock(&semaphore->mutex);
    semaphore->count++;
    rung__condition_signal(&semaphore->condition);
    rung__mutex_unlock(&semaphore->mutex);
}

void rung__semaphore_wait(struct rung__semaphore *semaphore)
{
    rung__mutex_lock(&semaphore->mutex);
    while (semaphore->count == 0)
        rung__condition_wait(&semaphore->condition, &semaphore->mutex, RUNG__CLOCK_NEVER);
    semaphore->count--;
    rung__mutex_unlock(&semaphore->mutex);
}
