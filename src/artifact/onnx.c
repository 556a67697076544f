/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/onnx.h"

#include <string.h>

#include <rung/types.h>

#include "artifact/protobuf.h"
#include "base/error.h"

/* Field numbers and element types are those of onnx.proto3, the format's published schema. */

/* The parsers of the runtimes give up at 100 messages inside one another. */
#define DEPTH_MAX 100u

/* Old exporters list every weight as an input too; large networks have several hundred. */
#define INPUTS_LISTED_MAX 2048u

/** The messages that may hold a tensor somewhere below. */
enum message { MODEL, GRAPH, NODE, ATTRIBUTE, TENSOR, SPARSE_TENSOR, TRAINING, FUNCTION };

static const struct link {
    enum message message;
    uint32_t field;
    enum message child;
} links[] = {
    {MODEL, 7, GRAPH},
    {MODEL, 20, TRAINING},
    {MODEL, 25, FUNCTION},
    {TRAINING, 1, GRAPH},
    {TRAINING, 2, GRAPH},
    {FUNCTION, 7, NODE},
    {FUNCTION, 11, ATTRIBUTE},
    {GRAPH, 1, NODE},
    {GRAPH, 5, TENSOR},
    {GRAPH, 15, SPARSE_TENSOR},
    {NODE, 5, ATTRIBUTE},
    {ATTRIBUTE, 5, TENSOR},
    {ATTRIBUTE, 6, GRAPH},
    {ATTRIBUTE, 10, TENSOR},
    {ATTRIBUTE, 11, GRAPH},
    {ATTRIBUTE, 22, SPARSE_TENSOR},
    {ATTRIBUTE, 23, SPARSE_TENSOR},
    {SPARSE_TENSOR, 1, TENSOR},
    {SPARSE_TENSOR, 2, TENSOR},
};

enum { MODEL_IR_VERSION = 1, MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum { GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12, GRAPH_SPARSE = 15 };
enum { TENSOR_NAME = 8, TENSOR_EXTERNAL_DATA = 13, TENSOR_DATA_LOCATION = 14 };
enum { SPARSE_VALUES = 1 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_INTEGER = 3 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2 };
enum { TYPE_TENSOR = 1, TENSOR_TYPE_ELEMENT = 1, TENSOR_TYPE_SHAPE = 2 };
enum { SHAPE_DIMENSION = 1, DIMENSION_VALUE = 1 };

static rung_result broken(void)
{
    return rung__fail(RUNG_INTEGRITY, "the graph is no well-formed ONNX file; export it again");
}

/* ---- external data, anywhere ------------------------------------------------------------- */

static const struct link *find_link(enum message message, const struct rung__proto_field *field)
{
    if (field->wire != RUNG__PROTO_BYTES)
        return NULL;
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        if (links[i].message == message && links[i].field == field->number)
            return &links[i];
    return NULL;
}

/* Any trace of it counts, an empty list entry too: nobody needs it in a file that holds all. */
static bool is_external(enum message message, const struct rung__proto_field *field)
{
    if (message != TENSOR)
        return false;
    if (field->number == TENSOR_DATA_LOCATION)
        return field->wire != RUNG__PROTO_VARINT || field->value != 0;
    return field->number == TENSOR_EXTERNAL_DATA;
}

/* A compiled context (EPContext) lies in the graph, or, with another "embed_mode", in a file that
 * the graph names. An integer that is left out is 0. */
static bool is_context_elsewhere(const struct link *link, struct rung__bytes attribute)
{
    static const char embed_mode[] = "embed_mode";
    struct rung__proto_field field;
    bool named = false;
    uint64_t value = 0;
    if (link->child != ATTRIBUTE)
        return false;
    while (rung__proto_next(&attribute, &field) == RUNG__PROTO_FIELD) {
        if (field.number == ATTRIBUTE_NAME && field.wire == RUNG__PROTO_BYTES)
            named = named || (field.bytes.size == sizeof embed_mode - 1 &&
                              memcmp(field.bytes.data, embed_mode, sizeof embed_mode - 1) == 0);
        if (field.number == ATTRIBUTE_INTEGER && field.wire == RUNG__PROTO_VARINT)
            value = field.value;
    }
    return named && value != 1;
}

static rung_result refuse_external(struct rung__bytes payload)
{
    struct {
        struct rung__bytes rest;
        enum message message;
    } stack[DEPTH_MAX] = {{payload, MODEL}};
    size_t depth = 1;

    while (depth) {
        struct rung__proto_field field;
        const enum message message = stack[depth - 1].message;
        const enum rung__proto_step step = rung__proto_next(&stack[depth - 1].rest, &field);
        if (step == RUNG__PROTO_BROKEN)
            return broken();
        if (step == RUNG__PROTO_END) {
            depth--;
            continue;
        }
        if (is_external(message, &field))
            return rung__fail(RUNG_INTEGRITY,
                              "a tensor of the graph refers to external data; a model file holds "
                              "everything itself, so save the graph as one file, as rung-model fix "
                              "does");
        const struct link *link = find_link(message, &field);
        if (!link)
            continue;
        if (is_context_elsewhere(link, field.bytes))
            return rung__fail(RUNG_INTEGRITY,
                              "a compiled context of the graph lies in another file; a model file "
                              "holds everything itself, so compile it with embed_mode 1");
        if (depth == DEPTH_MAX)
            return rung__fail(RUNG_INTEGRITY, "the graph is nested more than %u deep", DEPTH_MAX);
        stack[depth].rest = field.bytes;
        stack[depth++].message = link->child;
    }
    return RUNG_OK;
}

/* ---- one input or output ----------------------------------------------------------------- */

static uint32_t dtype_of_element(uint64_t element)
{
    static const struct {
        uint8_t element, dtype;
    } rows[] = {{1, RUNG_DTYPE_F32}, {2, RUNG_DTYPE_U8}, {3, RUNG_DTYPE_I8}, {10, RUNG_DTYPE_F16}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].element == element)
            return rows[i].dtype;
    return 0;
}

