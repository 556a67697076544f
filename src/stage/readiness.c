/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/readiness.h"

#include <stddef.h>

#include "base/error.h"

rung_result rung__readiness_enter(struct rung__readiness *readiness, const void *buffer,
                                  uint64_t generation, struct rung__ready_event event)
{
    for (uint32_t i = 0; i < RUNG__READINESS_MAX; i++)
        if (!readiness->entries[i].buffer) {
            readiness->entries[i] = (struct rung__readiness_entry){buffer, generation, event};
            return RUNG_OK;
        }
    return rung__fail(RUNG_CAPACITY, "%u tensors are on their way already", RUNG__READINESS_MAX);
}

void rung__readiness_wait(struct rung__readiness *readiness, const void *buffer,
                          uint64_t generation)
{
    for (uint32_t i = 0; i < RUNG__READINESS_MAX; i++) {
        struct rung__readiness_entry *entry = &readiness->entries[i];
        if (entry->buffer != buffer || entry->generation != generation)
            continue;
        const struct rung__ready_event event = entry->event;
        entry->buffer = NULL; /* once */
        event.wait(event.user);
        return;
    }
}
