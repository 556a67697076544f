/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

uint64_t rung__process_id(void)
{
    return (uint64_t)getpid();
}

void rung__process_boot(char to[RUNG__BOOT_BYTES])
{
    struct rung__buffer text = {0};
    to[0] = '\0';
    if (rung__file_load("/proc/sys/kernel/random/boot_id", RUNG__BOOT_BYTES, &text) == RUNG_OK &&
        text.size)
        (void)rung__text_format(to, RUNG__BOOT_BYTES, "%.*s", (int)text.size,
                                (const char *)text.data);
    to[strcspn(to, "\n")] = '\0';
    rung__buffer_finish(&text);
}
