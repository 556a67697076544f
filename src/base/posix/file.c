/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/status.h"

static rung_result refuse_kind(const char *path, const struct stat *status)
{
    return rung__fail(RUNG_IO, "cannot read %s: it is %s, and a regular file is needed", path,
                      rung__status_kind(status));
}

/* Asks about the folder that holds the file itself, not the link that led to it. What cannot be
 * told counts as shared. */
static bool is_shared(const char *path, const struct stat *opened)
{
    if (rung__status_is_foreign(opened) || rung__status_is_writable(opened))
        return true;

    bool shared = true;
    char *folder = NULL;
    struct stat found;
    char *real = realpath(path, NULL);
    if (!real || stat(real, &found))
        goto done;
    if (found.st_dev != opened->st_dev || found.st_ino != opened->st_ino)
        goto done;
    folder = rung__path_folder(real);
    if (!folder || stat(folder, &found))
        goto done;
    shared = rung__status_lets_replace(&found);

done:
    free(folder);
    free(real);
    return shared;
}

rung_result rung__file_open(const char *path, struct rung__file *out)
{
    struct stat status;
    rung_result result;
    *out = (struct rung__file){0};

    /* Looking first leaves devices closed: opening some of them does things. */
    if (stat(path, &status))
        return rung__fail_errno(RUNG_IO, errno, "cannot read %s", path);
    if (!S_ISREG(status.st_mode))
        return refuse_kind(path, &status);

    /* A FIFO may have come in between: it must neither block nor become our terminal. */
    int descriptor = rung__descriptor_open(AT_FDCWD, path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
    if (descriptor < 0)
        return rung__fail_errno(RUNG_IO, errno, "cannot read %s", path);
    out->handle = descriptor;
    if (fstat(descriptor, &status)) {
        result = rung__fail_errno(RUNG_IO, errno, "cannot read %s", path);
        goto fail;
    }
    if (!S_ISREG(status.st_mode)) {
        result = refuse_kind(path, &status);
        goto fail;
    }
    out->stamp = rung__status_stamp(&status);
    out->shared = is_shared(path, &status);
    return RUNG_OK;

fail:
    rung__file_close(out);
    return result;
}

void rung__file_close(struct rung__file *file)
{
    (void)rung__descriptor_close(&file->handle);
}

rung_result rung__file_read_some(const struct rung__file *file, uint64_t offset, void *to,
                                 size_t size, size_t *got)
{
    *got = 0;
    if (offset > INT64_MAX || size > INT64_MAX - offset)
        return rung__fail(RUNG_IO, "no file has a byte %llu", (unsigned long long)offset);
    while (*got < size) {
        ssize_t part =
            pread((int)file->handle, (uint8_t *)to + *got, size - *got, (off_t)(offset + *got));
        if (part == 0)
            break;
        if (part > 0)
            *got += (size_t)part;
        else if (errno != EINTR)
            return rung__fail_errno(RUNG_IO, errno, "reading %zu bytes at byte %llu failed", size,
                                    (unsigned long long)offset);
    }
    return RUNG_OK;
}

/* What no system can read in one go comes in parts, and procfs gives a page at a time. */
static rung_result read_start(int descriptor, const char *path, void *to, size_t size, size_t *got)
{
    while (*got < size) {
        const ssize_t part = read(descriptor, (uint8_t *)to + *got, size - *got);
        if (part == 0)
            break;
        if (part > 0)
            *got += (size_t)part;
        else if (errno != EINTR)
            return rung__fail_errno(RUNG_IO, errno, "cannot read %s", path);
    }
    return RUNG_OK;
}

rung_result rung__file_peek(const char *path, void *to, size_t size, size_t *got)
{
    struct stat status;
    *got = 0;
    if (stat(path, &status))
        return rung__fail_errno(errno == ENOENT || errno == ENOTDIR ? RUNG_NOT_FOUND : RUNG_IO,
                                errno, "cannot read %s", path);
    if (!S_ISREG(status.st_mode))
        return refuse_kind(path, &status);
    intptr_t handle = rung__descriptor_open(AT_FDCWD, path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
    if (handle < 0)
        return rung__fail_errno(RUNG_IO, errno, "cannot read %s", path);
    rung_result result = RUNG_OK;
    if (fstat((int)handle, &status))
        result = rung__fail_errno(RUNG_IO, errno, "cannot read %s", path);
    else if (!S_ISREG(status.st_mode))
        result = refuse_kind(path, &status);
    else
        result = read_start((int)handle, path, to, size, got);
    (void)rung__descriptor_close(&handle);
    return result;
}

bool rung__file_remove(const char *path)
{
    return unlink(path) == 0;
}

void rung__file_touch(const char *path)
{
    (void)utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

rung_result rung__file_map(const struct rung__file *file, struct rung__bytes *out)
{
    *out = (struct rung__bytes){0};
    if (!file->stamp.size)
        return rung__fail(RUNG_IO, "an empty file cannot be mapped");
    if (file->stamp.size > SIZE_MAX)
        return rung__fail(RUNG_NO_MEMORY, "a file of %llu bytes does not fit into memory",
                          (unsigned long long)file->stamp.size);
    size_t size = (size_t)file->stamp.size;
    /* Faulting all pages in at once was measured: for 30 MB to hash it is no faster. */
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, (int)file->handle, 0);
    if (data == MAP_FAILED)
        return rung__fail_errno(errno == ENOMEM ? RUNG_NO_MEMORY : RUNG_IO, errno,
                                "cannot map a file of %zu bytes", size);
    *out = (struct rung__bytes){data, size};
    return RUNG_OK;
}

void rung__file_unmap(struct rung__bytes *mapped)
{
    if (mapped->data)
        munmap((void *)mapped->data, mapped->size);
    *mapped = (struct rung__bytes){0};
}

bool rung__file_is_unchanged(const struct rung__file *file)
{
    struct stat status;
    if (fstat((int)file->handle, &status))
        return false;
    struct rung__file_stamp now = rung__status_stamp(&status);
    const struct rung__file_stamp *then = &file->stamp;
    return now.device == then->device && now.inode == then->inode && now.size == then->size &&
           now.modified_ns == then->modified_ns && now.changed_ns == then->changed_ns;
}
