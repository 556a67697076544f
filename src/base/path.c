/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/file.h"
#include "base/path_rules.h"
#include "base/text.h"

const char *rung__path_name(const char *path)
{
    const char *name = path + rung__path_root(path);
    for (const char *at = name; *at; at++)
        if (rung__path_is_separator(*at))
            name = at + 1;
    return name;
}

char *rung__path_join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    if (!length || rung__path_is_absolute(name))
        return rung__text_new("%s", name);
    if (rung__path_is_separator(folder[length - 1]))
        return rung__text_new("%s%s", folder, name);
    return rung__text_new("%s%c%s", folder, RUNG__PATH_SEPARATOR, name);
}

static size_t without_separators(const char *path, size_t length, size_t root)
{
    while (length > root && rung__path_is_separator(path[length - 1]))
        length--;
    return length;
}

char *rung__path_folder(const char *path)
{
    size_t root = rung__path_root(path);
    size_t length = without_separators(path, strlen(path), root);
    while (length > root && !rung__path_is_separator(path[length - 1]))
        length--;
    length = without_separators(path, length, root);
    return length ? rung__text_new("%.*s", (int)length, path) : rung__text_new(".");
}
