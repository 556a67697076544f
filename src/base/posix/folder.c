/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file.h"
#include "base/folder_stream.h"
#include "base/status.h"
#include "base/text.h"

enum rung__path_kind rung__path_kind(const char *path)
{
    struct stat status;
    if (stat(path, &status))
        return errno == ENOENT || errno == ENOTDIR ? RUNG__PATH_MISSING : RUNG__PATH_OTHER;
    return S_ISREG(status.st_mode)   ? RUNG__PATH_FILE
           : S_ISDIR(status.st_mode) ? RUNG__PATH_FOLDER
                                     : RUNG__PATH_OTHER;
}

bool rung__path_link_name(const char *path, char *to, size_t size)
{
    char target[1024];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0 || (size_t)length == sizeof target - 1) /* the latter may be cut */
        return false;
    target[length] = '\0';
    const char *name = rung__path_name(target);
    return *name && rung__text_format(to, size, "%s", name);
}

/* Which error comes first for a folder that exists where none may be made differs: so look. */
rung_result rung__folder_make_one(const char *path)
{
    if (!mkdir(path, S_IRWXU))
        return RUNG_OK;
    int error = errno;
    if (rung__path_kind(path) == RUNG__PATH_FOLDER)
        return RUNG_OK;
    return rung__fail_errno(RUNG_IO, error, "cannot make the folder %s", path);
}

static rung_result read_names(DIR *stream, const char *path, size_t limit, struct rung__folder *out)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(stream); /* the stream is this thread's own */
        if (!entry)
            return errno ? rung__fail_errno(RUNG_IO, errno, "cannot list %s", path) : RUNG_OK;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (out->count == limit)
            return rung__fail(RUNG_CAPACITY, "%s holds more than %zu names", path, limit);
        rung_result result = rung__folder_add(out, entry->d_name);
        if (result)
            return result;
    }
}

rung_result rung__folder_read_stream(DIR *stream, const char *path, size_t limit,
                                     struct rung__folder *out)
{
    rung_result result = read_names(stream, path, limit, out);
    closedir(stream);
    return result;
}

rung_result rung__folder_read(const char *path, size_t limit, struct rung__folder *out)
{
    DIR *stream = opendir(path);
    if (!stream)
        return rung__fail_errno(errno == ENOENT ? RUNG_NOT_FOUND : RUNG_IO, errno, "cannot list %s",
                                path);
    return rung__folder_read_stream(stream, path, limit, out);
}

static rung_result check_above(const char *path)
{
    struct stat status;
    char *above = rung__path_folder(path);
    rung_result result = RUNG_OK;
    if (!above)
        result = rung__fail(RUNG_NO_MEMORY, "no memory for the name of a folder");
    else if (stat(above, &status))
        result = rung__fail_errno(RUNG_IO, errno, "cannot look at the folder %s", above);
    else if (rung__status_lets_replace(&status))
        result = rung__fail(RUNG_PERMISSION,
                            "other users can replace %s, as they may write in %s; choose another "
                            "folder, or take that right away",
                            path, above);
    free(above);
    return result;
}

rung_result rung__folder_check_private(const char *path)
{
    struct stat status;
    if (lstat(path, &status))
        return rung__fail_errno(RUNG_IO, errno, "cannot look at the folder %s", path);
    if (!S_ISDIR(status.st_mode))
        return rung__fail(RUNG_PERMISSION, "%s is %s, and a folder is needed", path,
                          rung__status_kind(&status));
    if (status.st_uid != geteuid() || rung__status_is_writable(&status))
        return rung__fail(RUNG_PERMISSION,
                          "the folder %s is not this user's alone; remove it, or make it 0700",
                          path);
    return check_above(path);
}

static rung_result remove_names(const char *path, const struct rung__folder *folder)
{
    rung_result result = RUNG_OK;
    for (size_t i = 0; i < folder->count && result == RUNG_OK; i++) {
        char *one = rung__path_join(path, folder->names[i]);
        result = one ? rung__folder_remove(one)
                     : rung__fail(RUNG_NO_MEMORY, "no memory for the name of a file");
        free(one);
    }
    return result;
}

rung_result rung__folder_remove(const char *path)
{
    struct rung__folder folder;
    struct stat status;
    if (lstat(path, &status))
        return errno == ENOENT ? RUNG_OK
                               : rung__fail_errno(RUNG_IO, errno, "cannot remove %s", path);
    if (!S_ISDIR(status.st_mode))
        return unlink(path) ? rung__fail_errno(RUNG_IO, errno, "cannot remove %s", path) : RUNG_OK;
    rung_result result = rung__folder_list(path, SIZE_MAX, &folder);
    if (result == RUNG_OK)
        result = remove_names(path, &folder);
    rung__folder_finish(&folder);
    if (result == RUNG_OK && rmdir(path))
        result = rung__fail_errno(RUNG_IO, errno, "cannot remove %s", path);
    return result;
}

rung_result rung__path_sync(const char *path)
{
    intptr_t handle =
        rung__descriptor_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    rung_result result = RUNG_OK;
    /* File systems that keep no order of their own for folders say EINVAL. */
    if (handle < 0 || (rung__descriptor_sync((int)handle) && errno != EINVAL))
        result = rung__fail_errno(RUNG_IO, errno, "cannot write %s to the disk", path);
    (void)rung__descriptor_close(&handle);
    return result;
}

rung_result rung__folder_rename(const char *from, const char *to)
{
    if (rename(from, to))
        return rung__fail_errno(RUNG_IO, errno, "cannot rename %s to %s", from, to);
    char *above = rung__path_folder(to);
    rung_result result =
        above ? rung__path_sync(above) : rung__fail(RUNG_NO_MEMORY, "no memory to name a folder");
    free(above);
    return result;
}
