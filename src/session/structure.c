/* SPDX-License-Identifier: Apache-2.0 */
#include "session/structure.h"

#include <string.h>

#include <rung/types.h>

#include "base/error.h"

struct head {
    uint32_t struct_size, version;
};

static rung_result check(const void *theirs, const char *name, struct head *head)
{
    memcpy(head, theirs, sizeof *head);
    if (head->struct_size < sizeof *head)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "%s.struct_size is %u; set it to sizeof(%s) before the call", name,
                          head->struct_size, name);
    if (head->version != RUNG_STRUCT_VERSION)
        return rung__fail(RUNG_VERSION, "%s.version is %u; this library knows version %u", name,
                          head->version, RUNG_STRUCT_VERSION);
    return RUNG_OK;
}

rung_result rung__structure_read(void *to, size_t size, const void *from, const char *name)
{
    struct head head = {(uint32_t)size, RUNG_STRUCT_VERSION};
    memset(to, 0, size);
    if (from) {
        rung_result result = check(from, name, &head);
        if (result != RUNG_OK)
            return result;
        const size_t whole = head.struct_size & ~(size_t)7; /* of a pointer there is no half */
        memcpy(to, from, whole < size ? whole : size);
    }
    head.struct_size = (uint32_t)size;
    memcpy(to, &head, sizeof head);
    return RUNG_OK;
}

rung_result rung__structure_check_flags(uint32_t flags, uint32_t known, const char *name)
{
    const uint32_t unknown = flags & ~known;
    return unknown ? rung__fail(RUNG_INVALID_ARGUMENT, "%s.flags: unknown bits %#x", name, unknown)
                   : RUNG_OK;
}

rung_result rung__structure_write(void *to, const void *from, size_t size, const char *name)
{
    struct head head;
    if (!to)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s is NULL", name);
    rung_result result = check(to, name, &head);
    if (result != RUNG_OK)
        return result;
    size_t shared = head.struct_size < size ? head.struct_size : size;
    memcpy((char *)to + sizeof head, (const char *)from + sizeof head, shared - sizeof head);
    return RUNG_OK;
}
