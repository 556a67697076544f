/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_ENGINES_QUEUE_H
#define RUNG__SESSION_ENGINES_QUEUE_H

#include <rung/engines.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "base/thread.h"

struct rung__engine_want;

/** The building of an instance. */
struct rung__engine_builder {
    struct rung__mutex mutex;       /**< guards all but `hold` */
    struct rung__condition changed; /**< paused, resumed, or at its end */
    atomic_bool hold;               /**< the build on its way is given up */
    bool paused, ending;
    bool started, running; /**< there is a thread; it is at work */
    struct rung__thread thread;
    struct rung__engine_want *wants; /**< of the thread; those that are through have no path */
    uint32_t count, done;
    rung_engines_progress_callback callback;
    void *user;
};

void rung__engine_builder_init(struct rung__engine_builder *builder);

/** Gives up what is on its way and waits for the thread. */
void rung__engine_builder_finish(struct rung__engine_builder *builder);

#endif
