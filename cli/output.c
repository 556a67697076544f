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

bool output_write_all(int file, const char *data, size_t size)
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

bool output_begin(struct output *output, const char *path, char *why, size_t why_size)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    *output = (struct output){.path = path, .file = -1};
    if (!make_folders(path))
        return refuse(why, why_size, "cannot make the folder of", path);
    if (snprintf(output->temporary, sizeof output->temporary, "%.*s.rung-XXXXXX", folder, path) >=
        (int)sizeof output->temporary) {
        errno = ENAMETOOLONG;
        return refuse(why, why_size, "cannot write", path);
    }
    output->file = make_temporary(output->temporary);
    return output->file >= 0 || refuse(why, why_size, "cannot write into the folder of", path);
}

bool output_add(struct output *output, const void *data, size_t size, char *why, size_t why_size)
{
    return output_write_all(output->file, data, size) ||
           refuse(why, why_size, "cannot write", output->path);
}

void output_abandon(struct output *output)
{
    if (output->file < 0)
        return;
    close(output->file);
    unlink(output->temporary);
    output->file = -1;
}

bool output_commit(struct output *output, char *why, size_t why_size)
{
    mode_t mask = umask(0);
    umask(mask);
    bool written = fchmod(output->file, 0666 & ~mask) == 0 && sync_all(output->file);
    int error = errno;
    if (close(output->file) != 0 && errno != EINTR && written) { /* after a signal it is closed */
        written = false;
        error = errno;
    }
    output->file = -1;
    if (written && rename(output->temporary, output->path) == 0)
        return true;
    errno = written ? errno : error;
    refuse(why, why_size, "cannot write", output->path);
    unlink(output->temporary);
    return false;
}

bool output_write(const char *path, const void *data, size_t size, char *why, size_t why_size)
{
    struct output output;
    if (!output_begin(&output, path, why, why_size))
        return false;
    if (output_add(&output, data, size, why, why_size))
        return output_commit(&output, why, why_size);
    output_abandon(&output);
    return false;
}

char *output_path(const char *folder, const char *inside, const char *ending)
{
    const size_t size = strlen(folder) + strlen(inside) + strlen(ending) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s%s", folder, inside, ending);
    return path;
}

bool output_is_same(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}
