/* SPDX-License-Identifier: Apache-2.0 */
#include "session/lane.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/tensors.h"
#include "kernel/exact.h"
#include "session/context.h"

static void *allocate(struct rung__lane *lane, uint64_t count, size_t size, bool *complete)
{
    void *memory = count <= SIZE_MAX ? calloc((size_t)count, size) : NULL;
    if (memory)
        lane->entered_bytes += count * size;
    *complete = *complete && memory;
    return memory;
}

/** Ties each purpose of the head to the model's output of the declared name. */
static bool connect_outputs(struct rung__lane *lane, const struct rung_context *context)
{
    const struct rung__model_report *report = &context->serving->report;
    const struct rung__tensors *declared = &context->model->artifact.view.tensors;
    bool complete = true;
    for (uint32_t i = 0; i < report->output_count; i++) {
        const void *data = lane->memory.outputs[i];
        if (report->outputs[i].dtype != RUNG_DTYPE_F32) {
            const uint64_t count = rung__tensor_elements(&report->outputs[i]);
            lane->widened[i] = allocate(lane, count, sizeof(float), &complete);
            lane->widened_bytes += count * sizeof(float);
            data = lane->widened[i];
        }
        for (uint32_t d = 0; d < declared->output_count; d++) {
            const struct rung__tensor *tensor = &declared->outputs[d];
            if (strcmp(tensor->name, report->outputs[i].name) == 0)
                lane->request.outputs[tensor->purpose] = (struct rung__values){data, tensor};
        }
    }
    return complete;
}

static void allocate_detection(struct rung__lane *lane, const struct rung_context *context,
                               bool *complete)
{
    const struct rung__artifact_view *view = &context->model->artifact.view;
    const struct rung__selection *selection = &context->selection;
    const uint32_t points = rung__head_points(view->header.head);
    lane->request.canvas = &view->header.canvas;
    lane->request.selection = selection;
    lane->request.tensors = &view->tensors;
    lane->decoded.candidates =
        allocate(lane, selection->capacity, sizeof *lane->decoded.candidates, complete);
    if (points)
        lane->decoded.points =
            allocate(lane, (uint64_t)selection->capacity * points, 2 * sizeof(int32_t), complete);
    lane->selected.order = allocate(lane, selection->max_targets, sizeof(uint32_t), complete);
}

rung_result rung__lane_init(struct rung__lane *lane, const struct rung_context *context)
{
    rung_result result = context->serving->rung->provider->create_context(
        context->serving->loaded, &lane->memory, &lane->running);
    if (result != RUNG_OK)
        return result;
    bool complete = connect_outputs(lane, context);
    if (context->model->artifact.view.header.role == RUNG_ROLE_DETECTOR)
        allocate_detection(lane, context, &complete);
    rung__ledger_allocated(context->stages.context.ledger, 0, lane->entered_bytes);
    return complete ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for a context");
}

void rung__lane_finish(struct rung__lane *lane, const struct rung_context *context)
{
    if (lane->running)
        context->serving->rung->provider->destroy_context(lane->running);
    for (size_t i = 0; i < RUNG__OUTPUTS_MAX; i++)
        free(lane->widened[i]);
    free(lane->decoded.candidates);
    free(lane->decoded.points);
    free(lane->selected.order);
    rung__ledger_freed(context->stages.context.ledger, lane->entered_bytes);
}

void rung__lane_widen(struct rung__lane *lane, const struct rung_context *context)
{
    const struct rung__model_report *report = &context->serving->report;
    for (uint32_t i = 0; i < report->output_count; i++) {
        float *to = lane->widened[i];
        const uint64_t bytes = lane->memory.output_bytes[i];
        const uint8_t *from = lane->memory.outputs[i];
        if (!to)
            continue;
        switch (report->outputs[i].dtype) {
        case RUNG_DTYPE_F16:
            for (uint64_t n = 0; n < bytes / 2; n++)
                to[n] = rung__f16_to_f32(rung__get_u16(from + 2 * n));
            break;
        case RUNG_DTYPE_I8:
            for (uint64_t n = 0; n < bytes; n++)
                to[n] = (float)(int8_t)from[n];
            break;
        default:
            for (uint64_t n = 0; n < bytes; n++)
                to[n] = (float)from[n];
        }
    }
}
