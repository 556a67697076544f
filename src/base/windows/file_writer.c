/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <sddl.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path_rules.h"
#include "base/random.h"
#include "base/text.h"
#include "base/wide.h"

/* So much of the name goes into the temporary one: the whole stays below every system's limit. */
#define NAME_PART_BYTES 64

#define OTHERS 077u /* the access bits of everybody but the owner */

static rung_result temporary_path(const char *path, char **out)
{
    const char *name = rung__path_name(path);
    size_t folder = (size_t)(name - path), length = strlen(name);
    uint8_t random[8];
    char digits[2 * sizeof random + 1];
    rung_result result = rung__random_fill(random, sizeof random);
    if (result)
        return result;
    rung__text_hex(digits, random, sizeof random);
    if (length > NAME_PART_BYTES)
        length = rung__text_whole(name, NAME_PART_BYTES);
    *out = rung__text_new("%.*s.%.*s.%s.tmp", (int)folder, path, (int)length, name, digits);
    return *out ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for the name of a file");
}

/* A secret is for its owner, the system and its administrators; the rest is as its folder says. */
static HANDLE create_new(const wchar_t *path, bool secret)
{
    SECURITY_ATTRIBUTES attributes = {.nLength = sizeof attributes};
    if (secret && !ConvertStringSecurityDescriptorToSecurityDescriptorW(
                      L"D:P(A;;FA;;;OW)(A;;FA;;;SY)(A;;FA;;;BA)", SDDL_REVISION_1,
                      &attributes.lpSecurityDescriptor, NULL))
        return INVALID_HANDLE_VALUE;
    HANDLE handle =
        CreateFileW(path, GENERIC_WRITE, 0, &attributes, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
    DWORD error = GetLastError();
    LocalFree(attributes.lpSecurityDescriptor);
    SetLastError(error);
    return handle;
}

rung_result rung__file_writer_begin(struct rung__file_writer *writer, const char *path,
                                    uint32_t mode)
{
    wchar_t *wide = NULL;
    char *temporary = NULL;
    rung_result result;
    *writer = (struct rung__file_writer){0};
    if (!*rung__path_name(path))
        return rung__fail(RUNG_IO, "cannot write \"%s\": this is no name of a file", path);

    writer->path = rung__text_new("%s", path);
    if (!writer->path) {
        result = rung__fail(RUNG_NO_MEMORY, "no memory for the name of a file");
        goto fail;
    }
    result = temporary_path(path, &temporary);
    if (result)
        goto fail;
    wide = rung__wide_new(temporary);
    if (!wide) {
        result = RUNG_IO;
        goto fail;
    }
    HANDLE handle = create_new(wide, !(mode & OTHERS));
    if (handle == INVALID_HANDLE_VALUE) {
        result = rung__fail_last(RUNG_IO, "cannot write %s", path);
        goto fail;
    }
    writer->handle = (intptr_t)handle;
    writer->temporary = temporary;
    free(wide);
    return RUNG_OK;

fail:
    free(wide);
    free(temporary);
    rung__file_writer_abort(writer);
    return result;
}

rung_result rung__file_writer_write(struct rung__file_writer *writer, const void *data, size_t size)
{
    const uint8_t *from = data;
    while (size) {
        DWORD wanted = size < 1u << 30 ? (DWORD)size : 1u << 30, part = 0;
        if (!WriteFile((HANDLE)writer->handle, from, wanted, &part, NULL)) {
            rung_result result = rung__fail_last(RUNG_IO, "cannot write %s", writer->path);
            rung__file_writer_abort(writer);
            return result;
        }
        from += part;
        size -= part;
    }
    return RUNG_OK;
}

static rung_result publish(const struct rung__file_writer *writer, bool replace)
{
    const DWORD flags = MOVEFILE_WRITE_THROUGH | (replace ? MOVEFILE_REPLACE_EXISTING : 0);
    wchar_t *from = rung__wide_new(writer->temporary), *to = rung__wide_new(writer->path);
    rung_result result = from && to ? RUNG_OK : RUNG_IO;
    if (!result && !MoveFileExW(from, to, flags))
        result =
            !replace &&
                    (GetLastError() == ERROR_ALREADY_EXISTS || GetLastError() == ERROR_FILE_EXISTS)
                ? rung__fail(RUNG_ALREADY_EXISTS,
                             "%s exists already; move it away or choose another name", writer->path)
                : rung__fail_last(RUNG_IO, "cannot write %s", writer->path);
    free(from);
    free(to);
    return result;
}

static rung_result close_and_publish(struct rung__file_writer *writer, bool replace,
                                     rung_result result)
{
    CloseHandle((HANDLE)writer->handle);
    writer->handle = 0;
    if (!result)
        result = publish(writer, replace);
    if (!result) {
        free(writer->temporary);
        writer->temporary = NULL;
    }
    rung__file_writer_abort(writer);
    return result;
}

rung_result rung__file_writer_commit(struct rung__file_writer *writer, bool replace)
{
    const rung_result result = FlushFileBuffers((HANDLE)writer->handle)
                                   ? RUNG_OK
                                   : rung__fail_last(RUNG_IO, "cannot write %s", writer->path);
    return close_and_publish(writer, replace, result);
}

rung_result rung__file_writer_leave(struct rung__file_writer *writer)
{
    return close_and_publish(writer, true, RUNG_OK);
}

void rung__file_writer_abort(struct rung__file_writer *writer)
{
    if (writer->handle)
        CloseHandle((HANDLE)writer->handle);
    wchar_t *wide = writer->temporary ? rung__wide_new(writer->temporary) : NULL;
    if (wide)
        (void)DeleteFileW(wide);
    free(wide);
    free(writer->temporary);
    free(writer->path);
    *writer = (struct rung__file_writer){0};
}
