/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wait.h"

#include "base/clock.h"

#if defined(__linux__)

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t second = 1000000000;

/* The kernel compares 32 bits at the address. */
_Static_assert(sizeof(atomic_uint) == 4, "a number that is waited for has 32 bits");

/** With a deadline on the monotonic clock, which only the form with a mask takes. */
bool rung__wait(atomic_uint *number, uint32_t value, uint64_t deadline)
{
    struct timespec at = {(time_t)(deadline / second), (long)(deadline % second)};
    const int saved = errno;
    const long error =
        syscall(SYS_futex, number, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, value,
                deadline == RUNG__CLOCK_NEVER ? NULL : &at, NULL, FUTEX_BITSET_MATCH_ANY);
    const bool passed = error == -1 && errno == ETIMEDOUT;
    errno = saved;
    return !passed;
}

static void wake(atomic_uint *number, int most)
{
    (void)syscall(SYS_futex, number, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, most, NULL, NULL, 0);
}

void rung__wake_one(atomic_uint *number)
{
    wake(number, 1);
}

void rung__wake_all(atomic_uint *number)
{
    wake(number, INT_MAX);
}

#else

/* Systems that tell no application how to wait for a number: all who wait share one condition. */
#include "base/thread.h"

static struct rung__mutex mutex = RUNG__MUTEX_INITIALIZER;
static struct rung__condition condition = {PTHREAD_COND_INITIALIZER};

bool rung__wait(atomic_uint *number, uint32_t value, uint64_t deadline)
{
    bool in_time = true;
    rung__mutex_lock(&mutex);
    if (atomic_load(number) == value)
        in_time = rung__condition_wait(&condition, &mutex, deadline);
    rung__mutex_unlock(&mutex);
    return in_time;
}

void rung__wake_all(atomic_uint *number)
{
    (void)number;
    rung__mutex_lock(&mutex);
    rung__condition_broadcast(&condition);
    rung__mutex_unlock(&mutex);
}

void rung__wake_one(atomic_uint *number)
{
    rung__wake_all(number); /* who is woken for another number looks and waits again */
}

#endif
