/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_PROCESS_H
#define RUNG__BASE_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rung/result.h>

#include "base/bytes.h"

/** How a child is run. */
struct rung__process_options {
    const char *const *arguments; /**< NULL-ended; [0] is the path of the program, never searched */
    const char *const *environment; /**< NULL-ended "NAME=value"; NULL: the parent's */
    struct rung__bytes input;       /**< given on standard input, then end of file */
    size_t output_limit; /**< bytes kept of each stream; what is more is read and dropped */
    uint64_t deadline;   /**< monotonic ns, or RUNG__CLOCK_NEVER */
    bool low_priority;
    const atomic_bool *cancel; /**< once it is true the child is killed; NULL: never */
};

/** How it ended. */
enum rung__process_end {
    RUNG__PROCESS_EXITED,    /**< `code` is the exit status */
    RUNG__PROCESS_SIGNALLED, /**< `code` is the signal's number */
    RUNG__PROCESS_TIMEOUT,   /**< it and its descendants in its process group were killed */
    RUNG__PROCESS_CANCELLED  /**< so they were, as was asked for */
};

struct rung__process_outcome {
    enum rung__process_end end;
    int code;
    bool output_cut, errors_cut; /**< output_limit was reached */
    struct rung__buffer output, errors;
};

/**
 * Runs a program to its end or its deadline. The child leads a process group of its own, holds no
 * descriptor but its three streams, and dies with the calling thread where the system can arrange
 * it. What it leaves behind in its group is killed when it has ended, after a moment in which the
 * rest of its output is read. Results: OK (it ran, see `outcome`), NOT_FOUND, IO, NO_MEMORY. End
 * with rung__process_finish.
 */
rung_result rung__process_run(const struct rung__process_options *options,
                              struct rung__process_outcome *outcome);
void rung__process_finish(struct rung__process_outcome *outcome);

/** One line on how it ended, such as "killed by signal 11 (Segmentation fault)". */
void rung__process_describe(const struct rung__process_outcome *outcome, char *to, size_t size);

/** The number of this process. */
uint64_t rung__process_id(void);

#define RUNG__BOOT_BYTES 64

/** Tells one start of the machine from another; "" when the system does not say. */
void rung__process_boot(char to[RUNG__BOOT_BYTES]);

#endif
