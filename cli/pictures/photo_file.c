/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file below the decoders. Reading it here, and not by libvips, tells an end of the file that
 * came too early, and an error of the disk, from damage; and no file is mapped, since a mapped one
 * that somebody shortens ends the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "photo_parts.h"

static int open_file(const char *path)
{
    int descriptor;
    do
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/** True when it can be a picture. */
static bool check_kind(const struct stat *status, struct photo_error *error)
{
    if (S_ISDIR(status->st_mode))
        return photo_refuse(error, "DIRECTORY", "is a folder without pictures");
    if (!S_ISREG(status->st_mode))
        return photo_refuse(error, "NOT_AN_IMAGE", "is no regular file");
    if (status->st_size == 0)
        return photo_refuse(error, "NOT_AN_IMAGE", "is empty");
    return true;
}

bool photo_file_open(struct photo_file *file, const char *path, struct photo_error *error)
{
    struct stat status;
    *file = (struct photo_file){.descriptor = open_file(path)};
    if (file->descriptor < 0)
        return photo_refuse(error, errno == ENOMEM ? "NO_MEMORY" : "IO", "cannot be opened: %s",
                            strerror(errno));
    if (fstat(file->descriptor, &status) != 0) {
        photo_refuse(error, "IO", "cannot be looked at: %s", strerror(errno));
        goto fail;
    }
    if (!check_kind(&status, error))
        goto fail;
    file->size = status.st_size;
    return true;
fail:
    photo_file_close(file);
    return false;
}

void photo_file_close(struct photo_file *file)
{
    close(file->descriptor);
    file->descriptor = -1;
}

static ssize_t read_at(int descriptor, void *buffer, size_t size, int64_t position)
{
    ssize_t got;
    do
        got = pread(descriptor, buffer, size, position);
    while (got < 0 && errno == EINTR);
    return got;
}

bool photo_file_read(const struct photo_file *file, uint8_t *buffer, size_t size, int64_t at,
                     struct photo_error *error)
{
    size_t done = 0;
    memset(buffer, 0, size);
    while (done < size) {
        ssize_t got = read_at(file->descriptor, buffer + done, size - done, at + (int64_t)done);
        if (got < 0)
            return photo_refuse(error, "IO", "cannot be read: %s", strerror(errno));
        if (got == 0)
            return true;
        done += (size_t)got;
    }
    return true;
}

static gint64 read_source(VipsSourceCustom *source, void *buffer, gint64 size, void *data)
{
    struct photo_file *file = data;
    (void)source;
    ssize_t got = read_at(file->descriptor, buffer, (size_t)size, file->position);
    if (got < 0)
        file->error = errno;
    else if (got == 0 && size > 0)
        file->ended = true;
    else
        file->position += got;
    return got;
}

static gint64 seek_source(VipsSourceCustom *source, gint64 offset, int whence, void *data)
{
    struct photo_file *file = data;
    (void)source;
    int64_t base = whence == SEEK_CUR ? file->position : whence == SEEK_END ? file->size : 0;
    if (offset < -base || offset > INT64_MAX - base)
        return -1;
    file->ended |= base + offset > file->size; /* decoders seek to what they then read */
    return file->position = base + offset;
}

VipsSource *photo_file_source(struct photo_file *file)
{
    VipsSourceCustom *source = vips_source_custom_new();
    file->position = 0;
    file->ended = false;
    file->error = 0;
    g_signal_connect(source, "read", G_CALLBACK(read_source), file);
    g_signal_connect(source, "seek", G_CALLBACK(seek_source), file);
    return VIPS_SOURCE(source);
}
