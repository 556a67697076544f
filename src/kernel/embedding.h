/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_EMBEDDING_H
#define RUNG__KERNEL_EMBEDDING_H

#include <stdint.h>

/** The index of the first number that is infinite or none, told from the bits; `count`: there is
 * none. */
uint32_t rung__embedding_find_not_finite(const float *values, uint32_t count);

/** Divides finite numbers by their L2 norm (docs/packets.md); numbers that are all 0 stay so. */
typedef void rung__normalise_fn(const float *values, uint32_t count, float *to);

/** The scalar oracle. */
rung__normalise_fn rung__normalise_c;
rung__normalise_fn rung__normalise_avx2;
rung__normalise_fn rung__normalise_neon;

struct rung__embedding_kernels {
    rung__normalise_fn *normalise;
};

void rung__embedding_init(struct rung__embedding_kernels *kernels, uint64_t cpu_flags);

#endif
