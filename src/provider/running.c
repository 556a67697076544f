/* SPDX-License-Identifier: Apache-2.0 */
#include "provider/running.h"

#include "base/clock.h"
#include "base/wait.h"

/* WANTED: it is to be cancelled as soon as it can be told. */
enum { NOTHING, PREPARED, WANTED, UNDER_WAY, BEING_TOLD, TOLD };

static bool move(struct rung__running *running, unsigned from, unsigned to)
{
    return atomic_compare_exchange_strong(&running->state, &from, to);
}

void rung__running_begin(struct rung__running *running)
{
    atomic_store(&running->state, UNDER_WAY);
}

void rung__running_prepare(struct rung__running *running)
{
    atomic_store(&running->state, PREPARED);
}

bool rung__running_start(struct rung__running *running)
{
    if (move(running, PREPARED, UNDER_WAY))
        return false;
    atomic_store(&running->state, TOLD);
    return true;
}

bool rung__running_end(struct rung__running *running)
{
    if (move(running, UNDER_WAY, NOTHING) || move(running, PREPARED, NOTHING))
        return false;
    while (atomic_load(&running->state) == BEING_TOLD)
        (void)rung__wait(&running->state, BEING_TOLD, RUNG__CLOCK_NEVER);
    atomic_store(&running->state, NOTHING);
    return true;
}

bool rung__running_is_cancelled(struct rung__running *running)
{
    return atomic_load(&running->state) != UNDER_WAY;
}

void rung__running_cancel(struct rung__running *running, void (*tell)(void *user), void *user)
{
    if (move(running, PREPARED, WANTED) || !move(running, UNDER_WAY, BEING_TOLD))
        return;
    if (tell)
        tell(user);
    atomic_store(&running->state, TOLD);
    rung__wake_all(&running->state);
}
