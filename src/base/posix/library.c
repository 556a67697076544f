/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

/* The loader names what it did not find: the library itself, or another one that it needs. */
static bool tells_of_missing(const char *reason, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(reason, name, length) && reason[length] == ':';
}

rung_result rung__library_open(const char *path, struct rung__library *out)
{
    const bool bare = !strchr(path, '/');
    out->handle = NULL;
    if (!bare) {
        enum rung__path_kind kind = rung__path_kind(path);
        if (kind == RUNG__PATH_MISSING)
            return rung__fail(RUNG_NOT_FOUND, "there is no library %s", path);
        if (kind != RUNG__PATH_FILE) /* the loader would wait for the writer of a FIFO */
            return rung__fail(RUNG_BACKEND, "cannot load %s: it is not a regular file", path);
    }

    out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (out->handle)
        return RUNG_OK;
    const char *reason = dlerror();
    if (!reason)
        reason = "the loader gives no reason";
    if (bare && tells_of_missing(reason, path))
        return rung__fail(RUNG_NOT_FOUND, "the system has no library %s", path);
    return rung__fail(RUNG_BACKEND, "cannot load %s: %s", path, reason);
}

void *rung__library_symbol(const struct rung__library *library, const char *name)
{
    return dlsym(library->handle, name);
}

char *rung__library_path_of(const void *address)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return NULL;
    /* Only the program itself goes by a name without a folder: the one it was called by. */
    return realpath(strchr(info.dli_fname, '/') ? info.dli_fname : "/proc/self/exe", NULL);
}
