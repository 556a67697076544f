/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/vectors_reader.h"

#include <string.h>

#include "artifact/heads.h"
#include "artifact/tensors.h"
#include "base/error.h"
#include "kernel/exact.h"

/* The model's outputs of a decode or e2e case. */

#define ELEMENTS_MAX   ((uint32_t)(RUNG__VECTORS_BYTES_MAX / sizeof(float)))
#define INJECTIONS_MAX 65536u

/* ---- parameters: those of a spec file ---------------------------------------------------------
 */

/** Gives the place of the next parameter's values. */
static uint8_t *add_parameter(struct rung__vectors_decode *decode,
                              const struct rung__parameter_kind *kind, uint32_t count)
{
    struct rung__tensors *tensors = &decode->tensors;
    uint8_t *bytes = decode->parameters[tensors->parameter_count];
    tensors->parameters[tensors->parameter_count++] =
        (struct rung__parameter){kind->key, kind->type, count, {bytes, 4 * (size_t)count}};
    return bytes;
}

/** One value of a list: f32 is written as its bits. */
static uint32_t read_value(struct rung__json_reader *reader,
                           const struct rung__parameter_kind *kind, const json_t *array, size_t i)
{
    if (kind->type == RUNG__PARAMETER_U32)
        return (uint32_t)rung__vectors_item(reader, kind->name, array, i, kind->low, kind->high);
    const uint32_t bits =
        (uint32_t)rung__vectors_bits(reader, kind->name, json_array_get(array, i), 8);
    if (!rung__parameter_takes(kind, (double)rung__f32_from_bits(bits)))
        rung__json_refuse(reader, "\"%s\"[%zu] must be above %u, and at most %u", kind->name, i,
                          kind->low, kind->high);
    return bits;
}

/** A list may be empty: the head then has no such parameter. */
static void read_list(struct rung__vectors_decode *decode, struct rung__json_reader *reader,
                      const struct rung__parameter_kind *kind)
{
    const json_t *array = rung__vectors_array(reader, kind->name, 0, kind->count_max);
    const uint32_t count = (uint32_t)json_array_size(array);
    uint8_t *bytes = count > 0 ? add_parameter(decode, kind, count) : NULL;
    for (size_t i = 0; i < count; i++)
        rung__put_u32(bytes + 4 * i, read_value(reader, kind, array, i));
}

/** A single stride may be written without a list. */
static void read_stride(struct rung__vectors_decode *decode, struct rung__json_reader *reader)
{
    const struct rung__parameter_kind *kind = rung__parameter_kind_of(RUNG__PARAMETER_STRIDES);
    if (rung__json_member(reader, kind->name))
        rung__json_refuse(reader, "\"stride\" and \"%s\" exclude each other", kind->name);
    const uint64_t stride =
        rung__json_u64(reader, "stride", kind->low, kind->high, true, kind->low);
    rung__put_u32(add_parameter(decode, kind, 1), (uint32_t)stride);
}

static void read_parameters(struct rung__vectors_decode *decode, struct rung__json_reader *reader)
{
    struct rung__json_reader inner;
    rung__vectors_enter(reader, "parameters", &inner);
    for (size_t i = 0; i < rung__parameter_kind_count; i++) {
        const struct rung__parameter_kind *kind = &rung__parameter_kinds[i];
        if (!rung__json_member(&inner, kind->name))
            continue;
        if (kind->is_flag)
            rung__put_u32(add_parameter(decode, kind, 1),
                          rung__json_bool(&inner, kind->name, true, false));
        else
            read_list(decode, &inner, kind);
    }
    if (rung__json_member(&inner, "stride"))
        read_stride(decode, &inner);
    rung__vectors_leave(reader, &inner);
}

/* ---- tensors --------------------------------------------------------------------------------- */

static struct rung__vectors_element read_element(struct rung__json_reader *reader,
                                                 const json_t *array)
{
    return (struct rung__vectors_element){
        .low = (int32_t)rung__vectors_item(reader, "params", array, 0, -(1 << 24), 1 << 24),
        .bits = (uint32_t)rung__vectors_item(reader, "params", array, 1, 1, 24),
        .q = (uint32_t)rung__vectors_item(reader, "params", array, 2, 0, 64),
    };
}

