/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__PROVIDER_RUNNING_H
#define RUNG__PROVIDER_RUNNING_H

#include <stdatomic.h>
#include <stdbool.h>

/*
 * A run that another thread may cancel. One that is cancelled ends only when whoever cancels it has
 * said all that is to be said to it, so that nothing of that reaches the next run.
 */

/** All zero: nothing runs. */
struct rung__running {
    atomic_uint state;
};

void rung__running_begin(struct rung__running *running);

/** The same in two steps, for what can be told only once it runs: who cancels in between is heard
 * by the second step, which is then true, and the caller's is to say it. */
void rung__running_prepare(struct rung__running *running);
bool rung__running_start(struct rung__running *running);

/** True when the run was cancelled. */
bool rung__running_end(struct rung__running *running);

/** True once it is cancelled: for one that looks. */
bool rung__running_is_cancelled(struct rung__running *running);

/** Cancels what is under way, which does not end before `tell` (NULL: nothing is to be said) has
 * returned; does nothing when nothing is, or it is cancelled already. From any thread. */
void rung__running_cancel(struct rung__running *running, void (*tell)(void *user), void *user);

#endif
