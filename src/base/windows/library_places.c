/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library.h"
#include "base/random.h"
#include "base/text.h"

/* Where the loader looks here cannot be told from files: no two states are taken for the same. */
rung_result rung__library_places(const char *folder, char to[RUNG__LIBRARY_PLACES])
{
    uint8_t bytes[RUNG__SHA256_BYTES];
    (void)folder;
    to[0] = '\0';
    const rung_result result = rung__random_fill(bytes, sizeof bytes);
    if (result == RUNG_OK)
        rung__text_hex(to, bytes, sizeof bytes);
    return result;
}