static void read_generator(struct rung__json_reader *reader, const struct rung__tensor *tensor,
                           struct rung__vectors_values *out)
{
    struct rung__json_reader inner;
    rung__vectors_enter(reader, "generator", &inner);
    out->seed = rung__vectors_u32(&inner, "seed");
    out->axis = (uint32_t)rung__json_u64(&inner, "axis", 0, tensor->rank - 1, true, 0);
    const json_t *params = rung__vectors_array(&inner, "params", 1, RUNG__VECTORS_ENTRIES_MAX);
    out->entry_count = (uint32_t)json_array_size(params);
    for (size_t i = 0; i < out->entry_count; i++)
        out->entries[i] = read_element(&inner, json_array_get(params, i));
    rung__vectors_leave(reader, &inner);
}

/** Gives the number of elements; no dimension, nor their product, is above ELEMENTS_MAX. */
static size_t read_shape(struct rung__json_reader *reader, struct rung__tensor *tensor)
{
    const json_t *shape = rung__vectors_array(reader, "shape", 1, RUNG__TENSOR_RANK_MAX);
    uint64_t count = 1;
    tensor->rank = shape ? (uint32_t)json_array_size(shape) : 1;
    for (uint32_t i = 0; i < json_array_size(shape); i++) {
        tensor->dims[i] = (uint32_t)rung__vectors_item(reader, "shape", shape, i, 0, ELEMENTS_MAX);
        count *= tensor->dims[i];
        if (count > ELEMENTS_MAX) {
            rung__json_refuse(reader, "a tensor has more than %u elements", ELEMENTS_MAX);
            return 0;
        }
    }
    return (size_t)count;
}

static void read_tensor(struct rung__vectors_case *vector, struct rung__json_reader *reader,
                        const char *name, uint32_t purpose)
{
    struct rung__tensors *tensors = &vector->decode.tensors;
    struct rung__vectors_values *values = &vector->decode.values[tensors->output_count];
    struct rung__tensor *tensor = &tensors->outputs[tensors->output_count++];
    struct rung__json_reader inner;
    *tensor = (struct rung__tensor){.purpose = purpose, .dtype = RUNG_DTYPE_F32};
    if (strlen(name) < 1 || strlen(name) > RUNG__TENSOR_NAME_MAX)
        rung__json_refuse(reader, "a tensor's name must have 1 to %u bytes", RUNG__TENSOR_NAME_MAX);
    else
        memcpy(tensor->name, name, strlen(name));
    rung__vectors_enter(reader, name, &inner);
    const size_t count = read_shape(&inner, tensor);
    if (rung__json_member(&inner, "generator")) {
        read_generator(&inner, tensor, values);
    } else {
        size_t size = 0;
        values->bytes = rung__vectors_base64(vector, &inner, "f32le_base64",
                                             (size_t)RUNG__VECTORS_BYTES_MAX, &size);
        if (size != count * sizeof(float))
            rung__json_refuse(&inner, "tensor \"%s\" has %zu bytes for %zu elements", name, size,
                              count);
    }
    rung__vectors_leave(reader, &inner);
}

/** The outputs that the contract names, in the order of their purposes. */
static void read_named(struct rung__vectors_case *vector, struct rung__json_reader *reader,
                       const struct rung__head_contract *contract)
{
    for (uint32_t i = 0; i < RUNG__OUTPUTS_MAX && contract->tensors[i]; i++) {
        const bool is_optional = contract->optional & 1u << i;
        if (!is_optional || rung__json_member(reader, contract->tensors[i]))
            read_tensor(vector, reader, contract->tensors[i], i);
    }
}

