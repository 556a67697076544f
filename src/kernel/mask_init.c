/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/cpu_flags.h"
#include "kernel/mask.h"

void rung__mask_init(struct rung__mask_kernels *kernels, uint64_t cpu_flags)
{
    (void)cpu_flags;
    kernels->run = rung__mask_c;
#if RUNG__HAVE_X86
    if (cpu_flags & RUNG__CPU_AVX2)
        kernels->run = rung__mask_avx2;
    if (cpu_flags & RUNG__CPU_AVX512)
        kernels->run = rung__mask_avx512;
#endif
#if RUNG__HAVE_NEON
    if (cpu_flags & RUNG__CPU_NEON)
        kernels->run = rung__mask_neon;
#endif
}
