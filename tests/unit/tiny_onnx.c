/* SPDX-License-Identifier: Apache-2.0 */
#include "tiny_onnx.h"

#include <stdio.h>
#include <stdlib.h>

enum { FLOAT = 1, UINT8 = 2, ATTRIBUTE_INT = 2, ATTRIBUTE_TENSOR = 4, IR_VERSION = 8 };

static void append(struct rung__buffer *to, const void *data, size_t size)
{
    if (rung__buffer_append(to, data, size) != RUNG_OK)
        abort();
}

static void raw_varint(struct rung__buffer *to, uint64_t value)
{
    do {
        const uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        append(to, &byte, 1);
        value >>= 7;
    } while (value);
}

void proto_varint(struct rung__buffer *to, uint32_t field, uint64_t value)
{
    raw_varint(to, (uint64_t)field << 3);
    raw_varint(to, value);
}

void proto_bytes(struct rung__buffer *to, uint32_t field, struct rung__bytes bytes)
{
    raw_varint(to, (uint64_t)field << 3 | 2);
    raw_varint(to, bytes.size);
    if (bytes.size)
        append(to, bytes.data, bytes.size);
}

void proto_text(struct rung__buffer *to, uint32_t field, const char *text)
{
    proto_bytes(to, field, (struct rung__bytes){(const uint8_t *)text, strlen(text)});
}

void proto_message(struct rung__buffer *to, uint32_t field, struct rung__buffer *part)
{
    proto_bytes(to, field, rung__buffer_bytes(part));
    rung__buffer_finish(part);
}

void tiny_value(struct rung__buffer *to, const char *name, uint64_t element, const int64_t *dims,
                uint32_t rank)
{
    struct rung__buffer shape = {0}, tensor = {0}, type = {0};
    for (uint32_t i = 0; i < rank; i++) {
        struct rung__buffer dimension = {0};
        if (dims[i] > 0)
            proto_varint(&dimension, 1, (uint64_t)dims[i]);
        else if (dims[i] == 0)
            proto_text(&dimension, 2, "n");
        proto_message(&shape, 1, &dimension);
    }
    proto_varint(&tensor, 1, element);
    proto_message(&tensor, 2, &shape);
    proto_message(&type, 1, &tensor);
    proto_text(to, 1, name);
    proto_message(to, 2, &type);
}

void tiny_tensor(struct rung__buffer *to, const char *name, const int64_t *dims, uint32_t rank,
                 const float *values, size_t count)
{
    struct rung__buffer raw = {0};
    for (uint32_t i = 0; i < rank; i++)
        proto_varint(to, 1, (uint64_t)dims[i]);
    proto_varint(to, 2, FLOAT);
    proto_text(to, 8, name);
    append(&raw, NULL, 4 * count);
    for (size_t i = 0; values && i < count; i++)
        rung__put_f32(raw.data + 4 * i, values[i]);
    proto_message(to, 9, &raw);
}

void tiny_model(struct rung__buffer *to, struct rung__buffer *graph, uint64_t opset)
{
    struct rung__buffer import = {0};
    proto_varint(to, 1, IR_VERSION);
    proto_text(to, 2, "rung tests");
    proto_message(to, 7, graph);
    proto_text(&import, 1, "");
    proto_varint(&import, 2, opset);
    proto_message(to, 8, &import);
}

/* A Constant node that gives the rows. */
static void constant_node(struct rung__buffer *graph, const struct tiny_rows *model,
                          const char *output)
{
    const int64_t dims[] = {1, model->row_count, 6};
    struct rung__buffer tensor = {0}, attribute = {0}, node = {0};
    tiny_tensor(&tensor, "", dims, 3, model->rows, 6 * (size_t)model->row_count);
    proto_text(&attribute, 1, "value");
    proto_message(&attribute, 5, &tensor);
    proto_varint(&attribute, 20, ATTRIBUTE_TENSOR);
    proto_text(&node, 2, output);
    proto_text(&node, 4, "Constant");
    proto_message(&node, 5, &attribute);
    proto_message(graph, 1, &node);
}

/** A node of one output and one or two inputs (`second` may be NULL), with `attribute`, if any. */
static void plain_node(struct rung__buffer *graph, const char *type, const char *first,
                       const char *second, const char *output, struct rung__buffer *attribute)
{
    struct rung__buffer node = {0};
    proto_text(&node, 1, first);
    if (second)
        proto_text(&node, 1, second);
    proto_text(&node, 2, output);
    proto_text(&node, 4, type);
    if (attribute)
        proto_message(&node, 5, attribute);
    proto_message(graph, 1, &node);
}

/** The rows and nothing: the greatest number of the picture, times 0, through the steps. */
static void answer_by_steps(struct rung__buffer *graph, const struct tiny_rows *model)
{
    static const float nothing = 0;
    struct rung__buffer weight = {0}, attribute = {0};
    char from[16] = "step0", to[16];
    constant_node(graph, model, "kept");
    tiny_tensor(&weight, "nothing", NULL, 0, &nothing, 1);
    proto_message(graph, 5, &weight);
    proto_text(&attribute, 1, "keepdims");
    proto_varint(&attribute, 3, 0);
    proto_varint(&attribute, 20, ATTRIBUTE_INT);
    plain_node(graph, "ReduceMax", model->input, NULL, "greatest", &attribute);
    plain_node(graph, "Mul", "greatest", "nothing", from, NULL);
    for (uint32_t i = 1; i <= model->steps; i++) {
        snprintf(to, sizeof to, "step%u", i);
        plain_node(graph, "Sin", from, NULL, to, NULL);
        memcpy(from, to, sizeof from);
    }
    plain_node(graph, "Add", "kept", from, model->output, NULL);
}

void tiny_rows(struct rung__buffer *to, const struct tiny_rows *model)
{
    const int64_t planar[] = {1, 3, model->height, model->width};
    const int64_t bgra[] = {1, model->height, model->width, 4};
    const int64_t output[] = {1, model->row_count, 6};
    struct rung__buffer graph = {0}, value = {0}, weight = {0};

    if (model->steps)
        answer_by_steps(&graph, model);
    else
        constant_node(&graph, model, model->output);
    proto_text(&graph, 2, "tiny");
    if (model->ballast) {
        const int64_t dims[] = {(int64_t)(model->ballast / 4)};
        tiny_tensor(&weight, "ballast", dims, 1, NULL, model->ballast / 4);
        proto_message(&graph, 5, &weight);
    }
    tiny_value(&value, model->input, model->bgra ? UINT8 : FLOAT, model->bgra ? bgra : planar, 4);
    proto_message(&graph, 11, &value);
    tiny_value(&value, model->output, FLOAT, output, 3);
    proto_message(&graph, 12, &value);
    tiny_model(to, &graph, model->opset);
}
