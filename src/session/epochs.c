/* SPDX-License-Identifier: Apache-2.0 */
#include "session/epochs.h"

#include <rung/targets.h>

#include "base/error.h"
#include "session/context.h"
#include "session/structure.h"

rung_result rung_context_set_epochs(rung_context *context, const rung_epochs *callers)
{
    rung_epochs epochs;
    if (!context || !callers)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_context_set_epochs: an argument is NULL");
    rung_result result = rung__structure_read(&epochs, sizeof epochs, callers, "rung_epochs");
    if (result != RUNG_OK)
        return result;
    atomic_store_explicit(&context->epochs.session, epochs.session_epoch, memory_order_relaxed);
    atomic_store_explicit(&context->epochs.transform, epochs.transform_epoch, memory_order_relaxed);
    atomic_store_explicit(&context->epochs.topology, epochs.topology_epoch, memory_order_relaxed);
    return RUNG_OK;
}

static bool is_current(const _Atomic uint64_t *epoch, uint64_t of_packet)
{
    const uint64_t now = atomic_load_explicit(epoch, memory_order_relaxed);
    return now == 0 || now == of_packet;
}

void rung__epochs_mark(const struct rung_context *context, void *packet)
{
    const struct rung__epochs *epochs = &context->epochs;
    rung_packet_header *header = packet;
    if (is_current(&epochs->session, header->session_epoch) &&
        is_current(&epochs->transform, header->transform_epoch) &&
        is_current(&epochs->topology, header->topology_epoch) &&
        header->model_epoch == atomic_load_explicit(&context->loss.rebuilt, memory_order_relaxed))
        return;
    header->flags |= RUNG_PACKET_STALE;
    if (header->space == RUNG_SPACE_EMBEDDING || header->space == RUNG_SPACE_MASK)
        return;
    rung_target *targets = (rung_target *)(header + 1);
    for (uint32_t i = 0; i < header->count; i++) {
        targets[i].flags &= ~(uint32_t)RUNG_TARGET_ACTIONABLE;
        targets[i].capabilities = 0;
    }
}
