/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_ENGINE_BUILD_H
#define RUNG__LADDER_ENGINE_BUILD_H

#include <stdatomic.h>

#include "ladder/outcome.h"
#include "ladder/rungs.h"

/* The helper's subcommand: rung, library, plugin (or ""), threads and the folder for what is
 * compiled follow; the model file comes on standard input. */
#define RUNG__ENGINE_BUILD "build"

/** An engine to be built. */
struct rung__engine_task {
    const struct rung__rung *rung;
    const char *helper;  /**< the program rung-probe */
    const char *library; /**< of its runtime */
    const char *plugin;  /**< that brings its execution provider; NULL: none does */
    const struct rung__artifact_view *artifact;
    uint32_t threads; /**< at least 1 */
    uint64_t time_limit_ns;
    const char *folder;        /**< for what is compiled */
    const atomic_bool *cancel; /**< once it is true the build is given up; NULL: never */
};

/**
 * Lets a child process of low priority load the model with that folder and run it once. What goes
 * wrong in it is an outcome: failed, crashed or timeout; `chosen` is one that came to its end.
 * Results: OK, CANCELLED, UNSUPPORTED (no child could be made), NO_MEMORY.
 */
rung_result rung__engine_build(const struct rung__engine_task *task, struct rung__outcome *out);

#endif