static void read_tensors(struct rung__vectors_case *vector, struct rung__json_reader *reader,
                         const struct rung__head_contract *contract)
{
    const struct rung__tensors *tensors = &vector->decode.tensors;
    struct rung__json_reader inner;
    uint64_t elements = 0;
    rung__vectors_enter(reader, "tensors", &inner);
    read_named(vector, &inner, contract);
    for (uint32_t i = 0; i < tensors->output_count; i++)
        elements += rung__tensor_elements(&tensors->outputs[i]);
    if (elements > ELEMENTS_MAX)
        rung__json_refuse(&inner, "the tensors have more than %u elements", ELEMENTS_MAX);
    rung__vectors_leave(reader, &inner);
}

/* ---- injection ------------------------------------------------------------------------------- */

static bool find_element(const struct rung__tensors *tensors, const char *name, uint32_t element,
                         uint32_t *output)
{
    for (uint32_t i = 0; i < tensors->output_count; i++)
        if (strcmp(tensors->outputs[i].name, name) == 0) {
            *output = i;
            return element < rung__tensor_elements(&tensors->outputs[i]);
        }
    return false;
}

static void read_injections(struct rung__vectors_case *vector, struct rung__json_reader *reader)
{
    struct rung__vectors_decode *decode = &vector->decode;
    const json_t *list = rung__vectors_array(reader, "inject", 0, INJECTIONS_MAX);
    const size_t count = json_array_size(list);
    struct rung__vectors_injection *injections =
        rung__vectors_own(vector, reader, count, sizeof *injections);
    for (size_t i = 0; injections && reader->result == RUNG_OK && i < count; i++) {
        const json_t *item = json_array_get(list, i);
        const char *name = json_string_value(json_array_get(item, 0));
        struct rung__vectors_injection *at = &injections[i];
        at->element = (uint32_t)rung__vectors_item(reader, "inject", item, 1, 0, ELEMENTS_MAX);
        at->bits = (uint32_t)rung__vectors_bits(reader, "inject", json_array_get(item, 2), 8);
        if (!name || !find_element(&decode->tensors, name, at->element, &at->output))
            rung__json_refuse(reader, "\"inject\"[%zu] names no element", i);
    }
    decode->injections = injections;
    decode->injection_count = count;
}

/* ---- the head -------------------------------------------------------------------------------- */

/** Decoders rely on shapes and parameters that were checked. */
static void check_contract(const struct rung__vectors_decode *decode,
                           struct rung__json_reader *reader,
                           const struct rung__head_contract *contract)
{
    const struct rung__header header = {
        .role = RUNG_ROLE_DETECTOR, .head = decode->head, .canvas = decode->place.canvas};
    const struct rung__parameter *strides =
        rung__head_parameter(&decode->tensors, RUNG__PARAMETER_STRIDES);
    if (reader->result != RUNG_OK)
        return;
    for (size_t i = 0; i < rung__parameter_kind_count; i++) {
        const struct rung__parameter_kind *kind = &rung__parameter_kinds[i];
        if (contract->required & 1u << kind->key &&
            !rung__head_parameter(&decode->tensors, kind->key))
            rung__json_refuse(reader, "head %s needs the parameter %s", contract->name, kind->name);
    }
    for (uint32_t i = 0; strides && i < strides->count; i++) {
        const uint32_t stride = rung__get_u32(strides->values.data + 4 * (size_t)i);
        if (stride == 0 || header.canvas.width % stride != 0 || header.canvas.height % stride != 0)
            rung__json_refuse(reader, "the stride %u does not divide the canvas", stride);
    }
    if (reader->result == RUNG_OK && contract->check(&header, &decode->tensors) != RUNG_OK)
        rung__json_refuse(reader, "%s", rung_last_error());
}

void rung__vectors_read_outputs(struct rung__vectors_case *vector, struct rung__json_reader *reader)
{
    struct rung__vectors_decode *decode = &vector->decode;
    decode->head = rung__vectors_word(reader, "head", &rung__head_names);
    const struct rung__head_contract *contract = rung__head_contract(decode->head);
    if (!contract) {
        rung__json_refuse(reader, "this version does not know the head");
        return;
    }
    read_parameters(decode, reader);
    read_tensors(vector, reader, contract);
    read_injections(vector, reader);
    check_contract(decode, reader, contract);
}