/* Gives each field of a message to `take`; `what` it takes it for is the message's own. */
typedef rung_result take_field(const struct rung__proto_field *field, void *to);

static rung_result each_field(struct rung__bytes message, take_field *take, void *to)
{
    struct rung__proto_field field;
    enum rung__proto_step step;
    rung_result result = RUNG_OK;
    while (result == RUNG_OK && (step = rung__proto_next(&message, &field)) != RUNG__PROTO_END)
        result = step == RUNG__PROTO_BROKEN ? broken() : take(&field, to);
    return result;
}

static rung_result take_dimension_field(const struct rung__proto_field *field, void *to)
{
    uint32_t *dimension = to;
    if (field->number == DIMENSION_VALUE && field->wire == RUNG__PROTO_VARINT)
        *dimension = field->value <= UINT32_MAX ? (uint32_t)field->value : 0;
    else
        *dimension = 0; /* a name instead of a number */
    return RUNG_OK;
}

static rung_result take_shape_field(const struct rung__proto_field *field, void *to)
{
    struct rung__tensor *tensor = to;
    if (field->number != SHAPE_DIMENSION || field->wire != RUNG__PROTO_BYTES)
        return RUNG_OK;
    if (tensor->rank == RUNG__TENSOR_RANK_MAX)
        return rung__fail(RUNG_INTEGRITY, "an input or output of the graph has a rank above %u",
                          RUNG__TENSOR_RANK_MAX);
    return each_field(field->bytes, take_dimension_field, &tensor->dims[tensor->rank++]);
}

static rung_result take_tensor_type_field(const struct rung__proto_field *field, void *to)
{
    struct rung__tensor *tensor = to;
    if (field->number == TENSOR_TYPE_ELEMENT && field->wire == RUNG__PROTO_VARINT)
        tensor->dtype = dtype_of_element(field->value);
    if (field->number == TENSOR_TYPE_SHAPE && field->wire == RUNG__PROTO_BYTES)
        return each_field(field->bytes, take_shape_field, tensor);
    return RUNG_OK;
}

