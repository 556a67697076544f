/* SPDX-License-Identifier: Apache-2.0 */
#include "handover.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/service.h"

/** Adds one, and wakes who waits for that. */
static void tell(atomic_uint *number)
{
    atomic_fetch_add(number, 1);
    syscall(SYS_futex, number, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}

static void wait_beyond(atomic_uint *number, unsigned value)
{
    while (atomic_load(number) == value)
        syscall(SYS_futex, number, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void *answer(void *argument)
{
    struct handover *handover = argument;
    struct rung__service service;
    rung__service_claim(&service); /* as the thread of a context has it */
    for (unsigned number = 0;; number++) {
        wait_beyond(&handover->there, number);
        if (handover->ending)
            return NULL;
        tell(&handover->back);
    }
}

void handover_begin(struct handover *handover)
{
    *handover = (struct handover){0};
    if (pthread_create(&handover->thread, NULL, answer, handover) != 0)
        exit(3);
}

void handover_once(struct handover *handover)
{
    const unsigned before = atomic_load(&handover->back);
    tell(&handover->there);
    wait_beyond(&handover->back, before);
}

void handover_end(struct handover *handover)
{
    handover->ending = true;
    tell(&handover->there);
    pthread_join(handover->thread, NULL);
}
