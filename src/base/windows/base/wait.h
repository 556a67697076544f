/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_WAIT_H
#define RUNG__BASE_WAIT_H

#include <stdint.h>

/**
 * The system's time-out for a monotonic deadline: INFINITE for RUNG__CLOCK_NEVER, else
 * milliseconds, rounded up so that a wait that ran out has also reached its deadline.
 */
uint32_t rung__wait_milliseconds(uint64_t deadline);

#endif
