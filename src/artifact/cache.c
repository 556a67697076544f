/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/cache.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"

#define FILE_MODE 0600u

/* Tells backup programs to leave the folder out (bford.info/cachedir). */
static const char tag[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
                          "# This folder holds what Rung can make again; it may be removed.\n";

static rung_result save_tag(const char *cache)
{
    const struct rung__bytes text = {(const uint8_t *)tag, sizeof tag - 1};
    rung_result result = RUNG_OK;
    char *path = rung__path_join(cache, "CACHEDIR.TAG");
    if (!path)
        result = rung__fail(RUNG_NO_MEMORY, "no memory for the name of a file");
    else if (rung__path_kind(path) == RUNG__PATH_MISSING)
        result = rung__file_save(path, text, FILE_MODE, false);
    free(path);
    return result == RUNG_ALREADY_EXISTS ? RUNG_OK : result;
}

rung_result rung__cache_prepare(const char *cache, const char *below)
{
    rung_result result = rung__folder_make(below);
    if (result == RUNG_OK)
        result = rung__folder_check_private(cache);
    if (result == RUNG_OK)
        result = rung__folder_check_private(below);
    return result == RUNG_OK ? save_tag(cache) : result;
}
