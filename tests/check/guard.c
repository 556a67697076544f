/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void require(int condition, const char *call)
{
    if (!condition) {
        perror(call);
        exit(1);
    }
}

struct guarded guard_bytes(size_t size, uint8_t pattern)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t usable = (size + page - 1) / page * page;
    struct guarded guarded = {.size = size, .mapped = usable + page};
    guarded.mapping =
        mmap(NULL, guarded.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(guarded.mapping != MAP_FAILED, "mmap");
    require(mprotect((uint8_t *)guarded.mapping + usable, page, PROT_NONE) == 0, "mprotect");
    guarded.bytes = (uint8_t *)guarded.mapping + usable - size;
    memset(guarded.bytes, pattern, size);
    return guarded;
}

struct guarded guard_around(void *bytes, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t usable = (size + page - 1) / page * page;
    return (struct guarded){.bytes = bytes,
                            .size = size,
                            .mapping = (uint8_t *)bytes + size - usable,
                            .mapped = usable + page};
}

void guard_free(struct guarded *guarded)
{
    munmap(guarded->mapping, guarded->mapped);
    *guarded = (struct guarded){0};
}
