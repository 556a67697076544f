/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/heads.h"

#include <string.h>

#include "artifact/names.h"
#include "artifact/tensors.h"
#include "base/error.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define PACKET_HEADER_BYTES   96u
#define PACKET_TARGET_BYTES   80u
#define PACKET_ATTACHMENT_MAX 262144u
#define PACKET_MASK_PREFIX    32u /* eight i32 before the rows of a mask */

#define CENTERNET_POINTS 5u

const struct rung__parameter_kind rung__parameter_kinds[] = {
    {RUNG__PARAMETER_STRIDES, "strides", RUNG__PARAMETER_U32, 8, 1, RUNG__SIDE_MAX, false},
    {RUNG__PARAMETER_LOGITS, "logits", RUNG__PARAMETER_U32, 1, 0, 1, true},
    {RUNG__PARAMETER_RAW, "raw", RUNG__PARAMETER_U32, 1, 0, 1, true},
};
const size_t rung__parameter_kind_count = COUNT(rung__parameter_kinds);

const struct rung__parameter_kind *rung__parameter_kind_of(uint32_t key)
{
    for (size_t i = 0; i < rung__parameter_kind_count; i++)
        if (rung__parameter_kinds[i].key == key)
            return &rung__parameter_kinds[i];
    return NULL;
}

/* ---- contracts --------------------------------------------------------------------------- */

static rung_result refuse_shape(const struct rung__tensor *tensor, const char *wanted)
{
    char shape[RUNG__SHAPE_TEXT];
    rung__tensor_shape_text(tensor, shape);
    return rung__fail(RUNG_INTEGRITY, "tensor \"%s\" has shape %s; %s is needed", tensor->name,
                      shape, wanted);
}

/* True for [1,…,1, tail]: batches and other leading dimensions of one are all the same to us. */
static bool shape_ends_with(const struct rung__tensor *tensor, const uint32_t *tail, uint32_t count)
{
    if (tensor->rank < count)
        return false;
    const uint32_t leading = tensor->rank - count;
    for (uint32_t i = 0; i < leading; i++)
        if (tensor->dims[i] != 1)
            return false;
    return memcmp(tensor->dims + leading, tail, sizeof *tail * count) == 0;
}

/* [N,6]: N is the model's own. */
static rung_result check_rows(const struct rung__header *header,
                              const struct rung__tensors *tensors)
{
    (void)header;
    const struct rung__tensor *output = rung__head_output(tensors, 0);
    const uint32_t tail[] = {output->rank >= 2 ? output->dims[output->rank - 2] : 0, 6};
    if (!shape_ends_with(output, tail, COUNT(tail)))
        return refuse_shape(output, "[1,N,6] or [N,6]");
    return RUNG_OK;
}

static rung_result check_centernet(const struct rung__header *header,
                                   const struct rung__tensors *tensors)
{
    static const uint32_t channels[] = {1, 2, 2, 2 * CENTERNET_POINTS};
    const struct rung__parameter *strides = rung__head_parameter(tensors, RUNG__PARAMETER_STRIDES);

    if (strides->count != 1)
        return rung__fail(RUNG_INTEGRITY, "head centernet has one stride, not %u", strides->count);
    const uint32_t stride = rung__get_u32(strides->values.data);
    const uint32_t h = header->canvas.height / stride, w = header->canvas.width / stride;
    for (uint32_t i = 0; i < COUNT(channels); i++) {
        const struct rung__tensor *output = rung__head_output(tensors, i);
        const uint32_t tail[] = {channels[i], h, w};
        const uint32_t skip = channels[i] == 1 && output->rank == 2;
        if (!shape_ends_with(output, tail + skip, COUNT(tail) - skip)) {
            char wanted[RUNG__SHAPE_TEXT];
            const struct rung__tensor right = {.rank = 4, .dims = {1, tail[0], tail[1], tail[2]}};
            rung__tensor_shape_text(&right, wanted);
            return refuse_shape(output, wanted);
        }
    }
    return RUNG_OK;
}

