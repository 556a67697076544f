/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_PATH_RULES_H
#define RUNG__BASE_PATH_RULES_H

#include <stdbool.h>
#include <stddef.h>

/* How the paths of this platform are written. */

#define RUNG__PATH_SEPARATOR      '\\'
#define RUNG__PATH_LIST_SEPARATOR ';'

static inline bool rung__path_is_separator(char character)
{
    return character == '\\' || character == '/';
}

/** The length of the part that no folder above can be taken from: 3 for "C:\x", 1 for "\x". */
static inline size_t rung__path_root(const char *path)
{
    size_t drive = path[0] && path[1] == ':' ? 2 : 0;
    return drive + rung__path_is_separator(path[drive]);
}

/** True when the path means the same in every working folder: "C:\x" and "\\server\share". */
static inline bool rung__path_is_absolute(const char *path)
{
    if (rung__path_is_separator(path[0]))
        return rung__path_is_separator(path[1]);
    return rung__path_root(path) == 3;
}

#endif
