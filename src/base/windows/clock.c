/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <windows.h>

#include "base/wait.h"

uint64_t rung__clock_now(void)
{
    LARGE_INTEGER frequency, ticks; /* neither call fails since Windows XP */
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    uint64_t a_second = (uint64_t)frequency.QuadPart, now = (uint64_t)ticks.QuadPart;
    /* In two parts: the product of the whole would overflow after some days. */
    return now / a_second * 1000000000u + now % a_second * 1000000000u / a_second;
}

uint32_t rung__wait_milliseconds(uint64_t deadline)
{
    uint64_t now = rung__clock_now();
    if (deadline == RUNG__CLOCK_NEVER)
        return INFINITE;
    if (now >= deadline)
        return 0;
    uint64_t rounded_up = (deadline - now - 1) / 1000000u + 1;
    return rounded_up < INFINITE ? (uint32_t)rounded_up : INFINITE - 1;
}
