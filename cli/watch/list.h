/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_WATCH_LIST_H
#define RUNG_CLI_WATCH_LIST_H

#include <stdbool.h>
#include <stddef.h>

/** Names of files. */
struct list {
    char **paths;
    size_t count, capacity;
};

/** False without memory. */
bool list_add(struct list *list, const char *path);
void list_finish(struct list *list);

/** By name, where digits count as the numbers that they are: 2.png before 10.png. */
void list_sort(struct list *list);

/** True for the path of numbered files: %d or %05d, once, in the name of the file. */
bool is_numbered(const char *pattern);

/** The files of such a pattern that there are, by their numbers. False with errno. */
bool list_numbered(struct list *list, const char *pattern);

#endif
