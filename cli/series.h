/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_SERIES_H
#define RUNG_CLI_SERIES_H

#include "job.h"

/** Where a series has its pictures from, and where it puts them when they are done. */
struct series_pictures {
    void *pipeline;
    struct job_item *(*take)(void *pipeline); /**< NULL: there is none more */
    void (*put)(void *pipeline, struct job_item *item);
};

/**
 * Works on pictures in one session until there is none more, as the context's schedule says; with
 * `alone` one at a time, for a pipeline that holds no two.
 */
void series_run(const struct job_work *work, void *user, void *session,
                const struct series_pictures *pictures, bool alone);

#endif
