/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file.h"

#if defined(MFD_ALLOW_SEALING)

#if !defined(MFD_NOEXEC_SEAL)
#define MFD_NOEXEC_SEAL 8u /* Linux 6.3; some systems refuse a file without it */
#endif

static int create_anonymous(void)
{
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int descriptor = memfd_create("rung", flags | MFD_NOEXEC_SEAL);
    if (descriptor < 0 && errno == EINVAL)
        descriptor = memfd_create("rung", flags);
    return rung__descriptor_above(descriptor);
}

static int seal(int descriptor)
{
    return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
}

#else

/* The nearest thing: a file that has lost its only name, so that no other process can open it. */
static int create_anonymous(void)
{
    char path[] = "/tmp/rung-XXXXXX";
    int descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0)
        unlink(path);
    return rung__descriptor_above(descriptor);
}

static int seal(int descriptor)
{
    return fchmod(descriptor, S_IRUSR);
}

#endif

static int set_size(int descriptor, off_t size)
{
    int result;
    do
        result = ftruncate(descriptor, size);
    while (result && errno == EINTR);
    return result;
}

rung_result rung__memory_file_create(uint64_t size, struct rung__memory_file *out)
{
    *out = (struct rung__memory_file){0};
    if (!size || size > SIZE_MAX || size > INT64_MAX)
        return rung__fail(RUNG_NO_MEMORY, "a file of %llu bytes cannot be kept in memory",
                          (unsigned long long)size);
    int descriptor = create_anonymous();
    if (descriptor < 0)
        return rung__fail_errno(RUNG_IO, errno, "cannot make a file in memory");
    out->handle = descriptor;
    if (set_size(descriptor, (off_t)size)) {
        int error = errno;
        rung__memory_file_close(out);
        return rung__fail_errno(RUNG_NO_MEMORY, error, "cannot make a file of %llu bytes in memory",
                                (unsigned long long)size);
    }
    out->size = size;
    return RUNG_OK;
}

rung_result rung__memory_file_write(struct rung__memory_file *file, uint64_t offset,
                                    const void *data, size_t size)
{
    if (offset > file->size || size > file->size - offset)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "%zu bytes at byte %llu lie outside a file of %llu bytes", size,
                          (unsigned long long)offset, (unsigned long long)file->size);
    const uint8_t *from = data;
    while (size) {
        ssize_t part = pwrite((int)file->handle, from, size, (off_t)offset);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return rung__fail_errno(errno == ENOMEM ? RUNG_NO_MEMORY : RUNG_IO, errno,
                                    "cannot write %zu bytes to a file in memory", size);
        from += part;
        offset += (uint64_t)part;
        size -= (size_t)part;
    }
    return RUNG_OK;
}

rung_result rung__memory_file_seal(struct rung__memory_file *file, struct rung__bytes *out)
{
    *out = (struct rung__bytes){0};
    if (seal((int)file->handle))
        return rung__fail_errno(RUNG_IO, errno, "cannot seal a file in memory");
    /* Older kernels refuse to map a sealed file as shared, even read-only. */
    void *data = mmap(NULL, (size_t)file->size, PROT_READ, MAP_PRIVATE, (int)file->handle, 0);
    if (data == MAP_FAILED)
        return rung__fail_errno(errno == ENOMEM ? RUNG_NO_MEMORY : RUNG_IO, errno,
                                "cannot map a file of %llu bytes in memory",
                                (unsigned long long)file->size);
    *out = (struct rung__bytes){data, (size_t)file->size};
    return RUNG_OK;
}

void rung__memory_file_close(struct rung__memory_file *file)
{
    (void)rung__descriptor_close(&file->handle);
    file->size = 0;
}
