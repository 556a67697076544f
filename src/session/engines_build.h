/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_ENGINES_BUILD_H
#define RUNG__SESSION_ENGINES_BUILD_H

#include "ladder/outcome.h"
#include "session/engines.h"

/** A model whose engine is wanted. */
struct rung__engine_want {
    char *path;                    /**< its file */
    uint64_t bytes;                /**< of the file; 0: unknown */
    const struct rung__rung *rung; /**< NULL: the one that a probe chose */
    uint32_t threads;
    uint64_t time_limit_ns;
    bool again; /**< also what failed before */
};

/** How that stands. */
struct rung__engine_progress {
    const char *state; /**< one of rung_engines_progress */
    const struct rung__rung *rung;
    rung_result result;
    char reason[RUNG__OUTCOME_REASON];
};

/** Is told that a build begins. */
struct rung__engine_listener {
    void (*building)(void *user, const struct rung__engine_want *want,
                     const struct rung__engine_progress *progress);
    void *user;
};

/**
 * Sees to the engine of one model. What becomes of it is in `out`; `hold` gives the build up once
 * it is true. Results: OK, BUSY (another process builds: ask again later), CANCELLED, UNSUPPORTED
 * (no helper program), PERMISSION and IO (no engine can be kept), NO_MEMORY.
 */
rung_result rung__engines_build_one(struct rung_instance *instance,
                                    const struct rung__engine_want *want, const atomic_bool *hold,
                                    const struct rung__engine_listener *listener,
                                    struct rung__engine_progress *out);

#endif
