/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <windows.h>

#include "base/error.h"
#include "base/file.h"
#include "base/wide.h"

/* A section without a name: no other process can reach it. Sealing leaves only a handle for
 * reading. */

static HANDLE section_of(const struct rung__memory_file *file)
{
    return (HANDLE)file->handle;
}

rung_result rung__memory_file_create(uint64_t size, struct rung__memory_file *out)
{
    *out = (struct rung__memory_file){0};
    if (!size || size > SIZE_MAX)
        return rung__fail(RUNG_NO_MEMORY, "a file of %llu bytes cannot be kept in memory",
                          (unsigned long long)size);
    HANDLE section = CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE,
                                        (DWORD)(size >> 32), (DWORD)size, NULL);
    if (!section)
        return rung__fail_last(RUNG_NO_MEMORY, "cannot make a file of %llu bytes in memory",
                               (unsigned long long)size);
    *out = (struct rung__memory_file){(intptr_t)section, size};
    return RUNG_OK;
}

rung_result rung__memory_file_write(struct rung__memory_file *file, uint64_t offset,
                                    const void *data, size_t size)
{
    if (offset > file->size || size > file->size - offset)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "%zu bytes at byte %llu lie outside a file of %llu bytes", size,
                          (unsigned long long)offset, (unsigned long long)file->size);
    if (!size)
        return RUNG_OK;
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    size_t lead = (size_t)(offset % system.dwAllocationGranularity);
    uint64_t start = offset - lead;
    uint8_t *view = MapViewOfFile(section_of(file), FILE_MAP_WRITE, (DWORD)(start >> 32),
                                  (DWORD)start, lead + size);
    if (!view)
        return rung__fail_last(RUNG_IO, "cannot write %zu bytes to a file in memory", size);
    memcpy(view + lead, data, size);
    UnmapViewOfFile(view);
    return RUNG_OK;
}

rung_result rung__memory_file_seal(struct rung__memory_file *file, struct rung__bytes *out)
{
    HANDLE self = GetCurrentProcess(), readable;
    *out = (struct rung__bytes){0};
    if (!DuplicateHandle(self, section_of(file), self, &readable, FILE_MAP_READ, FALSE, 0))
        return rung__fail_last(RUNG_IO, "cannot seal a file in memory");
    CloseHandle(section_of(file));
    file->handle = (intptr_t)readable;
    void *data = MapViewOfFile(readable, FILE_MAP_READ, 0, 0, 0);
    if (!data)
        return rung__fail_last(RUNG_NO_MEMORY, "cannot map a file of %llu bytes in memory",
                               (unsigned long long)file->size);
    *out = (struct rung__bytes){data, (size_t)file->size};
    return RUNG_OK;
}

void rung__memory_file_close(struct rung__memory_file *file)
{
    if (file->handle)
        CloseHandle(section_of(file));
    *file = (struct rung__memory_file){0};
}
