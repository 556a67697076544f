/* SPDX-License-Identifier: Apache-2.0 */
#include "heap.h"

void heap_prepare(void)
{
    /* This C library chooses by itself. */
}
