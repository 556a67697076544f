/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SCENE_SCHEDULE_H
#define RUNG__SCENE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/* When ticks are due: at the first look, and at multiples of the period from there on. */

/** All zero but for the period is one that was never looked at. */
struct rung__schedule {
    uint64_t period, due; /**< ns */
    bool begun;
};

/** One tick of it. */
struct rung__due {
    uint64_t at;     /**< when it was due */
    uint64_t missed; /**< periods before it in which none began */
};

/** Whether a tick is due; then the schedule goes on to the next one that lies ahead of `now`. */
bool rung__schedule_take(struct rung__schedule *schedule, uint64_t now, struct rung__due *due);

#endif
