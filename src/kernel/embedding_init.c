/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/embedding.h"

void rung__embedding_init(struct rung__embedding_kernels *kernels, uint64_t cpu_flags)
{
    (void)cpu_flags; /* there is the oracle alone so far */
    kernels->normalise = rung__normalise_c;
}
