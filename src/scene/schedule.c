/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/schedule.h"

bool rung__schedule_take(struct rung__schedule *schedule, uint64_t now, struct rung__due *due)
{
    if (!schedule->begun)
        schedule->due = now;
    if (now < schedule->due)
        return false;
    schedule->begun = true;
    due->missed = (now - schedule->due) / schedule->period;
    due->at = schedule->due + due->missed * schedule->period;
    schedule->due = due->at + schedule->period;
    return true;
}
