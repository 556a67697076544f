/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/tensors.h"
#include "base/error.h"
#include "session/context.h"
#include "session/structure.h"

/** In a context that is in use by the caller. */
static rung_result describe(const struct rung_context *context, uint32_t index, rung_output *output)
{
    const struct rung__model_report *report = &context->serving->report;
    if (index >= report->output_count)
        return rung__fail(RUNG_NOT_FOUND, "%s has %u outputs; there is none at %u",
                          context->model->artifact.view.header.name, report->output_count, index);
    const struct rung__lane *lane = &context->lanes[0];
    const struct rung__tensor *tensor = &report->outputs[index];
    const rung_output ours = {
        .name = tensor->name,
        .numbers = lane->widened[index] ? lane->widened[index]
                                        : (const float *)lane->memory.outputs[index],
        .count = rung__tensor_elements(tensor),
    };
    return rung__structure_write(output, &ours, sizeof ours, "rung_output");
}

rung_result rung_context_get_output(rung_context *context, uint32_t index, rung_output *output)
{
    if (!context)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_context_get_output: context is NULL");
    rung_result result = rung__context_enter(context);
    if (result != RUNG_OK)
        return result;
    result = describe(context, index, output);
    rung__context_leave(context);
    return result;
}
