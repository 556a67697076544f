/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an ONNX graph. What is accepted is within the bounds that the reader promises. */
#include "artifact/onnx.h"
#include "fuzz.h"

static void require_value(const struct rung__tensor *tensor)
{
    const size_t room = sizeof tensor->name;
    const size_t length = strnlen(tensor->name, room);
    REQUIRE(length < room);
    REQUIRE(rung__bytes_are_text((struct rung__bytes){(const uint8_t *)tensor->name, length}));
    REQUIRE(tensor->rank <= RUNG__TENSOR_RANK_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rung__onnx graph;
    if (rung__onnx_read((struct rung__bytes){data, size}, &graph) != RUNG_OK)
        return 0;
    REQUIRE(graph.input_count <= sizeof graph.inputs / sizeof *graph.inputs);
    REQUIRE(graph.output_count <= RUNG__OUTPUTS_MAX);
    for (uint32_t i = 0; i < graph.input_count; i++)
        require_value(&graph.inputs[i]);
    for (uint32_t i = 0; i < graph.output_count; i++)
        require_value(&graph.outputs[i]);
    return 0;
}
