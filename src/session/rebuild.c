/* SPDX-License-Identifier: Apache-2.0 */
#include "session/rebuild.h"

#include "base/clock.h"
#include "base/error.h"
#include "session/context.h"
#include "session/place.h"
#include "session/tickets.h"

#define MS          UINT64_C(1000000)
#define BACKOFF_MIN (250 * MS)
#define BACKOFF_MAX (8000 * MS)

uint64_t rung__rebuild_backoff(uint64_t waited)
{
    if (waited == 0)
        return BACKOFF_MIN;
    return waited < BACKOFF_MAX / 2 ? 2 * waited : BACKOFF_MAX;
}

static void plan_next_try(struct rung__loss *loss)
{
    loss->wait_ns = rung__rebuild_backoff(loss->wait_ns);
    atomic_store(&loss->next, rung__clock_now() + loss->wait_ns);
}

void rung__loss_note(struct rung_context *context)
{
    struct rung__loss *loss = &context->loss;
    if (atomic_load(&loss->lost))
        return;
    rung__model_lose_serving(context->model, context->serving);
    loss->wait_ns = 0;
    plan_next_try(loss);
    atomic_fetch_add(&loss->count, 1);
    atomic_store(&loss->lost, true);
    rung__log_write(&context->model->instance->log, RUNG_LOG_WARNING,
                    "%s lost its device on %s: %s", context->model->artifact.view.header.name,
                    context->serving->rung->id, rung_last_error());
    if (context->tickets)
        rung__worker_ring(context->tickets); /* it sleeps till then, if this is another thread */
}

rung_result rung__loss_tell(const struct rung_context *context)
{
    return rung__fail(RUNG_DEVICE_LOST,
                      "%s has lost its device; rung_context_rebuild moves the context on",
                      context->model->artifact.view.header.name);
}

rung_result rung__rebuild(struct rung_context *context)
{
    struct rung__loss *loss = &context->loss;
    const struct rung__log *log = &context->model->instance->log;
    const char *name = context->model->artifact.view.header.name;
    rung__place_finish(context);
    const rung_result result = rung__place_init(context, NULL);
    if (result != RUNG_OK) {
        rung__place_finish(context);
        plan_next_try(loss);
        rung__log_write(log, RUNG_LOG_WARNING, "%s could not be rebuilt: %s", name,
                        rung_last_error());
        return result;
    }
    atomic_fetch_add(&loss->rebuilt, 1);
    atomic_store(&loss->lost, false);
    rung__log_write(log, RUNG_LOG_WARNING, "%s was rebuilt and goes on on %s: %s", name,
                    context->serving->rung->id, context->serving->reason);
    return RUNG_OK;
}

uint64_t rung__rebuild_due(const struct rung_context *context)
{
    const struct rung__loss *loss = &context->loss;
    return context->options.flags & RUNG_CONTEXT_REBUILD && atomic_load(&loss->lost)
               ? atomic_load(&loss->next)
               : RUNG__CLOCK_NEVER;
}

rung_result rung__loss_check(struct rung_context *context)
{
    if (!atomic_load_explicit(&context->loss.lost, memory_order_relaxed))
        return RUNG_OK;
    if (!context->tickets && rung__clock_now() >= rung__rebuild_due(context) &&
        rung__rebuild(context) == RUNG_OK)
        return RUNG_OK;
    return rung__loss_tell(context);
}

rung_result rung_context_rebuild(rung_context *context)
{
    if (!context)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_context_rebuild: context is NULL");
    if (!rung__use_try(&context->use))
        return rung__fail(RUNG_BUSY, "rung_context_rebuild: the context is at work");
    const rung_result result =
        atomic_load(&context->loss.lost)
            ? rung__rebuild(context)
            : rung__fail(RUNG_STATE, "rung_context_rebuild: the context has its device");
    rung__use_end(&context->use);
    return result;
}
