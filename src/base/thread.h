/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_THREAD_H
#define RUNG__BASE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <rung/result.h>

#include "base/thread_types.h" /* of base/posix or base/windows: rung__thread, _mutex, _condition */

/** Runs `run(argument)` on a new thread. `name` shows in debuggers, 15 characters. OK, NO_MEMORY.
 */
rung_result rung__thread_start(struct rung__thread *thread, const char *name,
                               void (*run)(void *argument), void *argument);
/** Waits for its end; each started thread is joined once, or left. */
void rung__thread_join(struct rung__thread *thread);
/** Leaves it alone for good: one that may never end. */
void rung__thread_leave(struct rung__thread *thread);
/** Lets the threads of others go first, as far as the system does that for a single thread. */
void rung__thread_yield_to_others(void);

/** A mutex with static storage may also be set to RUNG__MUTEX_INITIALIZER. */
void rung__mutex_init(struct rung__mutex *mutex);
void rung__mutex_finish(struct rung__mutex *mutex);
void rung__mutex_lock(struct rung__mutex *mutex);
void rung__mutex_unlock(struct rung__mutex *mutex);

/** A condition measured against the monotonic clock. */
void rung__condition_init(struct rung__condition *condition);
void rung__condition_finish(struct rung__condition *condition);
void rung__condition_signal(struct rung__condition *condition);
void rung__condition_broadcast(struct rung__condition *condition);
/** False when `deadline` (monotonic ns, or RUNG__CLOCK_NEVER) passed. Wakes for no reason at times.
 */
bool rung__condition_wait(struct rung__condition *condition, struct rung__mutex *mutex,
                          uint64_t deadline);

#endif
