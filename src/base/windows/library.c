/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path_rules.h"
#include "base/wide.h"

#define MOST_PATH 32768 /* characters, the system's own limit */

rung_result rung__library_open(const char *path, struct rung__library *out)
{
    const bool bare = !strpbrk(path, "\\/");
    /* The libraries that it needs are looked for beside it, never in the working folder or PATH. */
    const DWORD beside = rung__path_is_absolute(path) ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR : 0;
    out->handle = NULL;
    if (!bare && rung__path_kind(path) == RUNG__PATH_MISSING)
        return rung__fail(RUNG_NOT_FOUND, "there is no library %s", path);

    wchar_t *wide = rung__wide_new(path);
    if (!wide)
        return RUNG_BACKEND;
    out->handle = LoadLibraryExW(wide, NULL, beside | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    DWORD error = GetLastError();
    free(wide);
    if (out->handle)
        return RUNG_OK;
    if (bare && error == ERROR_MOD_NOT_FOUND)
        return rung__fail(RUNG_NOT_FOUND, "the system has no library %s", path);
    SetLastError(error);
    return rung__fail_last(RUNG_BACKEND, "cannot load %s", path);
}

void *rung__library_symbol(const struct rung__library *library, const char *name)
{
    return (void *)(uintptr_t)GetProcAddress(library->handle, name);
}

char *rung__library_path_of(const void *address)
{
    const DWORD flags =
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    HMODULE module;
    if (!GetModuleHandleExW(flags, (LPCWSTR)address, &module))
        return NULL;
    wchar_t *wide = malloc(MOST_PATH * sizeof *wide);
    if (!wide)
        return NULL;
    DWORD length = GetModuleFileNameW(module, wide, MOST_PATH);
    char *path = length && length < MOST_PATH ? rung__wide_to_text(wide) : NULL;
    free(wide);
    return path;
}