static rung_result check_no_head(const struct rung__header *header,
                                 const struct rung__tensors *tensors)
{
    const struct rung__tensor *output = rung__head_output(tensors, 0);
    if (header->role == RUNG_ROLE_EMBEDDER &&
        rung__tensor_elements(output) != header->embedding_length)
        return rung__fail(RUNG_INTEGRITY,
                          "tensor \"%s\" has %llu elements, but embedding_length is %u",
                          output->name, (unsigned long long)rung__tensor_elements(output),
                          header->embedding_length);
    return RUNG_OK;
}

#define BIT(key) (1u << (key))

/* clang-format off */
static const struct rung__head_contract contracts[] = {
    {.head = RUNG_HEAD_NONE, .name = "none", .tensors = {"output"}, .check = check_no_head},
    {.head = RUNG_HEAD_ROWS, .name = "rows", .tensors = {"output"}, .check = check_rows},
    {.head = RUNG_HEAD_CENTERNET, .name = "centernet",
     .tensors = {"heat", "scale", "offset", "landmarks"},
     .parameters = BIT(RUNG__PARAMETER_STRIDES) | BIT(RUNG__PARAMETER_LOGITS),
     .required = BIT(RUNG__PARAMETER_STRIDES),
     .attachment_bytes = sizeof(int32_t[2]) * CENTERNET_POINTS,
     .check = check_centernet},
};
/* clang-format on */

const struct rung__head_contract *rung__head_contract(uint32_t head)
{
    for (size_t i = 0; i < COUNT(contracts); i++)
        if (contracts[i].head == head)
            return &contracts[i];
    return NULL;
}

const struct rung__head_contract *rung__head_contract_named(const char *name)
{
    for (size_t i = 0; i < COUNT(contracts); i++)
        if (strcmp(contracts[i].name, name) == 0)
            return &contracts[i];
    return NULL;
}

const struct rung__parameter *rung__head_parameter(const struct rung__tensors *tensors,
                                                   uint32_t key)
{
    for (uint32_t i = 0; i < tensors->parameter_count; i++)
        if (tensors->parameters[i].key == key)
            return &tensors->parameters[i];
    return NULL;
}

const struct rung__tensor *rung__head_output(const struct rung__tensors *tensors, uint32_t purpose)
{
    for (uint32_t i = 0; i < tensors->output_count; i++)
        if (tensors->outputs[i].purpose == purpose)
            return &tensors->outputs[i];
    return NULL;
}

/* ---- what all heads share ---------------------------------------------------------------- */

static rung_result check_input(const struct rung__canvas *canvas, const struct rung__tensor *input)
{
    const uint32_t planar[] = {canvas->channels, canvas->height, canvas->width};
    const uint32_t interleaved[] = {canvas->height, canvas->width, canvas->channels};
    const uint32_t bgra[] = {canvas->height, canvas->width, 4};
    const uint32_t *tail = canvas->layout == RUNG_LAYOUT_PLANAR        ? planar
                           : canvas->layout == RUNG_LAYOUT_INTERLEAVED ? interleaved
                                                                       : bgra;
    if (input->dtype != canvas->dtype)
        return rung__fail(RUNG_INTEGRITY, "input \"%s\" is %s, but the canvas makes %s",
                          input->name, rung__name_text(&rung__dtype_names, input->dtype),
                          rung__name_text(&rung__dtype_names, canvas->dtype));
    if (!shape_ends_with(input, tail, 3)) {
        char wanted[RUNG__SHAPE_TEXT];
        const struct rung__tensor right = {.rank = 4, .dims = {1, tail[0], tail[1], tail[2]}};
        rung__tensor_shape_text(&right, wanted);
        return refuse_shape(input, wanted);
    }
    return RUNG_OK;
}

static rung_result check_outputs(const struct rung__head_contract *contract,
                                 const struct rung__tensors *tensors)
{
    uint32_t wanted = 0;
    while (contract->tensors[wanted])
        wanted++;
    if (tensors->output_count != wanted)
        return rung__fail(RUNG_INTEGRITY, "head %s has %u outputs, not %u", contract->name, wanted,
                          tensors->output_count);
    for (uint32_t i = 0; i < wanted; i++) {
        const struct rung__tensor *output = rung__head_output(tensors, i);
        if (!output)
            return rung__fail(RUNG_INTEGRITY, "head %s needs an output for %s", contract->name,
                              contract->tensors[i]);
        if (output->dtype == RUNG_DTYPE_I8)
            return rung__fail(RUNG_INTEGRITY, "output \"%s\" is i8; f32, f16 or u8 is needed",
                              output->name);
    }
    return RUNG_OK;
}

