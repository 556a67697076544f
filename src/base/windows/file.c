/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <stdlib.h>
#include <windows.h>

#include "base/error.h"
#include "base/wide.h"

static HANDLE handle_of(const struct rung__file *file)
{
    return (HANDLE)file->handle;
}

static bool read_stamp(HANDLE handle, struct rung__file_stamp *out)
{
    BY_HANDLE_FILE_INFORMATION names;
    FILE_BASIC_INFO times;
    if (!GetFileInformationByHandle(handle, &names) ||
        !GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof times))
        return false;
    /* The system counts in 100 ns; what is compared needs no other origin. */
    *out = (struct rung__file_stamp){
        .device = names.dwVolumeSerialNumber,
        .inode = (uint64_t)names.nFileIndexHigh << 32 | names.nFileIndexLow,
        .size = (uint64_t)names.nFileSizeHigh << 32 | names.nFileSizeLow,
        .modified_ns = times.LastWriteTime.QuadPart * 100,
        .changed_ns = times.ChangeTime.QuadPart * 100,
    };
    return true;
}

rung_result rung__file_open(const char *path, struct rung__file *out)
{
    rung_result result;
    *out = (struct rung__file){0};
    wchar_t *wide = rung__wide_new(path);
    if (!wide)
        return RUNG_IO;
    DWORD attributes = GetFileAttributesW(wide);
    if (attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY) {
        free(wide);
        return rung__fail(RUNG_IO, "cannot read %s: it is a folder, and a regular file is needed",
                          path);
    }
    /* Nobody may write while it is open here; to rename and remove it stays allowed. */
    HANDLE handle = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                                OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    DWORD error = GetLastError();
    free(wide);
    SetLastError(error);
    if (handle == INVALID_HANDLE_VALUE)
        return rung__fail_last(RUNG_IO, "cannot read %s", path);
    out->handle = (intptr_t)handle;
    if (GetFileType(handle) != FILE_TYPE_DISK) {
        result = rung__fail(RUNG_IO,
                            "cannot read %s: it is a device or a pipe, and a regular file "
                            "is needed",
                            path);
        goto fail;
    }
    if (!read_stamp(handle, &out->stamp)) {
        result = rung__fail_last(RUNG_IO, "cannot read %s", path);
        goto fail;
    }
    out->shared = true; /* access lists are not read yet, and so nothing is known */
    return RUNG_OK;

fail:
    rung__file_close(out);
    return result;
}

void rung__file_close(struct rung__file *file)
{
    if (file->handle)
        CloseHandle(handle_of(file));
    file->handle = 0;
}

rung_result rung__file_read_some(const struct rung__file *file, uint64_t offset, void *to,
                                 size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        uint64_t at = offset + *got;
        size_t rest = size - *got;
        DWORD wanted = rest < 1u << 30 ? (DWORD)rest : 1u << 30, part = 0;
        OVERLAPPED where = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
        if (!ReadFile(handle_of(file), (uint8_t *)to + *got, wanted, &part, &where) &&
            GetLastError() != ERROR_HANDLE_EOF)
            return rung__fail_last(RUNG_IO, "reading %zu bytes at byte %llu failed", size,
                                   (unsigned long long)offset);
        if (!part)
            break;
        *got += part;
    }
    return RUNG_OK;
}

rung_result rung__file_peek(const char *path, void *to, size_t size, size_t *got)
{
    struct rung__file file;
    *got = 0;
    if (rung__path_kind(path) == RUNG__PATH_MISSING)
        return rung__fail(RUNG_NOT_FOUND, "cannot read %s: there is no such file", path);
    rung_result result = rung__file_open(path, &file);
    if (result == RUNG_OK)
        result = rung__file_read_some(&file, 0, to, size, got);
    rung__file_close(&file);
    return result;
}

rung_result rung__file_map(const struct rung__file *file, struct rung__bytes *out)
{
    *out = (struct rung__bytes){0};
    if (!file->stamp.size)
        return rung__fail(RUNG_IO, "an empty file cannot be mapped");
    if (file->stamp.size > SIZE_MAX)
        return rung__fail(RUNG_NO_MEMORY, "a file of %llu bytes does not fit into memory",
                          (unsigned long long)file->stamp.size);
    HANDLE section = CreateFileMappingW(handle_of(file), NULL, PAGE_READONLY, 0, 0, NULL);
    if (!section)
        return rung__fail_last(RUNG_IO, "cannot map a file");
    void *data = MapViewOfFile(section, FILE_MAP_READ, 0, 0, (size_t)file->stamp.size);
    rung_result result = data ? RUNG_OK : rung__fail_last(RUNG_NO_MEMORY, "cannot map a file");
    CloseHandle(section); /* the view keeps it */
    if (data)
        *out = (struct rung__bytes){data, (size_t)file->stamp.size};
    return result;
}

void rung__file_unmap(struct rung__bytes *mapped)
{
    if (mapped->data)
        UnmapViewOfFile(mapped->data);
    *mapped = (struct rung__bytes){0};
}

bool rung__file_remove(const char *path)
{
    wchar_t *wide = rung__wide_new(path);
    const bool removed = wide && DeleteFileW(wide);
    free(wide);
    return removed;
}

bool rung__file_is_unchanged(const struct rung__file *file)
{
    struct rung__file_stamp now;
    const struct rung__file_stamp *then = &file->stamp;
    return read_stamp(handle_of(file), &now) && now.device == then->device &&
           now.inode == then->inode && now.size == then->size &&
           now.modified_ns == then->modified_ns && now.changed_ns == then->changed_ns;
}
