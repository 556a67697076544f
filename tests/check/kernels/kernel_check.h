/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_CHECK_H
#define KERNEL_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../guard.h"
#include "../sweep.h"

/*
 * The check runner. An operation compares the kernels of one level of instructions with the scalar
 * oracle's, over random cases and the extremes, with all memory in front of guard pages; with
 * --bench it times both.
 */

/** One operation at one level. */
struct kernel_check {
    uint64_t flags;    /**< of the level, for rung__…_init */
    const char *level; /**< its name */
    struct sweep sweep;
    uint64_t cases;  /**< how many were compared */
    uint32_t effort; /**< 1; more: so many times the random cases */
    bool failed;     /**< nothing more is compared */
};

/**
 * Counts a case, whose bytes must be the oracle's. The text says which case it is, as printf;
 * printed with the seed when it fails. True while nothing has failed.
 */
__attribute__((format(printf, 5, 6))) bool kernel_check_same(struct kernel_check *check,
                                                             const void *actual,
                                                             const void *expected, size_t size,
                                                             const char *format, ...);

/**
 * Times `run` with flags 0 and the level's alternately and prints both medians and the median of
 * the ratios with their range.
 */
void kernel_check_time(const struct kernel_check *check, const char *what,
                       void (*run)(void *user, uint64_t flags), void *user);

#endif