static rung_result check_parameter(const struct rung__head_contract *contract,
                                   const struct rung__canvas *canvas,
                                   const struct rung__parameter *parameter)
{
    const struct rung__parameter_kind *kind = rung__parameter_kind_of(parameter->key);
    if (!kind || !(contract->parameters & BIT(parameter->key)))
        return rung__fail(RUNG_INTEGRITY, "head %s has no parameter %u (%s)", contract->name,
                          parameter->key, kind ? kind->name : "unknown");
    if (parameter->type != kind->type || parameter->count > kind->count_max)
        return rung__fail(RUNG_INTEGRITY, "parameter %s is not up to %u values of type %u",
                          kind->name, kind->count_max, kind->type);
    for (uint32_t i = 0; i < parameter->count; i++) {
        const uint32_t value = rung__get_u32(parameter->values.data + 4 * (size_t)i);
        if (value < kind->low || value > kind->high)
            return rung__fail(RUNG_INTEGRITY, "parameter %s is %u, not %u..%u", kind->name, value,
                              kind->low, kind->high);
        if (kind->key == RUNG__PARAMETER_STRIDES &&
            (canvas->width % value != 0 || canvas->height % value != 0))
            return rung__fail(RUNG_INTEGRITY, "the stride %u does not divide the canvas, %u x %u",
                              value, canvas->width, canvas->height);
    }
    return RUNG_OK;
}

static rung_result check_parameters(const struct rung__head_contract *contract,
                                    const struct rung__canvas *canvas,
                                    const struct rung__tensors *tensors)
{
    for (uint32_t i = 0; i < tensors->parameter_count; i++) {
        rung_result result = check_parameter(contract, canvas, &tensors->parameters[i]);
        if (result != RUNG_OK)
            return result;
    }
    for (size_t i = 0; i < rung__parameter_kind_count; i++) {
        const struct rung__parameter_kind *kind = &rung__parameter_kinds[i];
        if (contract->required & BIT(kind->key) && !rung__head_parameter(tensors, kind->key))
            return rung__fail(RUNG_INTEGRITY, "head %s needs the parameter %s", contract->name,
                              kind->name);
    }
    return RUNG_OK;
}

rung_result rung__head_check(const struct rung__header *header, const struct rung__tensors *tensors)
{
    const struct rung__head_contract *contract = rung__head_contract(header->head);
    if (!contract)
        return rung__fail(RUNG_UNSUPPORTED, "this version has no decoder for head %s",
                          rung__name_text(&rung__head_names, header->head));

    rung_result result = check_input(&header->canvas, &tensors->input);
    if (result == RUNG_OK)
        result = check_outputs(contract, tensors);
    if (result == RUNG_OK)
        result = check_parameters(contract, &header->canvas, tensors);
    if (result == RUNG_OK)
        result = contract->check(header, tensors);
    return result;
}

static uint64_t attachment_bytes(const struct rung__header *header)
{
    const struct rung__head_contract *contract = rung__head_contract(header->head);
    const uint64_t all =
        contract ? (uint64_t)header->selection.max_targets * contract->attachment_bytes : 0;
    return all < PACKET_ATTACHMENT_MAX ? all : PACKET_ATTACHMENT_MAX;
}

uint64_t rung__head_packet_bytes(const struct rung__header *header)
{
    switch (header->role) {
    case RUNG_ROLE_DETECTOR:
        return PACKET_HEADER_BYTES + (uint64_t)header->selection.max_targets * PACKET_TARGET_BYTES +
               attachment_bytes(header);
    case RUNG_ROLE_EMBEDDER:
        return PACKET_HEADER_BYTES + (uint64_t)header->embedding_length * sizeof(float);
    default:
        return PACKET_HEADER_BYTES + PACKET_MASK_PREFIX +
               (uint64_t)header->canvas.width * header->canvas.height;
    }
}
