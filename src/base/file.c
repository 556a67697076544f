/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include "base/error.h"

#define FIRST_READ_BYTES 4096

rung_result rung__file_read(const struct rung__file *file, uint64_t offset, void *to, size_t size)
{
    size_t got = 0;
    rung_result result = rung__file_read_some(file, offset, to, size, &got);
    if (!result && got < size)
        result = rung__fail(RUNG_IO, "the file ends at byte %llu, inside what is read from it",
                            (unsigned long long)offset + got);
    return result;
}

/* Reads to the end whatever the size was said to be: pseudo files say 0, and others may grow. One
 * byte past the known size is asked for, so that a single read sees the end too. */
static rung_result read_all(const struct rung__file *file, size_t limit, struct rung__buffer *out)
{
    size_t wanted, got = 0, known = (size_t)file->stamp.size;
    do {
        if (known < FIRST_READ_BYTES)
            known = FIRST_READ_BYTES;
        wanted = (known < limit ? known : limit) + 1 - out->size;
        size_t at = out->size;
        rung_result result = rung__buffer_append(out, NULL, wanted);
        if (!result)
            result = rung__file_read_some(file, at, out->data + at, wanted, &got);
        if (result)
            return result;
        out->size = at + got;
        known = out->size * 2;
    } while (got == wanted && out->size <= limit);
    return RUNG_OK;
}

rung_result rung__file_load(const char *path, size_t limit, struct rung__buffer *out)
{
    struct rung__file file;
    struct rung__buffer buffer = {0};
    rung_result result = rung__file_open(path, &file);
    if (result)
        return result;

    if (file.stamp.size <= limit)
        result = read_all(&file, limit, &buffer);
    if (!result && (file.stamp.size > limit || buffer.size > limit))
        result = rung__fail(RUNG_IO, "%s is larger than %zu bytes, the most that is read of it",
                            path, limit);
    else if (result)
        result = rung__fail(result, "cannot read %s: %s", path, rung_last_error());
    rung__file_close(&file);

    if (result)
        rung__buffer_finish(&buffer);
    *out = buffer;
    return result;
}

rung_result rung__file_save(const char *path, struct rung__bytes bytes, uint32_t mode, bool replace)
{
    struct rung__file_writer writer;
    rung_result result = rung__file_writer_begin(&writer, path, mode);
    if (!result)
        result = rung__file_writer_write(&writer, bytes.data, bytes.size);
    if (!result)
        result = rung__file_writer_commit(&writer, replace);
    return result;
}
