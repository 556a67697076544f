/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process.h"

#include <windows.h>

uint64_t rung__process_id(void)
{
    return GetCurrentProcessId();
}

/* Nothing here names a start; a try that was left running is then never taken for a strike. */
void rung__process_boot(char to[RUNG__BOOT_BYTES])
{
    to[0] = '\0';
}
