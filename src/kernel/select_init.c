/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/cpu_flags.h"
#include "kernel/select.h"

void rung__select_init(struct rung__select_kernels *kernels, uint64_t cpu_flags)
{
    (void)cpu_flags;
    kernels->workspace_bytes = rung__select_workspace_c;
    kernels->run = rung__select_c;
#if RUNG__HAVE_X86
    if (cpu_flags & RUNG__CPU_AVX2)
        rung__select_init_avx2(kernels);
    if (cpu_flags & RUNG__CPU_AVX512)
        rung__select_init_avx512(kernels);
#endif
#if RUNG__HAVE_NEON
    if (cpu_flags & RUNG__CPU_NEON)
        rung__select_init_neon(kernels);
#endif
}
