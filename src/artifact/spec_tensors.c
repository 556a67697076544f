/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/spec_parts.h"

#include <string.h>

#include "artifact/tensors.h"
#include "base/error.h"
#include "base/text.h"

/* ---- one tensor -------------------------------------------------------------------------- */

static void read_name(struct rung__json_reader *reader, struct rung__tensor *tensor)
{
    const char *name = rung__json_text(reader, "name", true);
    if (!name)
        return;
    const size_t length = strlen(name);
    if (length < 1 || length > RUNG__TENSOR_NAME_MAX)
        rung__json_refuse(reader, "\"name\" has %zu bytes, not 1..%u", length,
                          RUNG__TENSOR_NAME_MAX);
    else
        memcpy(tensor->name, name, length);
}

static void read_shape(struct rung__json_reader *reader, struct rung__tensor *tensor)
{
    const json_t *shape = rung__json_member(reader, "shape"), *item;
    size_t i;
    if (!json_is_array(shape) || json_array_size(shape) < 1 ||
        json_array_size(shape) > RUNG__TENSOR_RANK_MAX) {
        rung__json_refuse(reader, "\"shape\" must be an array of 1..%u whole numbers",
                          RUNG__TENSOR_RANK_MAX);
        return;
    }
    tensor->rank = (uint32_t)json_array_size(shape);
    json_array_foreach(shape, i, item)
    {
        const json_int_t dimension = json_integer_value(item); /* 0 for what is no integer */
        if (dimension < 1 || dimension > INT32_MAX)
            rung__json_refuse(reader, "\"shape\"[%zu] must be a whole number from 1 on", i);
        else
            tensor->dims[i] = (uint32_t)dimension;
    }
}

static void read_tensor(struct rung__json_reader *reader, struct rung__tensor *tensor)
{
    read_name(reader, tensor);
    tensor->dtype = rung__spec_value(reader, "dtype", &rung__dtype_names, true, 0);
    read_shape(reader, tensor);
}

static void read_input(struct rung__json_reader *reader, struct rung__tensor *input)
{
    struct rung__json_reader part;
    char where[RUNG__WHERE_BYTES];
    rung__text_format(where, sizeof where, "%s: input", reader->where);
    rung__json_reader_init(&part, rung__json_member(reader, "input"), where);
    read_tensor(&part, input);
    rung__spec_note(reader, rung__json_reader_end(&part));
}

/* ---- outputs ----------------------------------------------------------------------------- */

static void read_purpose(struct rung__json_reader *reader,
                         const struct rung__head_contract *contract, struct rung__tensor *output)
{
    const char *text = rung__json_text(reader, "purpose", true);
    if (!text)
        return;
    for (uint32_t i = 0; contract->tensors[i]; i++)
        if (strcmp(contract->tensors[i], text) == 0) {
            output->purpose = i;
            return;
        }
    rung__json_refuse(reader, "\"purpose\" is \"%s\", which head %s does not have", text,
                      contract->name);
}

static void read_output(struct rung__json_reader *reader, const json_t *item, size_t index,
                        const struct rung__head_contract *contract, struct rung__tensor *output)
{
    struct rung__json_reader part;
    char where[RUNG__WHERE_BYTES];
    if (reader->result != RUNG_OK)
        return; /* the sentence of the first failure stays */
    rung__text_format(where, sizeof where, "%s: outputs[%zu]", reader->where, index);
    rung__json_reader_init(&part, item, where);
    read_purpose(&part, contract, output);
    read_tensor(&part, output);
    rung__spec_note(reader, rung__json_reader_end(&part));
}

static void read_outputs(struct rung__json_reader *reader,
                         const struct rung__head_contract *contract, struct rung__tensors *tensors)
{
    const json_t *array = rung__json_member(reader, "outputs"), *item;
    size_t i;
    if (!json_is_array(array) || json_array_size(array) < 1 ||
        json_array_size(array) > RUNG__OUTPUTS_MAX) {
        rung__json_refuse(reader, "\"outputs\" must be an array of 1..%u objects",
                          RUNG__OUTPUTS_MAX);
        return;
    }
    tensors->output_count = (uint32_t)json_array_size(array);
    json_array_foreach(array, i, item) read_output(reader, item, i, contract, &tensors->outputs[i]);
}

