/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/tensors.h"

#include <string.h>

#include <rung/types.h>

#include "artifact/names.h"
#include "base/error.h"
#include "base/text.h"

#define TENSORS_VERSION 1u

/* Bytes of the parts of the section (docs/artifact.md). */
#define PREFIX_BYTES    ((size_t)16)
#define TENSOR_BYTES    ((size_t)256)
#define PARAMETER_BYTES ((size_t)16)
#define VALUE_BYTES     ((size_t)4)

/* Offsets inside a tensor entry. */
enum { AT_PURPOSE = 0, AT_DTYPE = 4, AT_RANK = 8, AT_DIMS = 12, AT_NAME = 44 };

uint64_t rung__tensor_elements(const struct rung__tensor *tensor)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        elements *= tensor->dims[i]; /* both factors are below 2^32 */
        if (elements == 0 || elements > RUNG__ELEMENTS_MAX)
            return 0;
    }
    return elements;
}

uint32_t rung__dtype_bytes(uint32_t dtype)
{
    switch (dtype) {
    case RUNG_DTYPE_F32:
        return 4;
    case RUNG_DTYPE_F16:
        return 2;
    case RUNG_DTYPE_I8:
    case RUNG_DTYPE_U8:
        return 1;
    default:
        return 0;
    }
}

uint64_t rung__tensor_size(const struct rung__tensor *tensor)
{
    return rung__tensor_elements(tensor) * rung__dtype_bytes(tensor->dtype);
}

void rung__tensor_shape_text(const struct rung__tensor *tensor, char to[RUNG__SHAPE_TEXT])
{
    size_t used = 0;
    for (uint32_t i = 0; i < tensor->rank && i < RUNG__TENSOR_RANK_MAX; i++) {
        char dimension[12] = "?";
        if (tensor->dims[i])
            rung__text_format(dimension, sizeof dimension, "%u", tensor->dims[i]);
        rung__text_format(to + used, RUNG__SHAPE_TEXT - used, "%s%s", i ? "," : "[", dimension);
        used += strlen(to + used);
    }
    rung__text_format(to + used, RUNG__SHAPE_TEXT - used, used ? "]" : "[]");
}

/* ---- reading ----------------------------------------------------------------------------- */

static rung_result read_name(const uint8_t *at, struct rung__tensor *tensor)
{
    const size_t room = RUNG__TENSOR_NAME_MAX + 1;
    const uint8_t *end = memchr(at, '\0', room);
    const size_t length = end ? (size_t)(end - at) : 0;

    if (length == 0 || !rung__bytes_are_text((struct rung__bytes){at, length}))
        return rung__fail(RUNG_INTEGRITY, "a tensor's name is not 1..%u bytes of UTF-8",
                          RUNG__TENSOR_NAME_MAX);
    for (size_t i = length; i < room; i++)
        if (at[i] != 0)
            return rung__fail(RUNG_INTEGRITY, "a tensor's name is not padded with zeros");
    memcpy(tensor->name, at, length);
    return RUNG_OK;
}

static rung_result read_shape(const uint8_t *at, struct rung__tensor *tensor)
{
    tensor->rank = rung__get_u32(at + AT_RANK);
    if (tensor->rank < 1 || tensor->rank > RUNG__TENSOR_RANK_MAX)
        return rung__fail(RUNG_INTEGRITY, "tensor \"%s\" has rank %u, not 1..%u", tensor->name,
                          tensor->rank, RUNG__TENSOR_RANK_MAX);
    for (uint32_t i = 0; i < RUNG__TENSOR_RANK_MAX; i++) {
        tensor->dims[i] = rung__get_u32(at + AT_DIMS + VALUE_BYTES * i);
        if (i >= tensor->rank && tensor->dims[i] != 0)
            return rung__fail(RUNG_INTEGRITY, "tensor \"%s\" has a dimension past its rank",
                              tensor->name);
    }
    if (rung__tensor_elements(tensor) == 0)
        return rung__fail(RUNG_INTEGRITY, "tensor \"%s\" is empty or has more than 2^31 elements",
                          tensor->name);
    return RUNG_OK;
}

