/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_WAIT_H
#define RUNG__BASE_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Waiting for a number in memory to change, without a mutex. Whoever changes it wakes those who
 * wait, behind the change.
 */

/**
 * Waits while the number is `value`, until it is woken. False when `deadline` (monotonic ns, or
 * RUNG__CLOCK_NEVER) passed. It returns for no reason at times: look again.
 */
bool rung__wait(atomic_uint *number, uint32_t value, uint64_t deadline);
void rung__wake_one(atomic_uint *number);
void rung__wake_all(atomic_uint *number);

#endif
