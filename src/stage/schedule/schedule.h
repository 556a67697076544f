/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_SCHEDULE_H
#define RUNG__STAGE_SCHEDULE_H

#include "stage/contract.h"

/**
 * What the stage `schedule` is asked for: a series of frames, each prepared, run and finished in
 * its slot, and each step in the order of the frames. Of one slot one step is done at a time;
 * `run` is called on the thread that the series was begun on.
 */
struct rung__schedule_request {
    void *user;
    /** Fetches and preprocesses the next frame; false: there is none more. */
    bool (*prepare)(void *user, uint32_t slot);
    void (*run)(void *user, uint32_t slot);
    /** Postprocesses and delivers. */
    void (*finish)(void *user, uint32_t slot);
};

#endif
