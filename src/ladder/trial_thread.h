/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_TRIAL_THREAD_H
#define RUNG__LADDER_TRIAL_THREAD_H

#include <stdatomic.h>

#include "ladder/probe.h"

/**
 * rung__probe_try where no child can be made: on a thread of this process that takes less time than
 * others. A crash is one of this process. What does not come back in time is left alone for good,
 * and so is the memory of the task's artifact then (`*left`), which the caller must not give back.
 * `ending` may be NULL; once it is set, a trial is waited for a little longer and then left (BUSY).
 * Results: OK, BUSY, NO_MEMORY. End with rung__trial_finish, also after a failure.
 */
rung_result rung__probe_try_here(const struct rung__probe_task *task, const atomic_bool *ending,
                                 struct rung__trial *out, bool *left);

#endif
