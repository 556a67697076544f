/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_SEARCH_H
#define RUNG__RUNTIME_SEARCH_H

#include <stddef.h>

#include <rung/result.h>

#include "runtime/runtime.h"

/** A library that may be loaded. */
struct rung__runtime_candidate {
    char *path;         /**< a file, or a bare name that the system looks up */
    const char *origin; /**< who named it, for explain */
};

struct rung__runtime_candidates {
    const struct rung__runtime *runtime; /**< what they are libraries of */
    struct rung__runtime_candidate *items;
    size_t count;
};

/** Where to look, in order of precedence; NULL: nothing there. */
struct rung__runtime_places {
    const char *only;        /**< the one file of the runtime that goes by name (RUNG_RUNTIME) */
    const char *option;      /**< a list of the application's */
    const char *environment; /**< a list (RUNG_RUNTIME_PATH) */
    const char *library; /**< the library file beside which they are installed; NULL: this one */
};

/**
 * Lists the libraries of one runtime in those places, then in what is installed beside this
 * library, then the system's names. In a list each part is a library file, a folder that holds one,
 * or a folder of such folders; within a folder they come in the order of their names. A file that a
 * list names, and whose name is of no runtime, is a candidate of each but the strict ones. Nothing
 * is loaded. Results: OK, NO_MEMORY. End with rung__runtime_candidates_finish.
 */
rung_result rung__runtime_search(const struct rung__runtime *runtime,
                                 const struct rung__runtime_places *places,
                                 struct rung__runtime_candidates *out);
void rung__runtime_candidates_finish(struct rung__runtime_candidates *candidates);

#endif
