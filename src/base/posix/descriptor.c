/* SPDX-License-Identifier: Apache-2.0 */
#include "base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define LOWEST 3

int rung__descriptor_above(int descriptor)
{
    if (descriptor < 0 || descriptor >= LOWEST)
        return descriptor;
    int above = fcntl(descriptor, F_DUPFD_CLOEXEC, LOWEST);
    int error = errno;
    close(descriptor);
    errno = error;
    return above;
}

int rung__descriptor_open(int folder, const char *path, int flags, mode_t mode)
{
    int descriptor;
    do
        descriptor = openat(folder, path, flags | O_CLOEXEC, mode);
    while (descriptor < 0 && errno == EINTR);
    return rung__descriptor_above(descriptor);
}

int rung__descriptor_sync(int descriptor)
{
    int result;
    do
        result = fsync(descriptor);
    while (result && errno == EINTR);
    return result;
}

/* After a signal it is closed too: to close it again could close somebody else's. */
int rung__descriptor_close(intptr_t *descriptor)
{
    int number = (int)*descriptor;
    *descriptor = 0;
    return number > 0 && close(number) && errno != EINTR ? -1 : 0;
}
