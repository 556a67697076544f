/* SPDX-License-Identifier: Apache-2.0 */
#include "session/context.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/heads.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "session/calibration.h"
#include "session/place.h"
#include "session/structure.h"
#include "session/tickets.h"

#define KNOWN_FLAGS                                                                                \
    (RUNG_CONTEXT_OVERRIDE_CALIBRATION | RUNG_CONTEXT_STAY | RUNG_CONTEXT_SERIES |                 \
     RUNG_CONTEXT_TICKETS | RUNG_CONTEXT_REBUILD)

static rung_result read_options(const rung_context_options *caller_options,
                                rung_context_options *options)
{
    rung_result result =
        rung__structure_read(options, sizeof *options, caller_options, "rung_context_options");
    if (result == RUNG_OK)
        result = rung__structure_check_flags(options->flags, KNOWN_FLAGS, "rung_context_options");
    if (result != RUNG_OK)
        return result;
    if (options->depth > RUNG__DEPTH_MAX || options->request_frames > RUNG__REQUEST_FRAMES_MAX)
        return rung__fail(
            RUNG_INVALID_ARGUMENT,
            "rung_context_options: depth is %u and request_frames %u; at most %u and %u",
            options->depth, options->request_frames, RUNG__DEPTH_MAX, RUNG__REQUEST_FRAMES_MAX);
    return RUNG_OK;
}

/** The texts of the options are copied: a rebuild reads them once more. */
static rung_result keep_options(struct rung_context *context, const rung_context_options *options)
{
    context->options = *options;
    context->options.identity = context->options.plan = NULL;
    if (options->identity)
        context->options.identity = rung__text_new("%s", options->identity);
    if (options->plan)
        context->options.plan = rung__text_new("%s", options->plan);
    if ((options->identity && !context->options.identity) ||
        (options->plan && !context->options.plan))
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
    return RUNG_OK;
}

rung_result rung__context_create(rung_model *model, const rung_context_options *caller_options,
                                 const struct rung__context_stages *given, rung_context **out)
{
    const uint64_t began = rung__clock_now();
    rung_context_options options;
    if (!model || !out)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_context_create: an argument is NULL");
    *out = NULL;
    rung_result result = read_options(caller_options, &options);
    if (result != RUNG_OK)
        return result;
    struct rung_context *context = rung__memory_new(sizeof *context);
    if (!context)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
    memset(context, 0, sizeof *context);
    context->model = model;
    context->fence_ms = RUNG__FENCE_MS;
    rung__mutex_init(&context->metrics.told);
    result = keep_options(context, &options);
    if (result == RUNG_OK)
        result = rung__calibrate(&model->artifact.view.header, &context->options,
                                 &context->selection, &context->overridden);
    if (result == RUNG_OK)
        result = rung__place_init(context, given);
    if (result == RUNG_OK && options.flags & RUNG_CONTEXT_TICKETS)
        result = rung__tickets_create(context, &context->tickets);
    if (result != RUNG_OK) {
        rung_context_destroy(context);
        return result;
    }
    rung__metrics_begin(context);
    context->metrics.created_ns = context->metrics.began - began;
    *out = context;
    return RUNG_OK;
}

rung_result rung_context_create(rung_model *model, const rung_context_options *options,
                                rung_context **out)
{
    return rung__context_create(model, options, NULL, out);
}

rung_result rung_context_get_max_output_bytes(const rung_context *context, uint64_t *out)
{
    if (!context || !out)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_context_get_max_output_bytes: an argument is NULL");
    struct rung__header header = context->model->artifact.view.header;
    header.selection = context->selection;
    *out = rung__head_packet_bytes(&header);
    return RUNG_OK;
}

rung_result rung__context_enter(rung_context *context)
{
    if (!rung__use_try(&context->use))
        return rung__fail(RUNG_BUSY, "the context is at work on another frame; several contexts of "
                                     "a model may run side by side");
    const rung_result result = rung__loss_check(context);
    if (result != RUNG_OK)
        rung__use_end(&context->use);
    return result;
}

void rung__context_leave(rung_context *context)
{
    rung__use_end(&context->use);
}

void rung_context_destroy(rung_context *context)
{
    if (!context)
        return;
    struct rung_model *model = context->model;
    const bool was_made = context->metrics.created_ns != 0;
    const uint64_t began = rung__clock_now();
    rung__tickets_destroy(context->tickets);
    rung__place_finish(context);
    free((char *)context->options.identity);
    free((char *)context->options.plan);
    rung__mutex_finish(&context->metrics.told);
    free(context);
    if (was_made)
        atomic_store(&model->teardown_ns, rung__clock_now() - began);
}