static rung_result take_type_field(const struct rung__proto_field *field, void *to)
{
    if (field->number != TYPE_TENSOR || field->wire != RUNG__PROTO_BYTES)
        return RUNG_OK;
    return each_field(field->bytes, take_tensor_type_field, to);
}

static rung_result take_value_field(const struct rung__proto_field *field, void *to)
{
    struct rung__tensor *tensor = to;
    if (field->wire != RUNG__PROTO_BYTES)
        return RUNG_OK;
    if (field->number == VALUE_TYPE)
        return each_field(field->bytes, take_type_field, tensor);
    if (field->number != VALUE_NAME)
        return RUNG_OK;
    if (field->bytes.size > RUNG__TENSOR_NAME_MAX || !rung__bytes_are_text(field->bytes))
        return rung__fail(RUNG_INTEGRITY,
                          "an input or output of the graph has a name that is not at most %u bytes "
                          "of UTF-8",
                          RUNG__TENSOR_NAME_MAX);
    memset(tensor->name, 0, sizeof tensor->name);
    memcpy(tensor->name, field->bytes.data, field->bytes.size);
    return RUNG_OK;
}

static rung_result read_value(struct rung__bytes message, struct rung__tensor *out)
{
    *out = (struct rung__tensor){0};
    return each_field(message, take_value_field, out);
}

/* ---- the inputs that are none of the weights --------------------------------------------- */

/* The listed inputs by their names; those that turn out to be weights are marked. */
struct listing {
    struct rung__bytes values[INPUTS_LISTED_MAX]; /* ValueInfo messages */
    struct rung__bytes names[INPUTS_LISTED_MAX];
    bool is_weight[INPUTS_LISTED_MAX];
    uint32_t count;
    uint32_t next; /* weights mostly come in the order of the inputs: look here first */
};

/* The last occurrence of a text field counts, as in every protobuf parser. */
static rung_result find_text(struct rung__bytes message, uint32_t number, struct rung__bytes *out)
{
    struct rung__proto_field field;
    enum rung__proto_step step;
    *out = (struct rung__bytes){0};
    while ((step = rung__proto_next(&message, &field)) == RUNG__PROTO_FIELD)
        if (field.number == number && field.wire == RUNG__PROTO_BYTES)
            *out = field.bytes;
    return step == RUNG__PROTO_END ? RUNG_OK : broken();
}

static rung_result take_listed_input(const struct rung__proto_field *field, void *to)
{
    struct listing *listing = to;
    if (field->number != GRAPH_INPUT || field->wire != RUNG__PROTO_BYTES)
        return RUNG_OK;
    if (listing->count == INPUTS_LISTED_MAX)
        return rung__fail(RUNG_INTEGRITY, "the graph lists more than %u inputs", INPUTS_LISTED_MAX);
    const uint32_t i = listing->count++;
    listing->values[i] = field->bytes;
    return find_text(field->bytes, VALUE_NAME, &listing->names[i]);
}

static void mark_weight(struct listing *listing, struct rung__bytes name)
{
    for (uint32_t k = 0; k < listing->count; k++) {
        const uint32_t i = (listing->next + k) % listing->count;
        if (listing->names[i].size == name.size && name.size &&
            memcmp(listing->names[i].data, name.data, name.size) == 0) {
            listing->is_weight[i] = true;
            listing->next = i + 1;
            return;
        }
    }
}

static rung_result take_weight(const struct rung__proto_field *field, void *to)
{
    struct rung__bytes tensor = field->bytes, name;
    rung_result result = RUNG_OK;

    if (field->wire != RUNG__PROTO_BYTES)
        return RUNG_OK;
    if (field->number == GRAPH_SPARSE)
        result = find_text(field->bytes, SPARSE_VALUES, &tensor);
    else if (field->number != GRAPH_INITIALIZER)
        return RUNG_OK;
    if (result == RUNG_OK)
        result = find_text(tensor, TENSOR_NAME, &name);
    if (result == RUNG_OK)
        mark_weight(to, name);
    return result;
}

