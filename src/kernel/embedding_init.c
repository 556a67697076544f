/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/cpu_flags.h"
#include "kernel/embedding.h"

void rung__embedding_init(struct rung__embedding_kernels *kernels, uint64_t cpu_flags)
{
    (void)cpu_flags; /* on x86-64 there is the oracle alone */
    kernels->normalise = rung__normalise_c;
#if RUNG__HAVE_NEON
    if (cpu_flags & RUNG__CPU_NEON)
        kernels->normalise = rung__normalise_neon;
#endif
}
