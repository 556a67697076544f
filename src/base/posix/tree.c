/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/folder_stream.h"
#include "base/status.h"
#include "base/text.h"

#define NAME_BYTES 256 /* with its zero: no file system has longer ones */

static rung_result fail_at(const struct rung__tree *tree, const char *name, int error)
{
    return rung__fail_errno(error == ENOENT ? RUNG_NOT_FOUND : RUNG_IO, error, "cannot read %s/%s",
                            tree->path, name);
}

static rung_result refuse(const struct rung__tree *tree, const char *name,
                          const struct stat *status, const char *wanted)
{
    return rung__fail(RUNG_INTEGRITY, "%s/%s is %s, and only %s may be there", tree->path, name,
                      rung__status_kind(status), wanted);
}

static rung_result look(const struct rung__tree *tree, const char *name, struct stat *status)
{
    if (fstatat((int)tree->handle, name, status, AT_SYMLINK_NOFOLLOW))
        return fail_at(tree, name, errno);
    return RUNG_OK;
}

/* ---- folders ----------------------------------------------------------------------------- */

/* Takes the descriptor. */
static rung_result keep(int descriptor, char *path, struct rung__tree *out)
{
    out->handle = descriptor;
    out->path = path;
    if (path)
        return RUNG_OK;
    rung__tree_close(out);
    return rung__fail(RUNG_NO_MEMORY, "no memory for the name of a folder");
}

rung_result rung__tree_open(const char *path, struct rung__tree *out)
{
    *out = (struct rung__tree){0};
    const int descriptor = rung__descriptor_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
    if (descriptor < 0)
        return rung__fail_errno(errno == ENOENT ? RUNG_NOT_FOUND : RUNG_IO, errno, "cannot open %s",
                                path);
    return keep(descriptor, rung__text_new("%s", path), out);
}

static rung_result enter_one(const struct rung__tree *tree, const char *name,
                             struct rung__tree *out)
{
    struct stat status;
    rung_result result = look(tree, name, &status);
    if (result == RUNG_OK && !S_ISDIR(status.st_mode))
        result = refuse(tree, name, &status, "a folder");
    if (result != RUNG_OK)
        return result;
    /* Whatever has come in between: what is no folder is not opened. */
    const int descriptor =
        rung__descriptor_open((int)tree->handle, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (descriptor < 0)
        return fail_at(tree, name, errno);
    return keep(descriptor, rung__text_new("%s/%s", tree->path, name), out);
}

/* The folder itself once more, under a descriptor of its own. */
static rung_result open_again(const struct rung__tree *tree, struct rung__tree *out)
{
    const int descriptor = rung__descriptor_open((int)tree->handle, ".", O_RDONLY | O_DIRECTORY, 0);
    if (descriptor < 0)
        return fail_at(tree, ".", errno);
    return keep(descriptor, rung__text_new("%s", tree->path), out);
}

/* Takes the next name of a path; false when it is none. */
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
    *out = (struct rung__tree){0};
    rung_result result = open_again(tree, out);
    while (*path && result == RUNG_OK)
        result = enter_next(&path, out);
    if (result != RUNG_OK)
        rung__tree_close(out);
    return result;
}

void rung__tree_close(struct rung__tree *tree)
{
    (void)rung__descriptor_close(&tree->handle);
    free(tree->path);
    *tree = (struct rung__tree){0};
}

rung_result rung__tree_list(const struct rung__tree *tree, size_t limit, struct rung__folder *out)
{
    *out = (struct rung__folder){0};
    int descriptor = rung__descriptor_open((int)tree->handle, ".", O_RDONLY | O_DIRECTORY, 0);
    DIR *stream = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (!stream) {
        rung_result result = rung__fail_errno(RUNG_IO, errno, "cannot list %s", tree->path);
        if (descriptor >= 0)
            close(descriptor);
        return result;
    }
    rung_result result = rung__folder_read_stream(stream, tree->path, limit, out);
    if (result == RUNG_OK)
        rung__folder_sort(out);
    else
        rung__folder_finish(out);
    return result;
}

/* ---- files ------------------------------------------------------------------------------- */

static rung_result check_file(const struct rung__tree *tree, const char *name,
                              const struct stat *status)
{
    if (!S_ISREG(status->st_mode))
        return refuse(tree, name, status, "a regular file");
    if (status->st_nlink > 1)
        return rung__fail(RUNG_INTEGRITY,
                          "%s/%s is a hard link: the file has %llu names, and only files with one "
                          "may be there",
                          tree->path, name, (unsigned long long)status->st_nlink);
    return RUNG_OK;
}

rung_result rung__tree_look(const struct rung__tree *tree, const char *name,
                            struct rung__tree_entry *out)
{
    struct stat status;
    *out = (struct rung__tree_entry){0};
    rung_result result = look(tree, name, &status);
    if (result != RUNG_OK)
        return result;
    out->folder = S_ISDIR(status.st_mode);
    out->size = (uint64_t)status.st_size;
    return out->folder ? RUNG_OK : check_file(tree, name, &status);
}

static rung_result open_in(const struct rung__tree *folder, const char *name,
                           struct rung__file *out)
{
    struct stat status;
    /* Looking first leaves devices closed: opening some of them does things. */
    rung_result result = look(folder, name, &status);
    if (result == RUNG_OK)
        result = check_file(folder, name, &status);
    if (result != RUNG_OK)
        return result;

    const int descriptor = rung__descriptor_open((int)folder->handle, name,
                                                 O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0);
    if (descriptor < 0)
        return fail_at(folder, name, errno);
    out->handle = descriptor;
    result = fstat(descriptor, &status) ? fail_at(folder, name, errno)
                                        : check_file(folder, name, &status);
    if (result == RUNG_OK)
        out->stamp = rung__status_stamp(&status);
    else
        rung__file_close(out);
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
    if (result == RUNG_OK)
        result = open_in(&folder, slash + 1, out);
    rung__tree_close(&folder);
    free(above);
    return result;
}