static rung_result read_inputs(const struct listing *listing, struct rung__onnx *out)
{
    const uint32_t room = sizeof out->inputs / sizeof out->inputs[0];
    for (uint32_t i = 0; i < listing->count; i++) {
        if (listing->is_weight[i])
            continue;
        if (out->input_count == room)
            return rung__fail(RUNG_INTEGRITY, "the graph has more than %u inputs", room);
        rung_result result = read_value(listing->values[i], &out->inputs[out->input_count++]);
        if (result != RUNG_OK)
            return result;
    }
    return RUNG_OK;
}

static rung_result take_output(const struct rung__proto_field *field, void *to)
{
    struct rung__onnx *out = to;
    if (field->number != GRAPH_OUTPUT || field->wire != RUNG__PROTO_BYTES)
        return RUNG_OK;
    if (out->output_count == RUNG__OUTPUTS_MAX)
        return rung__fail(RUNG_INTEGRITY, "the graph has more than %u outputs", RUNG__OUTPUTS_MAX);
    return read_value(field->bytes, &out->outputs[out->output_count++]);
}

static rung_result read_graph(struct rung__bytes graph, struct rung__onnx *out)
{
    struct listing listing;
    listing.count = listing.next = 0;
    memset(listing.is_weight, 0, sizeof listing.is_weight);

    rung_result result = each_field(graph, take_listed_input, &listing);
    if (result == RUNG_OK)
        result = each_field(graph, take_weight, &listing);
    if (result == RUNG_OK)
        result = read_inputs(&listing, out);
    if (result == RUNG_OK)
        result = each_field(graph, take_output, out);
    return result;
}

/* ---- the model --------------------------------------------------------------------------- */

struct opset {
    bool is_default;
    int64_t version;
};

static rung_result take_opset_field(const struct rung__proto_field *field, void *to)
{
    static const char alias[] = "ai.onnx";
    struct opset *opset = to;
    if (field->number == OPSET_DOMAIN && field->wire == RUNG__PROTO_BYTES)
        opset->is_default =
            field->bytes.size == 0 || (field->bytes.size == sizeof alias - 1 &&
                                       memcmp(field->bytes.data, alias, sizeof alias - 1) == 0);
    if (field->number == OPSET_VERSION && field->wire == RUNG__PROTO_VARINT)
        opset->version = (int64_t)field->value;
    return RUNG_OK;
}

struct model {
    struct rung__onnx *out;
    struct rung__bytes graph;
    uint32_t graphs;
};

static rung_result take_opset(struct rung__bytes message, struct rung__onnx *out)
{
    struct opset opset = {.is_default = true};
    rung_result result = each_field(message, take_opset_field, &opset);
    if (result != RUNG_OK || !opset.is_default)
        return result;
    if (out->opset != 0 && out->opset != opset.version)
        return rung__fail(RUNG_INTEGRITY, "the graph names two opsets of the default domain");
    out->opset = opset.version;
    return RUNG_OK;
}

static rung_result take_model_field(const struct rung__proto_field *field, void *to)
{
    struct model *model = to;
    if (field->number == MODEL_IR_VERSION && field->wire == RUNG__PROTO_VARINT)
        model->out->ir_version = (int64_t)field->value;
    if (field->wire != RUNG__PROTO_BYTES)
        return RUNG_OK;
    if (field->number == MODEL_OPSET)
        return take_opset(field->bytes, model->out);
    if (field->number == MODEL_GRAPH) {
        model->graph = field->bytes;
        model->graphs++;
    }
    return RUNG_OK;
}

rung_result rung__onnx_read(struct rung__bytes payload, struct rung__onnx *out)
{
    memset(out, 0, sizeof *out);
    rung_result result = refuse_external(payload);
    if (result != RUNG_OK)
        return result;

    struct model model = {.out = out};
    result = each_field(payload, take_model_field, &model);
    if (result != RUNG_OK)
        return result;
    if (model.graphs != 1)
        return rung__fail(RUNG_INTEGRITY, "the payload holds %u ONNX graphs, not one",
                          model.graphs);
    return read_graph(model.graph, out);
}
