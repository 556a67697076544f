/* SPDX-License-Identifier: Apache-2.0 */
#include "session/context.h"

#include <stdlib.h>

#include "artifact/heads.h"
#include "base/error.h"
#include "session/calibration.h"
#include "session/reserve.h"
#include "session/stages.h"
#include "session/structure.h"

#define KNOWN_FLAGS (RUNG_CONTEXT_OVERRIDE_CALIBRATION | RUNG_CONTEXT_STAY | RUNG_CONTEXT_SERIES)

/** The stages that the plan comes to here. */
static rung_result stage(struct rung_context *context, const rung_context_options *options,
                         const struct rung__context_stages *given)
{
    const struct rung_model *model = context->model;
    struct rung__staging *staging = &context->staging;
    rung_result result = rung__staging_init(
        staging,
        &(struct rung__stage_environment){
            .instance = model->instance,
            .model = model,
            .serving = context->serving,
            .selection =
                model->artifact.view.header.role == RUNG_ROLE_DETECTOR ? &context->selection : NULL,
            .in_series = options->flags & RUNG_CONTEXT_SERIES,
            .plan = options->plan,
            .fixed = given ? given->plan : NULL,
        });
    if (result == RUNG_OK)
        result = rung__stage_set_init(&context->stages, given ? given->catalog : &rung__catalog,
                                      &staging->plan, &staging->context, &staging->records,
                                      &model->instance->log);
    return result;
}

/** What the role needs behind the model. */
static rung_result prepare_answer(struct rung_context *context)
{
    const struct rung__artifact_view *view = &context->model->artifact.view;
    if (view->header.role == RUNG_ROLE_SEGMENTER)
        return rung__mask_form_read(&view->header, &view->tensors, &context->mask);
    return RUNG_OK;
}

static rung_result read_options(const rung_context_options *caller_options,
                                rung_context_options *options)
{
    rung_result result =
        rung__structure_read(options, sizeof *options, caller_options, "rung_context_options");
    if (result != RUNG_OK)
        return result;
    if (options->flags & ~(uint32_t)KNOWN_FLAGS)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_context_options.flags: unknown bits %#x",
                          options->flags & ~(uint32_t)KNOWN_FLAGS);
    return RUNG_OK;
}

/** On what serves the model by now; a job keeps one identity from its start to its end. */
static rung_result start(struct rung_context *context, const rung_context_options *options,
                         const struct rung__context_stages *given)
{
    rung_result result = rung__model_take_serving(context->model, options, &context->serving);
    if (result == RUNG_OK)
        result = stage(context, options, given);
    if (result != RUNG_OK)
        return result;
    const struct rung__implementation *buffer =
        context->stages.resolutions[RUNG__STAGE_BUFFER].effective;
    const uint32_t lanes = rung__buffer_slots(buffer);
    while (context->lane_count < lanes && result == RUNG_OK) {
        struct rung__lane *lane = &context->lanes[context->lane_count++];
        result = rung__lane_init(lane, context);
    }
    return result;
}

rung_result rung__context_create(rung_model *model, const rung_context_options *caller_options,
                                 const struct rung__context_stages *given, rung_context **out)
{
    rung_context_options options;
    if (!model || !out)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_context_create: an argument is NULL");
    *out = NULL;
    rung_result result = read_options(caller_options, &options);
    if (result != RUNG_OK)
        return result;
    struct rung_context *context = calloc(1, sizeof *context);
    if (!context)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
    context->model = model;
    result = rung__calibrate(&model->artifact.view.header, &options, &context->selection,
                             &context->overridden);
    if (result == RUNG_OK)
        result = start(context, &options, given);
    if (result == RUNG_OK)
        result = prepare_answer(context);
    if (result == RUNG_OK)
        result = rung__reserve(context, options.max_frame_width, options.max_frame_height);
    if (result != RUNG_OK) {
        rung_context_destroy(context);
        return result;
    }
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

void rung_context_destroy(rung_context *context)
{
    if (!context)
        return;
    for (uint32_t i = 0; i < context->lane_count; i++)
        rung__lane_finish(&context->lanes[i], context);
    rung__stage_set_finish(&context->stages);
    rung__staging_finish(&context->staging);
    if (context->serving)
        rung__model_return_serving(context->model, context->serving);
    free(context);
}
