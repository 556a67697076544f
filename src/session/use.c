/* SPDX-License-Identifier: Apache-2.0 */
#include "session/use.h"

#include "base/clock.h"
#include "base/wait.h"

enum { FREE, USED, AWAITED /**< used, and one who waits is to be woken */ };

bool rung__use_try(struct rung__use *use)
{
    unsigned expected = FREE;
    return atomic_compare_exchange_strong_explicit(&use->state, &expected, USED,
                                                   memory_order_acquire, memory_order_relaxed);
}

void rung__use_wait(struct rung__use *use)
{
    if (rung__use_try(use))
        return;
    /* Once it is free it is taken as one that is waited for, whose end wakes nobody in vain more
     * than once. */
    while (atomic_exchange_explicit(&use->state, AWAITED, memory_order_acquire) != FREE)
        (void)rung__wait(&use->state, AWAITED, RUNG__CLOCK_NEVER);
}

void rung__use_end(struct rung__use *use)
{
    if (atomic_exchange_explicit(&use->state, FREE, memory_order_release) == AWAITED)
        rung__wake_one(&use->state);
}
