/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_RUNTIMES_H
#define RUNG__SESSION_RUNTIMES_H

#include <rung/instance.h>

#include "session/libraries.h"

/** What became of one library in this process, for explain. */
struct rung__runtime_outcome {
    rung_result result;
    char *reason; /**< NULL when it was loaded, or not tried */
    bool tried;   /**< here, or in a process of its own where it did not load */
};

/** What an instance knows of its runtimes. */
struct rung__instance_runtimes {
    bool found;    /**< `libraries` holds, and an outcome for each */
    bool digested; /**< all of them are described, and their digests known */
    struct rung__libraries libraries;
    struct rung__runtime_outcome *outcomes;
    struct {
        bool described, searched, loaded;
        size_t library; /**< the one that is loaded */
    } of[RUNG__RUNTIMES];
    char preferred[RUNG__LIBRARY_DIGEST]; /**< the library that a verdict names, or "" */
};

/** Where an instance looks for runtimes. */
struct rung__runtime_places rung__instance_places(const struct rung_instance *instance);

void rung__instance_runtimes_finish(struct rung__instance_runtimes *own);

/**
 * The libraries of every runtime, in search order, what each is and its digest; found once, and
 * read whole the first time. They live as long as the instance. Results: OK, NO_MEMORY. Safe from
 * any thread.
 */
rung_result rung__instance_libraries(struct rung_instance *instance,
                                     const struct rung__libraries **out);

/** The first library of a runtime in search order that loads and offers an execution provider;
 * NULL: none, or nothing is known of them. */
const struct rung__known_library *rung__instance_library_of(struct rung_instance *instance,
                                                            const struct rung__runtime *runtime,
                                                            const char *execution_provider);

/** The library of a runtime that is loaded, NULL: none is. */
const struct rung__known_library *
rung__instance_library_loaded(struct rung_instance *instance, const struct rung__runtime *runtime);

/** From now on a library of this digest is loaded before others; "" is none. */
void rung__instance_prefer_library(struct rung_instance *instance,
                                   const char digest[RUNG__LIBRARY_DIGEST]);

/**
 * Finds and loads a runtime, once: the preferred library, else the one that offers most to this
 * machine, else the first. One that does not load makes way for the next. Results: OK, UNSUPPORTED
 * (with what was tried and why not), NO_MEMORY. Safe from any thread.
 */
rung_result rung__instance_load_runtime(struct rung_instance *instance,
                                        const struct rung__runtime *runtime);

#endif
