/* SPDX-License-Identifier: Apache-2.0 */
#include "session/context.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/heads.h"
#include "artifact/tensors.h"
#include "base/error.h"
#include "base/memory.h"
#include "session/calibration.h"
#include "session/structure.h"

#define KNOWN_FLAGS (RUNG_CONTEXT_OVERRIDE_CALIBRATION | RUNG_CONTEXT_STAY)

static void *allocate(uint64_t count, size_t size, bool *complete)
{
    void *memory = count <= SIZE_MAX ? calloc((size_t)count, size) : NULL;
    *complete = *complete && memory;
    return memory;
}

rung_result rung__context_reserve(struct rung_context *context,
                                  const struct rung__placement *placement)
{
    uint64_t bytes = rung__preprocess_workspace(
        &context->model->preprocess, &context->model->artifact.view.header.canvas, placement);
    if (bytes <= context->preprocess_workspace_bytes)
        return RUNG_OK;
    void *memory = rung__memory_new(bytes);
    if (!memory)
        return rung__fail(RUNG_NO_MEMORY, "no memory to preprocess a frame of %u × %u pixels",
                          placement->crop.width, placement->crop.height);
    free(context->preprocess_workspace);
    context->preprocess_workspace = memory;
    context->preprocess_workspace_bytes = bytes;
    return RUNG_OK;
}

static rung_result reserve_for_largest(struct rung_context *context,
                                       const rung_context_options *options)
{
    const struct rung__canvas *canvas = &context->model->artifact.view.header.canvas;
    struct rung__crop whole = {0, 0, options->max_frame_width, options->max_frame_height};
    struct rung__placement placement;
    if (!whole.width && !whole.height)
        whole = (struct rung__crop){0, 0, canvas->width, canvas->height};
    if (!whole.width || !whole.height || whole.width > RUNG__FRAME_SIDE_MAX ||
        whole.height > RUNG__FRAME_SIDE_MAX)
        return rung__fail(
            RUNG_INVALID_ARGUMENT,
            "rung_context_options: the largest frame is %u × %u; both 0, or both 1..%u",
            whole.width, whole.height, RUNG__FRAME_SIDE_MAX);
    rung__fit(canvas, &whole, &placement);
    return rung__context_reserve(context, &placement);
}

/** Ties each purpose of the head to the model's output of the declared name. */
static bool connect_outputs(struct rung_context *context)
{
    const struct rung__model_report *report = &context->serving->report;
    const struct rung__tensors *declared = &context->model->artifact.view.tensors;
    bool complete = true;
    for (uint32_t i = 0; i < report->output_count; i++) {
        const void *data = context->memory.outputs[i];
        if (report->outputs[i].dtype != RUNG_DTYPE_F32) {
            context->widened[i] =
                allocate(rung__tensor_elements(&report->outputs[i]), sizeof(float), &complete);
            data = context->widened[i];
        }
        for (uint32_t d = 0; d < declared->output_count; d++) {
            const struct rung__tensor *tensor = &declared->outputs[d];
            if (strcmp(tensor->name, report->outputs[i].name) == 0)
                context->request.outputs[tensor->purpose] = (struct rung__values){data, tensor};
        }
    }
    return complete;
}

static void allocate_detection(struct rung_context *context, bool *complete)
{
    const struct rung__header *header = &context->model->artifact.view.header;
    const struct rung__selection *selection = &context->selection;
    uint32_t points = rung__head_points(header->head);
    context->request.canvas = &header->canvas;
    context->request.selection = selection;
    context->request.tensors = &context->model->artifact.view.tensors;
    context->decoded.candidates =
        allocate(selection->capacity, sizeof *context->decoded.candidates, complete);
    if (points)
        context->decoded.points =
            allocate((uint64_t)selection->capacity * points, 2 * sizeof(int32_t), complete);
    context->selected.order = allocate(selection->max_targets, sizeof(uint32_t), complete);
    context->select_workspace =
        allocate(rung__select_workspace(selection, selection->capacity), 1, complete);
}

/** What the role needs behind the model. */
static rung_result prepare_answer(struct rung_context *context)
{
    const struct rung__artifact_view *view = &context->model->artifact.view;
    bool complete = connect_outputs(context);
    if (view->header.role == RUNG_ROLE_DETECTOR)
        allocate_detection(context, &complete);
    if (!complete)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
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
static rung_result start(struct rung_context *context, const rung_context_options *options)
{
    rung_result result = rung__model_take_serving(context->model, options, &context->serving);
    if (result != RUNG_OK)
        return result;
    return context->serving->rung->provider->create_context(context->serving->loaded,
                                                            &context->memory, &context->running);
}

rung_result rung_context_create(rung_model *model, const rung_context_options *caller_options,
                                rung_context **out)
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
        result = start(context, &options);
    if (result == RUNG_OK)
        result = prepare_answer(context);
    if (result == RUNG_OK)
        result = reserve_for_largest(context, &options);
    if (result != RUNG_OK) {
        rung_context_destroy(context);
        return result;
    }
    *out = context;
    return RUNG_OK;
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
    if (context->running)
        context->serving->rung->provider->destroy_context(context->running);
    if (context->serving)
        rung__model_return_serving(context->model, context->serving);
    for (size_t i = 0; i < RUNG__OUTPUTS_MAX; i++)
        free(context->widened[i]);
    free(context->decoded.candidates);
    free(context->decoded.points);
    free(context->selected.order);
    free(context->select_workspace);
    free(context->preprocess_workspace);
    free(context);
}
