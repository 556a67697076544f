/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/cpu_flags.h"
#include "kernel/embedding.h"

void rung__embedding_init(struct rung__embedding_kernels *kernels, uint64_t cpu_flags)
{
    (void)cpu_flags;
    kernels->normalise = rung__normalise_c;
#if RUNG__HAVE_X86
    if (cpu_flags & RUNG__CPU_AVX2)
        kernels->normalise = rung__normalise_avx2;
#endif
#if RUNG__HAVE_NEON
    if (cpu_flags & RUNG__CPU_NEON)
        kernels->normalise = rung__normalise_neon;
#endif
}
