/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A runtime takes some hundred megabytes before the first detection, a third of the time until then
 * went into the faults of 30,000 small pages. The allocator's own switch for large pages is read
 * from the environment only, so its heap is grown once, advised, and kept.
 */
#include "heap.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* What a detector at work on two CPUs takes. Address space: only what is used becomes memory. */
#define RESERVE_BYTES ((size_t)256 << 20)

/* Of the kernel; elsewhere a multiple of the page, which is all that is asked. */
#define LARGE_PAGE_BYTES ((size_t)2 << 20)

/* The most that glibc takes. Larger blocks, such as photographs of 11 megapixels, come and go. */
#define LARGEST_OF_HEAP (32 << 20)

#define MMAP_MAX_OF_GLIBC 65536

void heap_prepare(void)
{
    mallopt(M_ARENA_MAX, 1);            /* the heap of all threads */
    mallopt(M_TRIM_THRESHOLD, INT_MAX); /* pages that were made are kept */
    mallopt(M_MMAP_MAX, 0);             /* for now, so that the reserve is heap */
    char *reserve = malloc(RESERVE_BYTES);
    if (reserve) {
        const size_t skip = -(uintptr_t)reserve % LARGE_PAGE_BYTES;
        const size_t whole = (RESERVE_BYTES - skip) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES;
        madvise(reserve + skip, whole, MADV_HUGEPAGE);
        free(reserve);
    }
    mallopt(M_MMAP_MAX, MMAP_MAX_OF_GLIBC);
    mallopt(M_MMAP_THRESHOLD, LARGEST_OF_HEAP);
}
