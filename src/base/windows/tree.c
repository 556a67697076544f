/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tree.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/error.h"
#include "base/text.h"
#include "base/wide.h"

/* A folder that is open without the right to delete cannot be renamed or replaced, and so a path
 * through folders that are all open leads where it did when they were opened. */
#define KEEP_IN_PLACE (FILE_SHARE_READ | FILE_SHARE_WRITE)

#define NAME_BYTES 1024 /* 255 units of UTF-16, each at most 3 bytes of UTF-8, with a zero */

static rung_result fail_at(const char *path)
{
    const DWORD error = GetLastError();
    return rung__fail_last(
        error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND ? RUNG_NOT_FOUND : RUNG_IO,
        "cannot read %s", path);
}

/* Opens what the last name of a path is, and not what it leads to. */
static rung_result open_at(const char *path, DWORD access, DWORD share, DWORD flags, HANDLE *out)
{
    wchar_t *wide = rung__wide_new(path);
    if (!wide)
        return RUNG_IO;
    *out = CreateFileW(wide, access, share, NULL, OPEN_EXISTING, flags, NULL);
    const DWORD error = GetLastError();
    free(wide);
    SetLastError(error);
    return *out == INVALID_HANDLE_VALUE ? fail_at(path) : RUNG_OK;
}

static rung_result check(HANDLE handle, const char *path, bool folder_wanted,
                         BY_HANDLE_FILE_INFORMATION *out)
{
    const char *wanted = folder_wanted ? "a folder" : "a regular file";
    if (GetFileType(handle) != FILE_TYPE_DISK)
        return rung__fail(RUNG_INTEGRITY, "%s is a device or a pipe, and only %s may be there",
                          path, wanted);
    if (!GetFileInformationByHandle(handle, out))
        return fail_at(path);
    if (out->dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
        return rung__fail(RUNG_INTEGRITY, "%s is a link, and only %s may be there", path, wanted);
    const bool folder = out->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    if (folder != folder_wanted)
        return rung__fail(RUNG_INTEGRITY, "%s is %s, and only %s may be there", path,
                          folder ? "a folder" : "a regular file", wanted);
    if (!folder && out->nNumberOfLinks > 1)
        return rung__fail(RUNG_INTEGRITY,
                          "%s is a hard link: the file has %lu names, and only files with one may "
                          "be there",
                          path, (unsigned long)out->nNumberOfLinks);
    return RUNG_OK;
}

static char *path_below(const struct rung__tree *tree, const char *name)
{
    char *path = rung__path_join(tree->path, name);
    if (!path)
        rung__fail(RUNG_NO_MEMORY, "no memory for the name of a file");
    return path;
}

/* ---- folders ----------------------------------------------------------------------------- */

static rung_result open_folder(const char *path, DWORD flags, struct rung__tree *out)
{
    HANDLE handle;
    *out = (struct rung__tree){0};
    rung_result result = open_at(path, FILE_LIST_DIRECTORY, KEEP_IN_PLACE,
                                 flags | FILE_FLAG_BACKUP_SEMANTICS, &handle);
    if (result)
        return result;
    out->handle = (intptr_t)handle;
    out->path = rung__text_new("%s", path);
    if (out->path)
        return RUNG_OK;
    rung__tree_close(out);
    return rung__fail(RUNG_NO_MEMORY, "no memory for the name of a folder");
}

rung_result rung__tree_open(const char *path, struct rung__tree *out)
{
    return open_folder(path, 0, out);
}

static rung_result enter_one(const struct rung__tree *tree, const char *name,
                             struct rung__tree *out)
{
    BY_HANDLE_FILE_INFORMATION information;
    char *path = path_below(tree, name);
    if (!path)
        return RUNG_NO_MEMORY;
    rung_result result = open_folder(path, FILE_FLAG_OPEN_REPARSE_POINT, out);
    if (!result)
        result = check((HANDLE)out->handle, path, true, &information);
    if (result)
        rung__tree_close(out);
    free(path);
    return result;
}

static bool take_name(const char **path, char name[NAME_BYTES])
{
    const size_t length = strcspn(*path, "/");
    if (length == 0 || length >= NAME_BYTES)
        return false;
    memcpy(name, *path, length);
    name[length] = '\0';
    *path += length + ((*path)[length] == '/');
    return true;
}

static rung_result enter_next(const char **path, struct rung__tree *tree)
{
    char name[NAME_BYTES];
    struct rung__tree below = {0};
    if (!take_name(path, name))
        return rung__fail(RUNG_IO, "cannot read \"%s\" in %s: it is no path", *path, tree->path);
    rung_result result = enter_one(tree, name, &below);
    rung__tree_close(tree);
    *tree = below;
    return result;
}

rung_result rung__tree_enter(const struct rung__tree *tree, const char *path,
                             struct rung__tree *out)
{
    rung_result result = open_folder(tree->path, 0, out);
    while (*path && !result)
        result = enter_next(&path, out);
    if (result)
        rung__tree_close(out);
    return result;
}

void rung__tree_close(struct rung__tree *tree)
{
    if (tree->handle)
        CloseHandle((HANDLE)tree->handle);
    free(tree->path);
    *tree = (struct rung__tree){0};
}

rung_result rung__tree_list(const struct rung__tree *tree, size_t limit, struct rung__folder *out)
{
    return rung__folder_list(tree->path, limit, out);
}

/* ---- files ------------------------------------------------------------------------------- */

rung_result rung__tree_look(const struct rung__tree *tree, const char *name,
                            struct rung__tree_entry *out)
{
    BY_HANDLE_FILE_INFORMATION information;
    HANDLE handle;
    *out = (struct rung__tree_entry){0};
    char *path = path_below(tree, name);
    if (!path)
        return RUNG_NO_MEMORY;
    rung_result result =
        open_at(path, FILE_READ_ATTRIBUTES, KEEP_IN_PLACE | FILE_SHARE_DELETE,
                FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, &handle);
    if (!result) {
        FILE_BASIC_INFO basic = {.FileAttributes = 0};
        GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic);
        out->folder = basic.FileAttributes & FILE_ATTRIBUTE_DIRECTORY;
        result = check(handle, path, out->folder, &information);
        CloseHandle(handle);
    }
    if (!result)
        out->size = (uint64_t)information.nFileSizeHigh << 32 | information.nFileSizeLow;
    free(path);
    return result;
}

static rung_result open_in(const struct rung__tree *folder, const char *name,
                           struct rung__file *out)
{
    struct rung__tree_entry entry;
    rung_result result = rung__tree_look(folder, name, &entry);
    char *path = result ? NULL : path_below(folder, name);
    if (!path)
        return result ? result : RUNG_NO_MEMORY;
    if (entry.folder)
        result = rung__fail(RUNG_INTEGRITY, "%s is a folder, and only a regular file may be there",
                            path);
    else
        result = rung__file_open(path, out); /* what the digest then says decides */
    free(path);
    return result;
}

rung_result rung__tree_open_file(const struct rung__tree *tree, const char *path,
                                 struct rung__file *out)
{
    struct rung__tree folder = {0};
    const char *slash = strrchr(path, '/');
    *out = (struct rung__file){0};
    if (!slash)
        return open_in(tree, path, out);

    char *above = rung__text_new("%.*s", (int)(slash - path), path);
    rung_result result = above ? rung__tree_enter(tree, above, &folder)
                               : rung__fail(RUNG_NO_MEMORY, "no memory for the name of a folder");
    if (!result)
        result = open_in(&folder, slash + 1, out);
    rung__tree_close(&folder);
    free(above);
    return result;
}
