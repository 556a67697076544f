/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_STATUS_H
#define RUNG__BASE_STATUS_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/file.h"

/* What a status tells. */

struct rung__file_stamp rung__status_stamp(const struct stat *status);

/** "a folder", "a FIFO", and so on. */
const char *rung__status_kind(const struct stat *status);

/** Somebody but the user and root owns it. */
bool rung__status_is_foreign(const struct stat *status);

/** The group or others may write; the group's bits also stand for the most that an access list
 * grants. */
bool rung__status_is_writable(const struct stat *status);

/** Somebody but the user and root may put another thing in the place of what the folder holds. In a
 * sticky folder such as /tmp nobody can. */
bool rung__status_lets_replace(const struct stat *folder);

#endif
