/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path_rules.h"
#include "base/text.h"

#define FIRST_CAPACITY 16

rung_result rung__folder_make(const char *path)
{
    rung_result result = RUNG_OK;
    char *part = rung__text_new("%s", path);
    if (!part)
        return rung__fail(RUNG_NO_MEMORY, "no memory for the name of a folder");
    for (char *at = part + rung__path_root(part); *at && !result; at++) {
        char separator = *at;
        if (!rung__path_is_separator(separator))
            continue;
        *at = 0;
        result = rung__folder_make_one(part);
        *at = separator;
    }
    if (!result)
        result = rung__folder_make_one(part);
    free(part);
    return result;
}

rung_result rung__folder_add(struct rung__folder *folder, const char *name)
{
    if (folder->count == folder->capacity) {
        size_t larger = folder->capacity ? 2 * folder->capacity : FIRST_CAPACITY;
        char **names = realloc(folder->names, larger * sizeof *names);
        if (!names)
            return rung__fail(RUNG_NO_MEMORY, "no memory for the names of a folder");
        folder->names = names;
        folder->capacity = larger;
    }
    char *copy = rung__text_new("%s", name);
    if (!copy)
        return rung__fail(RUNG_NO_MEMORY, "no memory for the names of a folder");
    folder->names[folder->count++] = copy;
    return RUNG_OK;
}

static int by_bytes(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

void rung__folder_sort(struct rung__folder *folder)
{
    if (folder->count)
        qsort(folder->names, folder->count, sizeof *folder->names, by_bytes);
}

rung_result rung__folder_list(const char *path, size_t limit, struct rung__folder *out)
{
    *out = (struct rung__folder){0};
    rung_result result = rung__folder_read(path, limit, out);
    if (result)
        rung__folder_finish(out);
    else
        rung__folder_sort(out);
    return result;
}

void rung__folder_finish(struct rung__folder *folder)
{
    for (size_t i = 0; i < folder->count; i++)
        free(folder->names[i]);
    free(folder->names);
    *folder = (struct rung__folder){0};
}
