/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <stdlib.h>

void *rung__memory_new(uint64_t size)
{
    if (size > PTRDIFF_MAX - RUNG__ALIGNMENT)
        return NULL;
    return aligned_alloc(RUNG__ALIGNMENT, (size_t)rung__align(size ? size : 1));
}
