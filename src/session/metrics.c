/* SPDX-License-Identifier: Apache-2.0 */
#include "session/metrics.h"

#include <string.h>

#include "base/clock.h"
#include "session/context.h"

/* One thread writes, so that adding needs no exchange. */
static void add_to(_Atomic uint64_t *count, uint64_t number)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + number,
                          memory_order_relaxed);
}

static void add(struct rung__metrics *metrics, enum rung__count which, uint64_t number)
{
    add_to(&metrics->counts[which], number);
}

uint64_t rung__metrics_count(const struct rung__metrics *metrics, enum rung__count which)
{
    return atomic_load_explicit(&metrics->counts[which], memory_order_relaxed);
}

static void note_times(struct rung__metrics *metrics, const struct rung__run *run)
{
    const uint64_t ns[RUNG__PARTS] = {
        [RUNG__PART_PREPROCESS] = run->preprocess_ns,
        [RUNG__PART_RUN] = run->run_ns,
        [RUNG__PART_POSTPROCESS] = run->finished - run->answered,
        [RUNG__PART_WHOLE] = run->finished - run->started,
    };
    for (uint32_t part = 0; part < RUNG__PARTS; part++)
        if (metrics->has_first)
            rung__histogram_add(&metrics->steady[part], ns[part]);
        else
            atomic_store_explicit(&metrics->first[part], ns[part], memory_order_relaxed);
    metrics->has_first = true;
}

void rung__metrics_note(struct rung_context *context, const struct rung__lane *lane,
                        rung_result result)
{
    struct rung__metrics *metrics = &context->metrics;
    if (result == RUNG_CANCELLED) /* counted as such when it is acknowledged */
        return;
    if (result != RUNG_OK) {
        add(metrics, RUNG__COUNT_FAILURES, 1);
        return;
    }
    const bool copied = lane->run.tensor != lane->memory.input;
    note_times(metrics, &lane->run);
    add(metrics, RUNG__COUNT_FRAMES, 1);
    add(metrics, copied ? RUNG__COUNT_COPIES : RUNG__COUNT_IMPORTS, 1);
    add(metrics, RUNG__COUNT_COPIED_BYTES, copied ? lane->memory.input_bytes : 0);
    add(metrics, RUNG__COUNT_WIDENED_BYTES, lane->widened_bytes);
}

void rung__metrics_note_cancel(struct rung__metrics *metrics, uint64_t ns)
{
    atomic_store_explicit(&metrics->cancel_ns, ns, memory_order_relaxed);
    add_to(&metrics->cancels, 1);
}

void rung__metrics_begin(struct rung_context *context)
{
    struct rung__metrics *metrics = &context->metrics;
    rung__mutex_lock(&metrics->told);
    for (uint32_t i = 0; i < RUNG__COUNTS; i++)
        atomic_store_explicit(&metrics->counts[i], 0, memory_order_relaxed);
    memset(metrics->steady, 0, sizeof metrics->steady);
    metrics->allocations_before = metrics->ledger.allocations;
    metrics->hand_overs_before = metrics->ledger.hand_overs;
    rung__energy_read(rung__instance_hardware_root(context->model->instance), &metrics->energy);
    metrics->began = rung__clock_now();
    rung__mutex_unlock(&metrics->told);
}
