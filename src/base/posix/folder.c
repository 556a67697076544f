/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"

enum rung__path_kind rung__path_kind(const char *path)
{
    struct stat status;
    if (stat(path, &status))
        return errno == ENOENT || errno == ENOTDIR ? RUNG__PATH_MISSING : RUNG__PATH_OTHER;
    return S_ISREG(status.st_mode)   ? RUNG__PATH_FILE
           : S_ISDIR(status.st_mode) ? RUNG__PATH_FOLDER
                                     : RUNG__PATH_OTHER;
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

static rung_result read_stream(DIR *stream, const char *path, size_t limit,
                               struct rung__folder *out)
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

rung_result rung__folder_read(const char *path, size_t limit, struct rung__folder *out)
{
    DIR *stream = opendir(path);
    if (!stream)
        return rung__fail_errno(errno == ENOENT ? RUNG_NOT_FOUND : RUNG_IO, errno, "cannot list %s",
                                path);
    rung_result result = read_stream(stream, path, limit, out);
    closedir(stream);
    return result;
}
