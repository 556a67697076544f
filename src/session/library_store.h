/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_LIBRARY_STORE_H
#define RUNG__SESSION_LIBRARY_STORE_H

#include "session/libraries.h"

/* What libraries were found to be, kept in libraries.json of the user's state folder. */

#define RUNG__LIBRARY_FILE   "libraries.json"
#define RUNG__LIBRARIES_MOST 64u /**< that are remembered; the oldest go */

/**
 * Reads the file of a folder, which anybody may have written. Results: OK, NOT_FOUND (there is
 * none), PERMISSION (the folder is not the user's alone), INTEGRITY (truncated, foreign, of another
 * schema), IO, NO_MEMORY. End with rung__libraries_finish, also after a failure.
 */
rung_result rung__library_store_read(const char *folder, struct rung__libraries *out);

/**
 * Adds those that are fresh, in place of what was remembered of the same path. What the file was
 * before when it cannot be read is no matter. The folder is made, 0700; between processes there is
 * a lock. Results: OK, TIMEOUT (the lock), PERMISSION, IO, NO_MEMORY.
 */
rung_result rung__library_store_put(const char *folder, const struct rung__libraries *found);

#endif
