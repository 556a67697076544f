/* SPDX-License-Identifier: Apache-2.0 */
#include "session/place.h"

#include <string.h>

#include "artifact/heads.h"
#include "session/reserve.h"
#include "session/stages.h"

/** The stages that the plan comes to here. */
static rung_result stage(struct rung_context *context, const struct rung__context_stages *given)
{
    const rung_context_options *options = &context->options;
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
    staging->context.ledger = &context->metrics.ledger;
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

static rung_result make_lanes(struct rung_context *context,
                              const struct rung__context_stages *given)
{
    rung_result result = stage(context, given);
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

/** What a report tells of meanwhile, nobody reads. */
static rung_result start(struct rung_context *context, const struct rung__context_stages *given)
{
    rung__mutex_lock(&context->metrics.told);
    context->metrics.serving = context->serving;
    const rung_result result = make_lanes(context, given);
    rung__mutex_unlock(&context->metrics.told);
    return result;
}

rung_result rung__place_init(struct rung_context *context, const struct rung__context_stages *given)
{
    /* On what serves the model by now; a job keeps one identity from its start to its end. */
    rung_result result =
        rung__model_take_serving(context->model, &context->options, &context->serving);
    if (result == RUNG_OK)
        result = start(context, given);
    if (result == RUNG_OK)
        result = prepare_answer(context);
    if (result == RUNG_OK)
        result = rung__reserve(context, context->options.max_frame_width,
                               context->options.max_frame_height);
    if (result == RUNG_OK)
        rung__background_prepare(context->model);
    return result;
}

void rung__place_finish(struct rung_context *context)
{
    rung__mutex_lock(&context->metrics.told);
    for (uint32_t i = 0; i < context->lane_count; i++)
        rung__lane_finish(&context->lanes[i], context);
    memset(context->lanes, 0, sizeof context->lanes);
    context->lane_count = 0;
    rung__stage_set_finish(&context->stages);
    memset(&context->stages, 0, sizeof context->stages);
    rung__staging_finish(&context->staging);
    memset(&context->staging, 0, sizeof context->staging);
    rung__mutex_unlock(&context->metrics.told);
    if (context->serving)
        rung__model_return_serving(context->model, context->serving);
    context->serving = NULL;
}
