/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a context one by one, for those who compose them by hand. */
#include <rung/plan.h>

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "session/run.h"
#include "stage/pre/pre.h"

static rung_result check_tensor(const char *function, const rung_context *context,
                                const void *tensor)
{
    if (!context)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: context is NULL", function);
    if ((uintptr_t)tensor % RUNG__ALIGNMENT)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: the tensor is not %u-byte aligned", function,
                          RUNG__ALIGNMENT);
    return RUNG_OK;
}

/** In a context that is in use by the caller. */
static rung_result preprocess(struct rung_context *context, const rung_frame *frame, void *tensor)
{
    struct rung__lane *lane = &context->lanes[0];
    rung_result result = rung__run_place(context, lane, frame);
    if (result == RUNG_OK)
        result = rung__run_begin_reading(context, lane);
    struct rung__pre_request request = {
        .canvas = &context->model->artifact.view.header.canvas,
        .placement = &lane->run.placement,
        .surface = &lane->run.surface,
        .tensor = tensor, /* no readiness: it waits before it returns */
    };
    if (result == RUNG_OK)
        result = rung__stage_run(&context->stages, RUNG__STAGE_PREPROCESS, &request);
    rung__run_end_reading(lane);
    return result;
}

rung_result rung_preprocess(rung_context *context, const rung_frame *frame, rung_span tensor,
                            size_t *needed)
{
    rung_result result = check_tensor("rung_preprocess", context, tensor.data);
    if (result == RUNG_OK && (!frame || (!tensor.data && tensor.size)))
        result = rung__fail(RUNG_INVALID_ARGUMENT, "rung_preprocess: an argument is NULL");
    if (result != RUNG_OK)
        return result;
    const uint64_t size = rung__tensor_bytes(&context->model->artifact.view.header.canvas);
    if (needed)
        *needed = (size_t)size;
    if (tensor.size < size)
        return rung__fail(RUNG_CAPACITY,
                          "rung_preprocess: the tensor has %llu bytes, and %zu are given",
                          (unsigned long long)size, tensor.size);
    result = rung__context_enter(context);
    if (result != RUNG_OK)
        return result;
    result = preprocess(context, frame, tensor.data);
    rung__context_leave(context);
    return result;
}

rung_result rung_run(rung_context *context, const void *tensor, size_t size)
{
    rung_result result = check_tensor("rung_run", context, tensor);
    if (result == RUNG_OK && !tensor)
        result = rung__fail(RUNG_INVALID_ARGUMENT, "rung_run: tensor is NULL");
    if (result != RUNG_OK)
        return result;
    const uint64_t bytes = rung__tensor_bytes(&context->model->artifact.view.header.canvas);
    if (size != bytes)
        return rung__fail(
            RUNG_INVALID_ARGUMENT, "rung_run: the tensor of %s has %llu bytes, and %zu are given",
            context->model->artifact.view.header.name, (unsigned long long)bytes, size);
    result = rung__context_enter(context);
    if (result != RUNG_OK)
        return result;
    result = rung__run_take(context, &context->lanes[0], tensor);
    if (result == RUNG_OK)
        result = rung__run_model(context, &context->lanes[0]);
    rung__context_leave(context);
    return result;
}

rung_result rung_postprocess(rung_context *context, const rung_frame *frame, rung_span packet,
                             size_t *needed)
{
    if (!context || !frame || (!packet.data && packet.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_postprocess: an argument is NULL");
    if ((uintptr_t)packet.data % 8)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_postprocess: the packet is not 8-byte aligned");
    rung_result result = rung__context_enter(context);
    if (result != RUNG_OK)
        return result;
    result = rung__run_answer(context, frame, packet, needed);
    if (result == RUNG_OK)
        rung__epochs_mark(context, packet.data);
    rung__context_leave(context);
    return result;
}
