/* SPDX-License-Identifier: Apache-2.0 */
#include "base/semaphore.h"

#include "base/clock.h"

/* Both orders are sequentially consistent: either the poster sees that somebody waits, or who waits
 * sees the count. */
void rung__semaphore_post(struct rung__semaphore *semaphore)
{
    atomic_fetch_add(&semaphore->count, 1);
    if (atomic_load(&semaphore->waiting) > 0)
        rung__wake_one(&semaphore->count);
}

static bool take(struct rung__semaphore *semaphore)
{
    uint32_t count = atomic_load(&semaphore->count);
    while (count > 0)
        if (atomic_compare_exchange_weak(&semaphore->count, &count, count - 1))
            return true;
    return false;
}

void rung__semaphore_wait(struct rung__semaphore *semaphore)
{
    while (!take(semaphore)) {
        atomic_fetch_add(&semaphore->waiting, 1);
        (void)rung__wait(&semaphore->count, 0, RUNG__CLOCK_NEVER);
        atomic_fetch_sub(&semaphore->waiting, 1);
    }
}