/* ---- parameters -------------------------------------------------------------------------- */

struct parameter_values {
    uint8_t bytes[RUNG__PARAMETERS_MAX][RUNG__PARAMETER_COUNT_MAX * sizeof(uint32_t)];
};

static uint32_t read_flag(struct rung__json_reader *reader, const char *key, uint8_t *to)
{
    rung__put_u32(to, rung__json_bool(reader, key, true, false));
    return 1;
}

/** One number of a list in its four bytes. */
static void read_number(struct rung__json_reader *reader, const struct rung__parameter_kind *kind,
                        const json_t *item, size_t i, uint8_t *to)
{
    const bool is_f32 = kind->type == RUNG__PARAMETER_F32;
    const double number = json_number_value(item); /* 0 for what is no number */
    const float nearest = (float)number;
    const bool is_one = is_f32 ? json_is_number(item) : json_is_integer(item);
    if (!is_one || !rung__parameter_takes(kind, is_f32 ? (double)nearest : number))
        rung__json_refuse(reader, "\"%s\"[%zu] must be a %s in %u..%u", kind->name, i,
                          is_f32 ? "number above 0 and" : "whole number", kind->low, kind->high);
    else if (is_f32)
        rung__put_f32(to, nearest);
    else
        rung__put_u32(to, (uint32_t)json_integer_value(item));
}

static uint32_t read_list(struct rung__json_reader *reader, const struct rung__parameter_kind *kind,
                          const json_t *array, uint8_t *to)
{
    const json_t *item;
    size_t i;
    const size_t count = json_array_size(array); /* 0 for what is no array */
    if (count < 1 || count > kind->count_max) {
        rung__json_refuse(reader, "\"%s\" must be an array of 1..%u numbers", kind->name,
                          kind->count_max);
        return 0;
    }
    json_array_foreach(array, i, item)
    {
        read_number(reader, kind, item, i, to + 4 * i);
    }
    return (uint32_t)count;
}

static void read_parameters(struct rung__json_reader *reader, struct rung__tensors *tensors,
                            struct parameter_values *values)
{
    struct rung__json_reader part;
    char where[RUNG__WHERE_BYTES];
    const json_t *object = rung__json_member(reader, "parameters");
    if (!object)
        return;
    rung__text_format(where, sizeof where, "%s: parameters", reader->where);
    rung__json_reader_init(&part, object, where);
    for (size_t i = 0; i < rung__parameter_kind_count; i++) {
        const struct rung__parameter_kind *kind = &rung__parameter_kinds[i];
        const json_t *member = rung__json_member(&part, kind->name);
        if (!member)
            continue;
        uint8_t *to = values->bytes[tensors->parameter_count];
        const uint32_t count =
            kind->is_flag ? read_flag(&part, kind->name, to) : read_list(&part, kind, member, to);
        tensors->parameters[tensors->parameter_count++] =
            (struct rung__parameter){.key = kind->key,
                                     .type = kind->type,
                                     .count = count,
                                     .values = {to, 4 * (size_t)count}};
    }
    rung__spec_note(reader, rung__json_reader_end(&part));
}

void rung__spec_read_tensors(struct rung__json_reader *reader,
                             const struct rung__spec_source *source)
{
    struct rung__tensors tensors = {0};
    struct parameter_values values;
    const uint32_t head = source->spec->header.head;
    const struct rung__head_contract *contract = rung__head_contract(head);

    if (reader->result != RUNG_OK)
        return;
    if (!contract) {
        reader->result = rung__fail(RUNG_UNSUPPORTED, "%s: this version has no decoder for head %u",
                                    reader->where, head);
        return;
    }
    read_input(reader, &tensors.input);
    read_outputs(reader, contract, &tensors);
    read_parameters(reader, &tensors, &values);
    if (reader->result == RUNG_OK)
        reader->result =
            rung__tensors_encode(&tensors, &source->spec->sections[RUNG__SECTION_TENSORS]);
}
