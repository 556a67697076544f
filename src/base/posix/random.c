/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

#include <errno.h>
#include <stdint.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/error.h"

/* POSIX lets getentropy refuse more at once. */
#define AT_ONCE 256

rung_result rung__random_fill(void *data, size_t size)
{
    uint8_t *to = data;
    while (size) {
        size_t part = size < AT_ONCE ? size : AT_ONCE;
        if (getentropy(to, part))
            return rung__fail_errno(RUNG_IO, errno, "the system gives no random bytes");
        to += part;
        size -= part;
    }
    return RUNG_OK;
}
