/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/preprocess.h"

void rung__preprocess_init(struct rung__preprocess_kernels *kernels, uint64_t cpu_flags)
{
    (void)cpu_flags; /* there is the oracle alone so far */
    kernels->run = rung__preprocess_c;
}
