/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/select.h"

void rung__select_init(struct rung__select_kernels *kernels, uint64_t cpu_flags)
{
    (void)cpu_flags; /* there is the oracle alone so far */
    kernels->run = rung__select_c;
}
