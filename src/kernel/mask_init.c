/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/mask.h"

void rung__mask_init(struct rung__mask_kernels *kernels, uint64_t cpu_flags)
{
    (void)cpu_flags; /* there is the oracle alone so far */
    kernels->run = rung__mask_c;
}
