/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_RETRY_H
#define RUNG__LADDER_RETRY_H

#include <stdbool.h>

#include <rung/result.h>

/*
 * A probe that nobody asked for and that comes to no end would come to none at the next start
 * either. So it is noted in the user's state folder before it begins, and the note goes when it has
 * come to its end. While the note is of the same fingerprint the next try waits for an hour, then
 * four, sixteen, and so on up to a week.
 */

#define RUNG__RETRY_FILE "unasked.json"

/**
 * Notes a try and says that it is `*due`; false, and nothing is noted, while the last one was too
 * short ago. A note that cannot be read is none. Results: OK, PERMISSION (the folder is not the
 * user's alone), IO, NO_MEMORY.
 */
rung_result rung__retry_begin(const char *folder, const char *fingerprint, bool *due);

/** Forgets the tries: one came to its end. */
void rung__retry_forget(const char *folder);

#endif
