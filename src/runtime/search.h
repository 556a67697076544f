/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_SEARCH_H
#define RUNG__RUNTIME_SEARCH_H

#include <stddef.h>

#include <rung/result.h>

/** A library that may be loaded. */
struct rung__runtime_candidate {
    char *path;         /**< a file, or a bare name that the system looks up */
    const char *origin; /**< who named it, for explain */
};

struct rung__runtime_candidates {
    struct rung__runtime_candidate *items;
    size_t count;
};

/** Where to look, in order of precedence; NULL: nothing there. */
struct rung__runtime_places {
    const char *only;        /**< one library file; nothing else is tried (RUNG_RUNTIME) */
    const char *option;      /**< a list of the application's */
    const char *environment; /**< a list (RUNG_RUNTIME_PATH) */
};

/**
 * Lists the ONNX Runtime libraries of those places, then of what is installed beside this library,
 * then the system's names. In a list each part is a library file, a folder that holds one, or a
 * folder of such folders; within a folder they come in the order of their names. Nothing is loaded.
 * Results: OK, NO_MEMORY. End with rung__runtime_candidates_finish.
 */
rung_result rung__runtime_search(const struct rung__runtime_places *places,
                                 struct rung__runtime_candidates *out);
void rung__runtime_candidates_finish(struct rung__runtime_candidates *candidates);

#endif
