/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_CHILD_H
#define RUNG__BASE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/process.h"

/** A child process that leads its group, and our ends of its streams, which never block. */
struct rung__child {
    pid_t id;
    intptr_t input, output, errors; /**< 0 when closed */
    intptr_t watch; /**< becomes readable when it ends; 0 where there is no such thing */
};

enum rung__child_state {
    RUNG__CHILD_RUNS,
    RUNG__CHILD_ENDED, /**< and waits to be collected, so its number is still its own */
    RUNG__CHILD_LOST   /**< somebody else collected it */
};

/** Returns once the program runs. Results: OK, NOT_FOUND, IO, NO_MEMORY. */
rung_result rung__child_start(const struct rung__process_options *options,
                              struct rung__child *child);

enum rung__child_state rung__child_state(const struct rung__child *child);

/** Kills what is left of its group. Only while its state is not LOST. */
void rung__child_kill(const struct rung__child *child);

/** Collects it and returns its wait status, 0 when it did not end. */
int rung__child_collect(const struct rung__child *child);

/** Closes our ends. */
void rung__child_close(struct rung__child *child);

#endif
