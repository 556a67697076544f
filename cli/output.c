/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(char *why, size_t size, const char *what, const char *path)
{
    snprintf(why, size, "%s %s: %s", what, path, strerror(errno));
    return false;
}

/** Makes the folders above `path`. */
static bool make_folders(const char *path)
{
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (char *at = folder + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return false;
        *at = '/';
    }
    return true;
}

static bool write_all(int file, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        data += written;
        size -= (size_t)written;
    }
    return true;
}

static bool sync_all(int file)
{
    int result;
    do
        result = fsync(file);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

/** mkstemp, which spoils its pattern when it fails, asked again after a signal. */
static int make_temporary(char *path)
{
    static const char pattern[] = "XXXXXX";
    char *end = path + strlen(path) - strlen(pattern);
    int file;
    do {
        memcpy(end, pattern, sizeof pattern);
        file = mkstemp(path);
    } while (file < 0 && errno == EINTR);
    return file;
}

bool output_write(const char *path, const void *data, size_t size, char *why, size_t why_size)
{
    char temporary[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    if (!make_folders(path))
        return refuse(why, why_size, "cannot make the folder of", path);
    if (snprintf(temporary, sizeof temporary, "%.*s.rung-XXXXXX", folder, path) >=
        (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return refuse(why, why_size, "cannot write", path);
    }
    int file = make_temporary(temporary);
    if (file < 0)
        return refuse(why, why_size, "cannot write into the folder of", path);
    mode_t mask = umask(0);
    umask(mask);
    bool written = write_all(file, data, size) && fchmod(file, 0666 & ~mask) == 0 && sync_all(file);
    int error = errno;
    if (close(file) != 0 && errno != EINTR && written) { /* after a signal it is closed too */
        written = false;
        error = errno;
    }
    if (written && rename(temporary, path) == 0)
        return true;
    errno = written ? errno : error;
    refuse(why, why_size, "cannot write", path);
    unlink(temporary);
    return false;
}

bool output_is_same(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}
