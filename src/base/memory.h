/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_MEMORY_H
#define RUNG__BASE_MEMORY_H

#include <stdint.h>

/** What vector code and runtimes like memory to be aligned to. */
#define RUNG__ALIGNMENT 64u

/** Bytes that processors fetch at once, or two halves of. */
#define RUNG__CACHE_LINE 64u

/** A size as a multiple of the alignment. */
static inline uint64_t rung__align(uint64_t size)
{
    return (size + RUNG__ALIGNMENT - 1) / RUNG__ALIGNMENT * RUNG__ALIGNMENT;
}

/** New memory that is aligned so, at least one byte; NULL: there is none. End it with free. */
void *rung__memory_new(uint64_t size);

#endif
