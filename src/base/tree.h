/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_TREE_H
#define RUNG__BASE_TREE_H

#include "base/file.h"

/*
 * Folders by handle. What lies below an open one is reached name by name, and no name is ever
 * followed as a link, so that nobody who can write there leads a reader elsewhere. Paths below are
 * names with '/' between them on every platform.
 */

/** An open folder; all zero is closed and may be closed again. */
struct rung__tree {
    intptr_t handle;
    char *path; /**< for sentences */
};

/** Opens a folder; `path` is the caller's own choice and may lead through links. Results: OK,
 * NOT_FOUND, IO (also no folder), NO_MEMORY. */
rung_result rung__tree_open(const char *path, struct rung__tree *out);

/** Opens a folder below, "a/b"; "" is the same folder. Results: OK, NOT_FOUND, INTEGRITY (a link,
 * or no folder), IO, NO_MEMORY. */
rung_result rung__tree_enter(const struct rung__tree *tree, const char *path,
                             struct rung__tree *out);
void rung__tree_close(struct rung__tree *tree);

/** The names in the folder but "." and "..", sorted by bytes. Results: OK, IO, NO_MEMORY, CAPACITY
 * (more than `limit`). End with rung__folder_finish. */
rung_result rung__tree_list(const struct rung__tree *tree, size_t limit, struct rung__folder *out);

/** What a name in the folder is. */
struct rung__tree_entry {
    bool folder;   /**< else a regular file */
    uint64_t size; /**< of a file */
};

/** Tells what a name in the folder is without opening it. Results: OK, NOT_FOUND, INTEGRITY (a
 * link, a file with a second name, a device, a FIFO, a socket), IO, NO_MEMORY. */
rung_result rung__tree_look(const struct rung__tree *tree, const char *name,
                            struct rung__tree_entry *out);

/** Opens a file below, "a/b", for reading; `shared` is not asked. Results: those of
 * rung__tree_look, and INTEGRITY for a folder. End with rung__file_close. */
rung_result rung__tree_open_file(const struct rung__tree *tree, const char *path,
                                 struct rung__file *out);

#endif
