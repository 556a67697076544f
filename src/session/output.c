/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/tensors.h"
#include "base/error.h"
#include "session/context.h"
#include "session/structure.h"

rung_result rung_context_get_output(const rung_context *context, uint32_t index,
                                    rung_output *caller_output)
{
    if (!context)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_context_get_output: context is NULL");
    const struct rung__model_report *report = &context->serving->report;
    if (index >= report->output_count)
        return rung__fail(RUNG_NOT_FOUND, "%s has %u outputs; there is none at %u",
                          context->model->artifact.view.header.name, report->output_count, index);
    const struct rung__lane *lane = &context->lanes[0];
    const struct rung__tensor *tensor = &report->outputs[index];
    const rung_output output = {
        .name = tensor->name,
        .numbers = lane->widened[index] ? lane->widened[index]
                                        : (const float *)lane->memory.outputs[index],
        .count = rung__tensor_elements(tensor),
    };
    return rung__structure_write(caller_output, &output, sizeof output, "rung_output");
}
