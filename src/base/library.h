/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_LIBRARY_H
#define RUNG__BASE_LIBRARY_H

#include <rung/result.h>

#include "base/sha256.h"

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

/** The longest text of rung__library_places, with its zero. */
#define RUNG__LIBRARY_PLACES (2 * RUNG__SHA256_BYTES + 1)

/**
 * Tells one state of the places where the loader looks for libraries from another: of those of the
 * system, and of `folder`, which a library lies in (NULL: none). What was found or missing there is
 * so still while this is the same; it never is after a start of the machine. Results: OK,
 * NO_MEMORY, UNSUPPORTED (libcrypto refuses).
 */
rung_result rung__library_places(const char *folder, char to[RUNG__LIBRARY_PLACES]);

#endif
