/* SPDX-License-Identifier: Apache-2.0 */
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
#include "base/random.h"
#include "base/text.h"

/* So much of the name goes into the temporary one: the whole stays below every system's limit. */
#define NAME_PART_BYTES 64

static rung_result temporary_name(const char *name, char **out)
{
    uint8_t random[8];
    char digits[2 * sizeof random + 1];
    rung_result result = rung__random_fill(random, sizeof random);
    if (result)
        return result;
    rung__text_hex(digits, random, sizeof random);
    size_t length = strlen(name);
    if (length > NAME_PART_BYTES)
        length = rung__text_whole(name, NAME_PART_BYTES);
    *out = rung__text_new(".%.*s.%s.tmp", (int)length, name, digits);
    return *out ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for the name of a file");
}

/* Drives without access bits refuse to set them; that matters only for what must stay secret. */
static int set_mode(int descriptor, mode_t mode)
{
    if (!fchmod(descriptor, mode))
        return 0;
    return mode & (S_IRWXG | S_IRWXO) ? 0 : -1;
}

rung_result rung__file_writer_begin(struct rung__file_writer *writer, const char *path,
                                    uint32_t mode)
{
    const char *name = rung__path_name(path);
    char *temporary = NULL, *folder = NULL;
    rung_result result;
    *writer = (struct rung__file_writer){0};
    if (!*name)
        return rung__fail(RUNG_IO, "cannot write \"%s\": this is no name of a file", path);

    writer->path = rung__text_new("%s", path);
    folder = rung__path_folder(path);
    if (!writer->path || !folder) {
        result = rung__fail(RUNG_NO_MEMORY, "no memory for the name of a file");
        goto fail;
    }
    result = temporary_name(name, &temporary);
    if (result)
        goto fail;

    int opened = rung__descriptor_open(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY, 0);
    if (opened < 0) {
        result =
            rung__fail_errno(RUNG_IO, errno, "cannot write %s: its folder cannot be opened", path);
        goto fail;
    }
    writer->folder = opened;
    opened = rung__descriptor_open(opened, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                                   S_IRUSR | S_IWUSR);
    if (opened < 0) {
        result = rung__fail_errno(RUNG_IO, errno, "cannot write %s", path);
        goto fail;
    }
    writer->handle = opened;
    writer->temporary = temporary;
    temporary = NULL;
    if (set_mode(opened, (mode_t)mode)) {
        result = rung__fail_errno(RUNG_IO, errno, "cannot keep %s from other users", path);
        goto fail;
    }
    free(folder);
    return RUNG_OK;

fail:
    free(temporary);
    free(folder);
    rung__file_writer_abort(writer);
    return result;
}

rung_result rung__file_writer_write(struct rung__file_writer *writer, const void *data, size_t size)
{
    const uint8_t *from = data;
    while (size) {
        ssize_t part = write((int)writer->handle, from, size);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0) {
            rung_result result = rung__fail_errno(RUNG_IO, errno, "cannot write %s", writer->path);
            rung__file_writer_abort(writer);
            return result;
        }
        from += part;
        size -= (size_t)part;
    }
    return RUNG_OK;
}

/* Some file systems can only do the one, some only the other. */
static int rename_to_new(int folder, const char *from, const char *to)
{
#if defined(RENAME_NOREPLACE)
    if (!renameat2(folder, from, folder, to, RENAME_NOREPLACE))
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
#endif
    if (linkat(folder, from, folder, to, 0))
        return -1;
    (void)unlinkat(folder, from, 0);
    return 0;
}

static int publish(const struct rung__file_writer *writer, bool replace)
{
    int folder = (int)writer->folder;
    const char *name = rung__path_name(writer->path);
    return replace ? renameat(folder, writer->temporary, folder, name)
                   : rename_to_new(folder, writer->temporary, name);
}

/* A file that replaced another stays: the other one is gone. A new one goes again. */
static rung_result refuse_unsynced(const struct rung__file_writer *writer, bool replace, int error)
{
    if (replace)
        return rung__fail_errno(RUNG_IO, error, "%s is written but may be lost in a power cut",
                                writer->path);
    (void)unlinkat((int)writer->folder, rung__path_name(writer->path), 0);
    return rung__fail_errno(RUNG_IO, error, "cannot write %s", writer->path);
}

rung_result rung__file_writer_commit(struct rung__file_writer *writer, bool replace)
{
    rung_result result = RUNG_OK;
    /* Some disks tell only when the file is closed that they are full. */
    if (rung__descriptor_sync((int)writer->handle) || rung__descriptor_close(&writer->handle)) {
        result = rung__fail_errno(RUNG_IO, errno, "cannot write %s", writer->path);
        goto done;
    }
    if (publish(writer, replace)) {
        result =
            errno == EEXIST && !replace
                ? rung__fail(RUNG_ALREADY_EXISTS,
                             "%s exists already; move it away or choose another name", writer->path)
                : rung__fail_errno(RUNG_IO, errno, "cannot write %s", writer->path);
        goto done;
    }
    free(writer->temporary);
    writer->temporary = NULL;
    /* File systems that keep no order of their own for folders say EINVAL. */
    if (rung__descriptor_sync((int)writer->folder) && errno != EINVAL)
        result = refuse_unsynced(writer, replace, errno);

done:
    rung__file_writer_abort(writer);
    return result;
}

rung_result rung__file_writer_leave(struct rung__file_writer *writer)
{
    rung_result result = RUNG_OK;
    /* Some disks tell only when the file is closed that they are full. */
    if (rung__descriptor_close(&writer->handle) || publish(writer, true)) {
        result = rung__fail_errno(RUNG_IO, errno, "cannot write %s", writer->path);
    } else {
        free(writer->temporary);
        writer->temporary = NULL;
    }
    rung__file_writer_abort(writer);
    return result;
}

void rung__file_writer_abort(struct rung__file_writer *writer)
{
    if (writer->temporary)
        (void)unlinkat((int)writer->folder, writer->temporary, 0);
    (void)rung__descriptor_close(&writer->handle);
    (void)rung__descriptor_close(&writer->folder);
    free(writer->temporary);
    free(writer->path);
    *writer = (struct rung__file_writer){0};
}
