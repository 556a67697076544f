/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wait.h"

#include <windows.h>

#include "base/clock.h"

static const uint64_t millisecond = 1000000;

/* The system's deadline is a time from now, in milliseconds. */
bool rung__wait(atomic_uint *number, uint32_t value, uint64_t deadline)
{
    const uint64_t now = rung__clock_now();
    DWORD ms = INFINITE;
    if (deadline != RUNG__CLOCK_NEVER && deadline <= now)
        return atomic_load(number) != value;
    if (deadline != RUNG__CLOCK_NEVER) {
        const uint64_t left = (deadline - now + millisecond - 1) / millisecond;
        ms = left < INFINITE ? (DWORD)left : INFINITE - 1;
    }
    return WaitOnAddress((volatile void *)number, &value, sizeof value, ms) ||
           GetLastError() != ERROR_TIMEOUT;
}

void rung__wake_one(atomic_uint *number)
{
    WakeByAddressSingle((void *)number);
}

void rung__wake_all(atomic_uint *number)
{
    WakeByAddressAll((void *)number);
}
