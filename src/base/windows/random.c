/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

#include <windows.h>

#include <bcrypt.h>

#include "base/error.h"

rung_result rung__random_fill(void *data, size_t size)
{
    unsigned char *to = data;
    while (size) {
        ULONG part = size < 1u << 20 ? (ULONG)size : 1u << 20;
        if (BCryptGenRandom(NULL, to, part, BCRYPT_USE_SYSTEM_PREFERRED_RNG) < 0)
            return rung__fail(RUNG_IO, "the system gives no random bytes");
        to += part;
        size -= part;
    }
    return RUNG_OK;
}
