/* SPDX-License-Identifier: Apache-2.0 */
#include "base/imported.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

#if defined(__linux__)

#include <linux/dma-buf.h>
#include <sys/ioctl.h>

static int synchronise(int descriptor, uint64_t flags)
{
    struct dma_buf_sync sync = {.flags = flags};
    int error;
    do
        error = ioctl(descriptor, DMA_BUF_IOCTL_SYNC, &sync);
    while (error && (errno == EINTR || errno == EAGAIN));
    return error;
}

static bool is_dma_buf(int descriptor)
{
    const bool is = synchronise(descriptor, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ) == 0;
    if (is)
        (void)synchronise(descriptor, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
    return is;
}

rung_result rung__imported_begin_read(const struct rung__imported *imported)
{
    if (imported->is_dma_buf &&
        synchronise(imported->descriptor, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ))
        return rung__fail_errno(RUNG_IO, errno, "the driver of a DMA-BUF does not let it be read");
    return RUNG_OK;
}

void rung__imported_end_read(const struct rung__imported *imported)
{
    if (imported->is_dma_buf)
        (void)synchronise(imported->descriptor, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
}

#else

static bool is_dma_buf(int descriptor)
{
    (void)descriptor;
    return false;
}

rung_result rung__imported_begin_read(const struct rung__imported *imported)
{
    (void)imported;
    return RUNG_OK;
}

void rung__imported_end_read(const struct rung__imported *imported)
{
    (void)imported;
}

#endif

/** What of it may be mapped. A device's memory says its size by seeking alone. */
static rung_result find_size(int descriptor, uint64_t wanted, uint64_t *out)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return rung__fail_errno(RUNG_IO, errno, "the descriptor %d cannot be imported", descriptor);
    const off_t end = S_ISREG(status.st_mode) ? status.st_size : lseek(descriptor, 0, SEEK_END);
    const bool known = end >= 0;
    if ((!known && wanted == 0) || (known && end == 0))
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "the descriptor %d does not say how much memory it is; give its bytes",
                          descriptor);
    if (known && wanted > (uint64_t)end)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "%llu bytes are to be imported of the descriptor %d, which has %llu",
                          (unsigned long long)wanted, descriptor, (unsigned long long)end);
    *out = wanted ? wanted : (uint64_t)end;
    return RUNG_OK;
}

rung_result rung__imported_open(int descriptor, uint64_t size, struct rung__imported *out)
{
    *out = (struct rung__imported){.descriptor = -1};
    rung_result result = find_size(descriptor, size, &out->size);
    if (result != RUNG_OK)
        return result;
    if (out->size > SIZE_MAX)
        return rung__fail(RUNG_NO_MEMORY, "%llu bytes do not fit the address space",
                          (unsigned long long)out->size);
    void *data = mmap(NULL, (size_t)out->size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED)
        return rung__fail_errno(RUNG_IO, errno, "the memory of the descriptor %d cannot be mapped",
                                descriptor);
    out->data = data;
    out->is_dma_buf = is_dma_buf(descriptor);
    if (out->is_dma_buf) /* it is needed around each read, and the caller may close theirs */
        out->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (!out->is_dma_buf || out->descriptor >= 0)
        return RUNG_OK;
    result = rung__fail_errno(RUNG_IO, errno, "the descriptor %d cannot be kept", descriptor);
    rung__imported_close(out);
    return result;
}

void rung__imported_close(struct rung__imported *imported)
{
    if (imported->data)
        (void)munmap((void *)imported->data, (size_t)imported->size);
    if (imported->descriptor >= 0)
        (void)close(imported->descriptor);
    *imported = (struct rung__imported){.descriptor = -1};
}

rung_result rung__fence_wait(int descriptor, uint32_t timeout_ms)
{
    static const uint64_t ms = 1000000;
    struct pollfd fence = {.fd = descriptor, .events = POLLIN};
    const uint64_t deadline = rung__clock_now() + timeout_ms * ms;
    int left = (int)timeout_ms, ready;
    while ((ready = poll(&fence, 1, left)) < 0 && errno == EINTR) {
        const uint64_t now = rung__clock_now();
        left = now < deadline ? (int)((deadline - now) / ms) : 0;
    }
    if (ready < 0)
        return rung__fail_errno(RUNG_IO, errno, "the fence of a frame cannot be waited for");
    if (ready == 0)
        return rung__fail(RUNG_TIMEOUT, "the fence of a frame was not reached within %u ms",
                          timeout_ms);
    if (fence.revents & POLLNVAL)
        return rung__fail(RUNG_IO, "the fence of a frame, %d, is no open descriptor", descriptor);
    return RUNG_OK;
}