static rung_result read_tensor(const uint8_t *at, struct rung__tensor *tensor)
{
    *tensor = (struct rung__tensor){.purpose = rung__get_u32(at + AT_PURPOSE),
                                    .dtype = rung__get_u32(at + AT_DTYPE)};
    rung_result result = read_name(at + AT_NAME, tensor);
    if (result != RUNG_OK)
        return result;
    if (!rung__name_text(&rung__dtype_names, tensor->dtype))
        return rung__fail(RUNG_INTEGRITY, "tensor \"%s\" has the unknown dtype %u", tensor->name,
                          tensor->dtype);
    return read_shape(at, tensor);
}

static rung_result read_outputs(const uint8_t *at, struct rung__tensors *out)
{
    for (uint32_t i = 0; i < out->output_count; i++, at += TENSOR_BYTES) {
        struct rung__tensor *output = &out->outputs[i];
        rung_result result = read_tensor(at, output);
        if (result != RUNG_OK)
            return result;
        for (uint32_t k = 0; k < i; k++)
            if (out->outputs[k].purpose == output->purpose ||
                strcmp(out->outputs[k].name, output->name) == 0)
                return rung__fail(RUNG_INTEGRITY,
                                  "outputs \"%s\" and \"%s\" share a purpose or a name",
                                  out->outputs[k].name, output->name);
    }
    return RUNG_OK;
}

/* The values of all parameters lie one after the other from `*values` on. */
static rung_result read_parameter(struct rung__bytes section, const uint8_t *at, uint64_t *values,
                                  struct rung__parameter *out)
{
    *out = (struct rung__parameter){
        .key = rung__get_u32(at), .type = rung__get_u32(at + 4), .count = rung__get_u32(at + 8)};
    if (out->count < 1 || out->count > RUNG__PARAMETER_VALUES)
        return rung__fail(RUNG_INTEGRITY, "parameter %u has %u values, not 1..%u", out->key,
                          out->count, RUNG__PARAMETER_VALUES);
    if (rung__get_u32(at + 12) != *values ||
        !rung__bytes_slice(section, *values, out->count * VALUE_BYTES, &out->values))
        return rung__fail(RUNG_INTEGRITY,
                          "the values of parameter %u do not lie right behind what precedes them "
                          "in the tensors section",
                          out->key);
    *values += out->values.size;
    return RUNG_OK;
}

static rung_result read_parameters(struct rung__bytes section, const uint8_t *at,
                                   struct rung__tensors *out)
{
    uint64_t values = (uint64_t)(at - section.data) + out->parameter_count * PARAMETER_BYTES;
    for (uint32_t i = 0; i < out->parameter_count; i++, at += PARAMETER_BYTES) {
        rung_result result = read_parameter(section, at, &values, &out->parameters[i]);
        if (result != RUNG_OK)
            return result;
        for (uint32_t k = 0; k < i; k++)
            if (out->parameters[k].key == out->parameters[i].key)
                return rung__fail(RUNG_INTEGRITY, "parameter %u is there twice",
                                  out->parameters[i].key);
    }
    if (values != section.size)
        return rung__fail(RUNG_INTEGRITY, "the tensors section has %zu bytes, not %llu",
                          section.size, (unsigned long long)values);
    return RUNG_OK;
}

