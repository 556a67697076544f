/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_CLOCK_H
#define RUNG__BASE_CLOCK_H

#include <stdint.h>

/** Nanoseconds of the monotonic clock. */
uint64_t rung__clock_now(void);

/** No deadline, wherever a deadline is a monotonic time in nanoseconds. */
#define RUNG__CLOCK_NEVER UINT64_MAX

#endif
