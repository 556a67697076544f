/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit/tiny_onnx.h"
#include "fuzz.h"

#define OPSET 17

enum { GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 }; /* fields of onnx.proto3 */

static uint64_t element_of(uint32_t dtype)
{
    static const uint8_t elements[] = {
        [RUNG_DTYPE_F32] = 1, [RUNG_DTYPE_U8] = 2, [RUNG_DTYPE_I8] = 3, [RUNG_DTYPE_F16] = 10};
    return elements[dtype];
}

static void append_value(struct rung__buffer *graph, uint32_t field,
                         const struct rung__tensor *tensor)
{
    struct rung__buffer value = {0};
    int64_t dims[RUNG__TENSOR_RANK_MAX];
    for (uint32_t i = 0; i < tensor->rank; i++)
        dims[i] = tensor->dims[i];
    tiny_value(&value, tensor->name, element_of(tensor->dtype), dims, tensor->rank);
    proto_message(graph, field, &value);
}

void make_suiting_graph(const struct rung__tensors *tensors, struct rung__buffer *to)
{
    struct rung__buffer graph = {0};
    append_value(&graph, GRAPH_INPUT, &tensors->input);
    for (uint32_t i = 0; i < tensors->output_count; i++)
        append_value(&graph, GRAPH_OUTPUT, &tensors->outputs[i]);
    tiny_model(to, &graph, OPSET);
}