rung_result rung__tensors_parse(struct rung__bytes section, struct rung__tensors *out)
{
    if (section.size < PREFIX_BYTES || rung__get_u32(section.data) != TENSORS_VERSION)
        return rung__fail(RUNG_INTEGRITY, "the tensors section is not of version %u",
                          TENSORS_VERSION);
    const uint32_t inputs = rung__get_u32(section.data + 4);
    out->output_count = rung__get_u32(section.data + 8);
    out->parameter_count = rung__get_u32(section.data + 12);
    if (inputs != 1 || out->output_count < 1 || out->output_count > RUNG__OUTPUTS_MAX ||
        out->parameter_count > RUNG__PARAMETERS_MAX)
        return rung__fail(RUNG_INTEGRITY,
                          "the tensors section has %u inputs, %u outputs and %u parameters, not 1, "
                          "1..%u and 0..%u",
                          inputs, out->output_count, out->parameter_count, RUNG__OUTPUTS_MAX,
                          RUNG__PARAMETERS_MAX);
    if (section.size < PREFIX_BYTES + (1 + out->output_count) * TENSOR_BYTES +
                           out->parameter_count * PARAMETER_BYTES)
        return rung__fail(RUNG_INTEGRITY, "the tensors section is cut short");

    const uint8_t *at = section.data + PREFIX_BYTES;
    rung_result result = read_tensor(at, &out->input);
    if (result == RUNG_OK && out->input.purpose != 0)
        result = rung__fail(RUNG_INTEGRITY, "the input has purpose %u, not 0", out->input.purpose);
    at += TENSOR_BYTES;
    if (result == RUNG_OK)
        result = read_outputs(at, out);
    at += out->output_count * TENSOR_BYTES;
    if (result == RUNG_OK)
        result = read_parameters(section, at, out);
    return result;
}

/* ---- writing ----------------------------------------------------------------------------- */

static rung_result write_tensor(const struct rung__tensor *tensor, struct rung__buffer *to)
{
    uint8_t entry[TENSOR_BYTES] = {0};
    rung__put_u32(entry + AT_PURPOSE, tensor->purpose);
    rung__put_u32(entry + AT_DTYPE, tensor->dtype);
    rung__put_u32(entry + AT_RANK, tensor->rank);
    for (uint32_t i = 0; i < RUNG__TENSOR_RANK_MAX; i++)
        rung__put_u32(entry + AT_DIMS + VALUE_BYTES * i, tensor->dims[i]);
    memcpy(entry + AT_NAME, tensor->name, strlen(tensor->name));
    return rung__buffer_append(to, entry, sizeof entry);
}

static rung_result write_parameters(const struct rung__tensors *tensors, struct rung__buffer *to)
{
    rung_result result = RUNG_OK;
    uint64_t values = PREFIX_BYTES + (1 + tensors->output_count) * TENSOR_BYTES +
                      tensors->parameter_count * PARAMETER_BYTES;
    for (uint32_t i = 0; i < tensors->parameter_count && result == RUNG_OK; i++) {
        const struct rung__parameter *parameter = &tensors->parameters[i];
        uint8_t entry[PARAMETER_BYTES];
        rung__put_u32(entry, parameter->key);
        rung__put_u32(entry + 4, parameter->type);
        rung__put_u32(entry + 8, parameter->count);
        rung__put_u32(entry + 12, (uint32_t)values);
        values += parameter->values.size;
        result = rung__buffer_append(to, entry, sizeof entry);
    }
    for (uint32_t i = 0; i < tensors->parameter_count && result == RUNG_OK; i++)
        result = rung__buffer_append(to, tensors->parameters[i].values.data,
                                     tensors->parameters[i].values.size);
    return result;
}

rung_result rung__tensors_encode(const struct rung__tensors *tensors, struct rung__buffer *to)
{
    uint8_t prefix[PREFIX_BYTES];
    rung__put_u32(prefix, TENSORS_VERSION);
    rung__put_u32(prefix + 4, 1);
    rung__put_u32(prefix + 8, tensors->output_count);
    rung__put_u32(prefix + 12, tensors->parameter_count);

    rung_result result = rung__buffer_append(to, prefix, sizeof prefix);
    if (result == RUNG_OK)
        result = write_tensor(&tensors->input, to);
    for (uint32_t i = 0; i < tensors->output_count && result == RUNG_OK; i++)
        result = write_tensor(&tensors->outputs[i], to);
    if (result == RUNG_OK)
        result = write_parameters(tensors, to);
    return result;
}
