/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_BENCH_HANDOVER_H
#define RUNG_BENCH_HANDOVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The least that work on another thread can cost: a second thread that sleeps in a futex is woken,
 * and wakes the first, which sleeps meanwhile. */

struct handover {
    pthread_t thread;
    atomic_uint there, back;
    atomic_bool ending;
};

void handover_begin(struct handover *handover);
/** There and back once. */
void handover_once(struct handover *handover);
void handover_end(struct handover *handover);

#endif
