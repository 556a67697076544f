/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <windows.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/wide.h"

static enum rung__path_kind kind_of(const wchar_t *path)
{
    DWORD attributes = GetFileAttributesW(path);
    if (attributes == INVALID_FILE_ATTRIBUTES) {
        DWORD error = GetLastError();
        return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND ? RUNG__PATH_MISSING
                                                                              : RUNG__PATH_OTHER;
    }
    return attributes & FILE_ATTRIBUTE_DIRECTORY ? RUNG__PATH_FOLDER
           : attributes & FILE_ATTRIBUTE_DEVICE  ? RUNG__PATH_OTHER
                                                 : RUNG__PATH_FILE;
}

enum rung__path_kind rung__path_kind(const char *path)
{
    wchar_t *wide = rung__wide_new(path);
    enum rung__path_kind kind = wide ? kind_of(wide) : RUNG__PATH_OTHER;
    free(wide);
    return kind;
}

/* What is asked of links is asked of sysfs. */
bool rung__path_link_name(const char *path, char *to, size_t size)
{
    (void)path, (void)to, (void)size;
    return false;
}

/* Who may enter a folder is inherited; the user's own folders are the user's alone. */
rung_result rung__folder_make_one(const char *path)
{
    rung_result result = RUNG_OK;
    wchar_t *wide = rung__wide_new(path);
    if (!wide)
        return RUNG_IO;
    if (!CreateDirectoryW(wide, NULL)) {
        DWORD error = GetLastError();
        if (kind_of(wide) != RUNG__PATH_FOLDER) {
            SetLastError(error);
            result = rung__fail_last(RUNG_IO, "cannot make the folder %s", path);
        }
    }
    free(wide);
    return result;
}

static rung_result add_name(struct rung__folder *out, const wchar_t *wide, const char *path,
                            size_t limit)
{
    if (!wcscmp(wide, L".") || !wcscmp(wide, L".."))
        return RUNG_OK;
    if (out->count == limit)
        return rung__fail(RUNG_CAPACITY, "%s holds more than %zu names", path, limit);
    char *name = rung__wide_to_text(wide);
    if (!name)
        return RUNG_IO;
    rung_result result = rung__folder_add(out, name);
    free(name);
    return result;
}

static wchar_t *pattern_of(const char *path)
{
    char *all = rung__path_join(path, "*");
    wchar_t *wide = NULL;
    if (all)
        wide = rung__wide_new(all);
    else
        rung__fail(RUNG_NO_MEMORY, "no memory for the name of a folder");
    free(all);
    return wide;
}

rung_result rung__folder_read(const char *path, size_t limit, struct rung__folder *out)
{
    WIN32_FIND_DATAW found;
    rung_result result = RUNG_OK;
    wchar_t *pattern = pattern_of(path);
    if (!pattern)
        return RUNG_IO;
    HANDLE search = FindFirstFileW(pattern, &found);
    DWORD error = GetLastError();
    free(pattern);
    SetLastError(error);
    if (search == INVALID_HANDLE_VALUE)
        return rung__fail_last(error == ERROR_PATH_NOT_FOUND ? RUNG_NOT_FOUND : RUNG_IO,
                               "cannot list %s", path);
    do
        result = add_name(out, found.cFileName, path, limit);
    while (!result && FindNextFileW(search, &found));
    if (!result && GetLastError() != ERROR_NO_MORE_FILES)
        result = rung__fail_last(RUNG_IO, "cannot list %s", path);
    FindClose(search);
    return result;
}

/* Access lists are not read yet: below the user's own folders they are inherited, and let nobody
 * else in but the system and its administrators. */
rung_result rung__folder_check_private(const char *path)
{
    if (rung__path_kind(path) == RUNG__PATH_FOLDER)
        return RUNG_OK;
    return rung__fail(RUNG_PERMISSION, "%s is no folder", path);
}

static rung_result remove_names(const char *path, const struct rung__folder *folder)
{
    rung_result result = RUNG_OK;
    for (size_t i = 0; i < folder->count && !result; i++) {
        char *one = rung__path_join(path, folder->names[i]);
        result = one ? rung__folder_remove(one)
                     : rung__fail(RUNG_NO_MEMORY, "no memory for the name of a file");
        free(one);
    }
    return result;
}

static rung_result remove_content(const char *path)
{
    struct rung__folder folder;
    rung_result result = rung__folder_list(path, SIZE_MAX, &folder);
    if (!result)
        result = remove_names(path, &folder);
    rung__folder_finish(&folder);
    return result;
}

rung_result rung__folder_remove(const char *path)
{
    rung_result result = RUNG_OK;
    wchar_t *wide = rung__wide_new(path);
    if (!wide)
        return RUNG_IO;
    DWORD attributes = GetFileAttributesW(wide);
    const bool missing = attributes == INVALID_FILE_ATTRIBUTES;
    const bool folder = !missing && attributes & FILE_ATTRIBUTE_DIRECTORY;
    if (folder && !(attributes & FILE_ATTRIBUTE_REPARSE_POINT))
        result = remove_content(path);
    if (!missing && !result && !(folder ? RemoveDirectoryW(wide) : DeleteFileW(wide)))
        result = rung__fail_last(RUNG_IO, "cannot remove %s", path);
    free(wide);
    return result;
}

rung_result rung__folder_rename(const char *from, const char *to)
{
    wchar_t *wide_from = rung__wide_new(from), *wide_to = rung__wide_new(to);
    rung_result result = wide_from && wide_to ? RUNG_OK : RUNG_IO;
    if (!result && !MoveFileExW(wide_from, wide_to, MOVEFILE_WRITE_THROUGH))
        result = rung__fail_last(RUNG_IO, "cannot rename %s to %s", from, to);
    free(wide_from);
    free(wide_to);
    return result;
}

/* Of a folder nothing is kept back, as renames write through. */
rung_result rung__path_sync(const char *path)
{
    rung_result result = RUNG_OK;
    if (rung__path_kind(path) == RUNG__PATH_FOLDER)
        return RUNG_OK;
    wchar_t *wide = rung__wide_new(path);
    if (!wide)
        return RUNG_IO;
    HANDLE handle = CreateFileW(wide, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                                OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (handle == INVALID_HANDLE_VALUE || !FlushFileBuffers(handle))
        result = rung__fail_last(RUNG_IO, "cannot write %s to the disk", path);
    if (handle != INVALID_HANDLE_VALUE)
        CloseHandle(handle);
    free(wide);
    return result;
}

void rung__file_touch(const char *path)
{
    FILETIME now;
    wchar_t *wide = rung__wide_new(path);
    HANDLE handle = wide ? CreateFileW(wide, FILE_WRITE_ATTRIBUTES, FILE_SHARE_READ, NULL,
                                       OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL)
                         : INVALID_HANDLE_VALUE;
    GetSystemTimeAsFileTime(&now);
    if (handle != INVALID_HANDLE_VALUE) {
        (void)SetFileTime(handle, NULL, NULL, &now);
        CloseHandle(handle);
    }
    free(wide);
}
