/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_LIBRARY_SET_H
#define RUNG__SESSION_LIBRARY_SET_H

#include "base/json.h"
#include "base/sha256.h"

/**
 * What lies beside a library in the folder of its set, as an object: "folder", "bytes", "files",
 * "licences" (names of the texts). Of a library that is among the system's own it is that file
 * alone. NULL: there is no such file; what lacked memory shows in `*failed`.
 */
json_t *rung__library_set_json(const char *file, bool *failed);

/**
 * Tells one set of libraries beside a library from another, by their names and sizes: providers and
 * what they need are large, and are not read. "" without any, and among the system's own.
 * Results: OK, NO_MEMORY, UNSUPPORTED (libcrypto refuses).
 */
rung_result rung__library_parts(const char *file, char to[2 * RUNG__SHA256_BYTES + 1]);

#endif
