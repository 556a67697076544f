/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_LIBRARY_H
#define RUNG__BASE_LIBRARY_H

#include <rung/result.h>

/** A dynamic library. It is never closed: runtimes leave threads and handlers behind. */
struct rung__library {
    void *handle;
};

/**
 * Loads a library with its symbols kept to itself. A path with a separator is taken as it is; a
 * bare name is looked up by the system. Results: OK, NOT_FOUND (no such file), BACKEND (the
 * loader's reason).
 */
rung_result rung__library_open(const char *path, struct rung__library *out);

/** The address of a symbol, NULL when the library has none of that name. */
void *rung__library_symbol(const struct rung__library *library, const char *name);

/** The newly allocated path of the file that holds `address` (code or data); NULL when unknown. */
char *rung__library_path_of(const void *address);

#endif
