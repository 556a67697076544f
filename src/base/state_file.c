/* SPDX-License-Identifier: Apache-2.0 */
#include "base/state_file.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"

#define LOCK_NS (UINT64_C(5) * 1000000000)

static rung_result no_memory(const char *name)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for %s of the state folder", name);
}

rung_result rung__state_file_load(const char *folder, const char *name, size_t limit, char **path,
                                  struct rung__buffer *text)
{
    *path = rung__path_join(folder, name);
    if (!*path)
        return no_memory(name);
    if (rung__path_kind(*path) == RUNG__PATH_MISSING)
        return rung__fail(RUNG_NOT_FOUND, "there is no %s", *path);
    rung_result result = rung__folder_check_private(folder);
    return result == RUNG_OK ? rung__file_load(*path, limit, text) : result;
}

rung_result rung__state_file_lock(const char *folder, const char *name,
                                  struct rung__file_lock *lock)
{
    char *path = rung__path_join(folder, name);
    rung_result result = path ? rung__folder_make(folder) : no_memory(name);
    if (result == RUNG_OK)
        result = rung__folder_check_private(folder);
    if (result == RUNG_OK)
        result = rung__file_lock_take(lock, path, rung__clock_now() + LOCK_NS);
    free(path);
    return result;
}
