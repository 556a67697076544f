/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_COUNTING_H
#define RUNG_TEST_COUNTING_H

#include <stdbool.h>

/*
 * Counts what a hot path must not do, between two marks, for us and for others apart. A program
 * that is linked with this library before libc has its calls, and those of all that it loads, come
 * here first. A call that libc makes counts for whom libc works there: strdup's for who called it.
 * A function that ends with such a call may leave the call to look as if its own caller made it.
 */

enum counted_kind {
    COUNTED_MEMORY, /**< allocating and freeing, of the heap and of pages */
    COUNTED_LOCKS,  /**< mutexes, conditions, semaphores, locks of readers and writers, barriers */
    COUNTED_FILES,  /**< opened, libraries among them */
    COUNTED_ENVIRONMENT,
    COUNTED_THREADS, /**< started */
    COUNTED_KINDS
};

/** Forgets what was counted and counts from here on, calls of all threads. */
void counting_begin(void);
/** The same of the calling thread alone. */
void counting_begin_here(void);
void counting_end(void);

/** The calls of a kind, ours or those of others. */
unsigned counted(enum counted_kind kind, bool ours);

/** A line on standard output for each function of ours or of others that was called; for ours also
 * where the first calls came from. */
void counting_print(bool ours);

#endif
