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

const struct rung__parameter_kind rung__parameter_kinds[] = {
    {RUNG__PARAMETER_STRIDES, "strides", RUNG__PARAMETER_U32, 8, 1, RUNG__SIDE_MAX, false},
    {RUNG__PARAMETER_LOGITS, "logits", RUNG__PARAMETER_U32, 1, 0, 1, true},
    {RUNG__PARAMETER_RAW, "raw", RUNG__PARAMETER_U32, 1, 0, 1, true},
    {RUNG__PARAMETER_ANCHORS, "anchors", RUNG__PARAMETER_U32, 1, 1, 64, false},
    {RUNG__PARAMETER_DISTANCES, "distances", RUNG__PARAMETER_U32, 1, 0, 1, true},
    {RUNG__PARAMETER_MAPS, "maps", RUNG__PARAMETER_U32, 16, 1, RUNG__SIDE_MAX, false},
    {RUNG__PARAMETER_MAP_BOXES, "map_boxes", RUNG__PARAMETER_U32, 8, 1, 32, false},
    {RUNG__PARAMETER_BOX_SIDES, "box_sides", RUNG__PARAMETER_U32, 32, 1, RUNG__SIDE_MAX, false},
    {RUNG__PARAMETER_VARIANCES, "variances", RUNG__PARAMETER_F32, 2, 0, 1, false},
    {RUNG__PARAMETER_INTERLEAVED, "interleaved", RUNG__PARAMETER_U32, 1, 0, 1, true},
};
const size_t rung__parameter_kind_count = COUNT(rung__parameter_kinds);

const struct rung__parameter_kind *rung__parameter_kind_of(uint32_t key)
{
    for (size_t i = 0; i < rung__parameter_kind_count; i++)
        if (rung__parameter_kinds[i].key == key)
            return &rung__parameter_kinds[i];
    return NULL;
}

#define BIT(number) (1u << (number))

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

bool rung__parameter_takes(const struct rung__parameter_kind *kind, double value)
{
    if (kind->type == RUNG__PARAMETER_F32)
        return value > kind->low && value <= kind->high;
    return value >= kind->low && value <= kind->high;
}

/* ---- what all heads share ---------------------------------------------------------------- */

rung_result rung__head_refuse_shape(const struct rung__tensor *tensor, const char *wanted)
{
    char shape[RUNG__SHAPE_TEXT];
    rung__tensor_shape_text(tensor, shape);
    return rung__fail(RUNG_INTEGRITY, "tensor \"%s\" has shape %s; %s is needed", tensor->name,
                      shape, wanted);
}

bool rung__head_shape_ends_with(const struct rung__tensor *tensor, const uint32_t *tail,
                                uint32_t count)
{
    if (tensor->rank < count)
        return false;
    const uint32_t leading = tensor->rank - count;
    for (uint32_t i = 0; i < leading; i++)
        if (tensor->dims[i] != 1)
            return false;
    return memcmp(tensor->dims + leading, tail, sizeof *tail * count) == 0;
}

rung_result rung__head_require_shape(const struct rung__tensor *tensor, const uint32_t *tail,
                                     uint32_t count)
{
    char wanted[RUNG__SHAPE_TEXT];
    struct rung__tensor right = {.rank = count + 1, .dims = {1}};
    if (rung__head_shape_ends_with(tensor, tail, count))
        return RUNG_OK;
    memcpy(right.dims + 1, tail, sizeof *tail * count);
    rung__tensor_shape_text(&right, wanted);
    return rung__head_refuse_shape(tensor, wanted);
}

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
    return rung__head_require_shape(input, tail, 3);
}

static rung_result check_outputs(const struct rung__head_contract *contract,
                                 const struct rung__tensors *tensors)
{
    uint32_t known = 0;
    while (known < RUNG__OUTPUTS_MAX && contract->tensors[known])
        known++;
    if (!contract->optional && tensors->output_count != known)
        return rung__fail(RUNG_INTEGRITY, "head %s has %u outputs, not %u", contract->name, known,
                          tensors->output_count);
    for (uint32_t i = 0; i < known; i++)
        if (!(contract->optional & BIT(i)) && !rung__head_output(tensors, i))
            return rung__fail(RUNG_INTEGRITY, "head %s needs an output for %s", contract->name,
                              contract->tensors[i]);
    for (uint32_t i = 0; i < tensors->output_count; i++) {
        const struct rung__tensor *output = &tensors->outputs[i];
        if (output->purpose >= known)
            return rung__fail(RUNG_INTEGRITY, "output \"%s\" has purpose %u; head %s has 0..%u",
                              output->name, output->purpose, contract->name, known - 1);
        if (output->dtype == RUNG_DTYPE_I8)
            return rung__fail(RUNG_INTEGRITY, "output \"%s\" is i8; f32, f16 or u8 is needed",
                              output->name);
    }
    return RUNG_OK;
}

static rung_result check_value(const struct rung__parameter_kind *kind,
                               const struct rung__canvas *canvas, const uint8_t *at)
{
    const uint32_t value = rung__get_u32(at);
    const double number =
        kind->type == RUNG__PARAMETER_F32 ? (double)rung__get_f32(at) : (double)value;
    if (!rung__parameter_takes(kind, number))
        return rung__fail(RUNG_INTEGRITY, "parameter %s is %.9g, not %s%u..%u", kind->name, number,
                          kind->type == RUNG__PARAMETER_F32 ? "above 0 and in " : "", kind->low,
                          kind->high);
    if (kind->key == RUNG__PARAMETER_STRIDES &&
        (canvas->width % value != 0 || canvas->height % value != 0))
        return rung__fail(RUNG_INTEGRITY, "the stride %u does not divide the canvas, %u x %u",
                          value, canvas->width, canvas->height);
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
    rung_result result = RUNG_OK;
    for (uint32_t i = 0; i < parameter->count && result == RUNG_OK; i++)
        result = check_value(kind, canvas, parameter->values.data + 4 * (size_t)i);
    return result;
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
        return rung__fail(RUNG_UNSUPPORTED, "this version has no decoder for head %u",
                          header->head);

    rung_result result = check_input(&header->canvas, &tensors->input);
    if (result == RUNG_OK)
        result = check_outputs(contract, tensors);
    if (result == RUNG_OK)
        result = check_parameters(contract, &header->canvas, tensors);
    if (result == RUNG_OK)
        result = contract->check(header, tensors);
    if (result == RUNG_OK && contract->check_selection)
        result = contract->check_selection(header, tensors);
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
