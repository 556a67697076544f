/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__HARDWARE_MACHINE_H
#define RUNG__HARDWARE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"

/* A machine as files below a root. Every file is hostile: of any size, of any bytes, of any kind.
 */

struct rung__machine {
    const char *root; /**< "" is this machine */
    uint32_t unread;  /**< files and folders that are there and could not be read */
};

/** The first bytes of a file; 0 when there are none. */
size_t rung__machine_bytes(struct rung__machine *machine, const char *path, void *to, size_t size);

/** The same as text with a zero behind it, cut to `size`; false when it is empty. */
bool rung__machine_text(struct rung__machine *machine, const char *path, char *to, size_t size);

/** The first line, fit to be shown and without spaces around it; false when it is empty or longer
 * than `size`: half a version would be another one. */
bool rung__machine_line(struct rung__machine *machine, const char *path, char *to, size_t size);

/** A number alone in its file, decimal or hexadecimal with "0x", of at most `most`. */
bool rung__machine_number(struct rung__machine *machine, const char *path, uint32_t most,
                          uint32_t *out);

/** The same of any 64 bits. */
bool rung__machine_number64(struct rung__machine *machine, const char *path, uint64_t *out);

/** The last name of what a link says: letters, digits and "_-.", for it goes into paths. */
bool rung__machine_link(const struct rung__machine *machine, const char *path, char *to,
                        size_t size);

bool rung__machine_has(const struct rung__machine *machine, const char *path);

/** The names in a folder; none when it is missing or cannot be listed. Results: OK, NO_MEMORY. End
 * with rung__folder_finish. */
rung_result rung__machine_list(struct rung__machine *machine, const char *path, size_t limit,
                               struct rung__folder *out);

/** True for a name that may stand in a path and in a line: letters, digits and "_-.", no "..". */
bool rung__machine_name_is_plain(const char *name);

#endif
