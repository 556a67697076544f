/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_USE_H
#define RUNG__SESSION_USE_H

#include <stdatomic.h>
#include <stdbool.h>

/*
 * A context is used by one thread at a time. A caller that finds it used goes away; only the
 * context's own thread waits, without a mutex. All zero is unused.
 */
struct rung__use {
    atomic_uint state; /**< see use.c */
};

/** False when somebody else uses it. */
bool rung__use_try(struct rung__use *use);
/** Waits for as long as somebody else does. For one thread. */
void rung__use_wait(struct rung__use *use);
void rung__use_end(struct rung__use *use);

#endif
