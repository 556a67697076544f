/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_PATH_RULES_H
#define RUNG__BASE_PATH_RULES_H

#include <stdbool.h>
#include <stddef.h>

/* How the paths of this platform are written. */

#define RUNG__PATH_SEPARATOR      '/'
#define RUNG__PATH_LIST_SEPARATOR ':'

static inline bool rung__path_is_separator(char character)
{
    return character == '/';
}

/** The length of the part that no folder above can be taken from: 1 for "/home", 0 for "home". */
static inline size_t rung__path_root(const char *path)
{
    return path[0] == '/';
}

/** True when the path means the same in every working folder. */
static inline bool rung__path_is_absolute(const char *path)
{
    return path[0] == '/';
}

#endif
