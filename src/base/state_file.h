/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_STATE_FILE_H
#define RUNG__BASE_STATE_FILE_H

#include "base/file.h"

/* What is remembered lies in files of a folder that must be the user's alone: what somebody else
 * may write there is not believed. */

/**
 * Reads a file of at most `limit` bytes. `*path` (newly allocated, the caller's, also after a
 * failure; NULL without memory) is its name for sentences. Results: OK, NOT_FOUND (there is no such
 * file), PERMISSION (the folder is not the user's alone), IO, NO_MEMORY. End the text with
 * rung__buffer_finish.
 */
rung_result rung__state_file_load(const char *folder, const char *name, size_t limit, char **path,
                                  struct rung__buffer *text);

/**
 * Takes a lock beside such files, waiting for some seconds at most. The folder is made, 0700.
 * Results: OK, PERMISSION, TIMEOUT, IO, NO_MEMORY. End with rung__file_lock_release.
 */
rung_result rung__state_file_lock(const char *folder, const char *name,
                                  struct rung__file_lock *lock);

#endif
