/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_KERNEL_SET_H
#define RUNG__STAGE_KERNEL_SET_H

#include <stddef.h>
#include <stdint.h>

/** One choice of kernels: what the functions rung__…_init of kernel/ fill for these flags. */
struct rung__kernel_set {
    const char *name;
    uint64_t cpu_flags;
};

/**
 * The sets that this machine can run, the scalar oracles first; NULL past the end. All of them give
 * the same bytes.
 */
const struct rung__kernel_set *rung__kernel_set(size_t index);

#endif
