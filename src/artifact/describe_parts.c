/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/describe_parts.h"

#include <stdlib.h>

#include "artifact/contents.h"
#include "artifact/heads.h"
#include "artifact/names.h"
#include "artifact/numbers.h"
#include "base/text.h"

json_t *rung__describe_text(struct rung__bytes text)
{
    return json_stringn((const char *)text.data, text.size);
}

json_t *rung__describe_hex(struct rung__bytes bytes)
{
    char *digits = malloc(2 * bytes.size + 1);
    if (!digits)
        return NULL;
    rung__text_hex(digits, bytes.data, bytes.size);
    json_t *json = json_stringn(digits, 2 * bytes.size);
    free(digits);
    return json;
}

static json_t *name_of(const struct rung__names *names, uint32_t value)
{
    return json_string(rung__name_text(names, value));
}

/* ---- header ------------------------------------------------------------------------------ */

static json_t *decimals(const float values[3], bool *failed)
{
    json_t *array = json_array();
    for (size_t c = 0; c < 3; c++)
        rung__json_append(array, json_real(rung__decimal_of_f32(values[c])), failed);
    return array;
}

static json_t *fill_of(const struct rung__canvas *canvas, bool *failed)
{
    json_t *array = json_array();
    for (size_t c = 0; c < 3; c++)
        rung__json_append(array, json_integer(canvas->fill[c]), failed);
    return array;
}

static void describe_canvas(const struct rung__canvas *canvas, json_t *object, bool *failed)
{
    json_t *size = json_object(), *tensor = json_object();
    rung__json_set(size, "width", json_integer(canvas->width), failed);
    rung__json_set(size, "height", json_integer(canvas->height), failed);
    rung__json_set(tensor, "dtype", name_of(&rung__dtype_names, canvas->dtype), failed);
    rung__json_set(tensor, "layout", name_of(&rung__layout_names, canvas->layout), failed);
    if (canvas->normalised)
        rung__json_set(tensor, "normalised", json_true(), failed);

    rung__json_set(object, "canvas", size, failed);
    rung__json_set(object, "tensor", tensor, failed);
    rung__json_set(object, "fit", name_of(&rung__fit_names, canvas->fit), failed);
    rung__json_set(object, "rounding", name_of(&rung__rounding_names, canvas->rounding), failed);
    rung__json_set(object, "resampler", name_of(&rung__resampler_names, canvas->resampler), failed);
    rung__json_set(object, "order", name_of(&rung__order_names, canvas->order), failed);
    rung__json_set(object, "scale", decimals(canvas->scale, failed), failed);
    rung__json_set(object, "bias", decimals(canvas->bias, failed), failed);
    rung__json_set(object, "fill", fill_of(canvas, failed), failed);
}

static json_t *fraction(uint16_t field)
{
    return json_real(rung__fraction_from_u16(field));
}

static json_t *band_of(const struct rung__selection *selection, bool *failed)
{
    json_t *band = json_object();
    rung__json_set(band, "confidence", fraction(selection->band_confidence), failed);
    rung__json_set(band, "min", json_real(rung__pixels_from_q3(selection->band_min)), failed);
    rung__json_set(band, "max", json_real(rung__pixels_from_q3(selection->band_max)), failed);
    return band;
}

static json_t *selection_of(const struct rung__selection *selection, bool *failed)
{
    const uint16_t flags = selection->flags;
    json_t *object = json_object();
    rung__json_set(object, "min_confidence", fraction(selection->min_confidence), failed);
    rung__json_set(object, "iou", fraction(selection->iou), failed);
    rung__json_set(object, "suppress", json_boolean(flags & RUNG_SUPPRESS), failed);
    rung__json_set(object, "containment", json_boolean(flags & RUNG_SUPPRESS_CONTAINMENT), failed);
    rung__json_set(object, "per_class", json_boolean(flags & RUNG_SUPPRESS_PER_CLASS), failed);
    rung__json_set(object, "capacity", json_integer(selection->capacity), failed);
    rung__json_set(object, "considered", json_integer(selection->considered), failed);
    rung__json_set(object, "max_targets", json_integer(selection->max_targets), failed);
    if (selection->band_confidence)
        rung__json_set(object, "band", band_of(selection, failed), failed);
    return object;
}

static json_t *providers_of(uint64_t providers, bool *failed)
{
    json_t *array = json_array();
    for (uint32_t bit = 0; bit < rung__provider_names.count; bit++)
        if (providers >> bit & 1)
            rung__json_append(array, name_of(&rung__provider_names, bit), failed);
    return array;
}

void rung__describe_header(const struct rung__artifact_view *view, json_t *object, bool *failed)
{
    const struct rung__header *header = &view->header;
    rung__json_set(object, "name", json_string(header->name), failed);
    rung__json_set(object, "role", name_of(&rung__role_names, header->role), failed);
    rung__json_set(object, "kind", name_of(&rung__kind_names, header->kind), failed);
    if (header->flags & RUNG__FLAG_BUNDLE)
        rung__json_set(object, "bundle", rung__describe_text(view->sections[RUNG__SECTION_PAYLOAD]),
                       failed);
    rung__json_set(object, "form", name_of(&rung__form_names, header->form), failed);
    rung__json_set(object, "head", name_of(&rung__head_names, header->head), failed);
    describe_canvas(&header->canvas, object, failed);
    rung__json_set(object, "selection", selection_of(&header->selection, failed), failed);
    if (header->role == RUNG_ROLE_EMBEDDER)
        rung__json_set(object, "embedding_length", json_integer(header->embedding_length), failed);
    rung__json_set(object, "max_output_bytes", json_integer((json_int_t)header->max_output_bytes),
                   failed);
    rung__json_set(object, "providers", providers_of(header->providers, failed), failed);
}

/* ---- tensors ----------------------------------------------------------------------------- */

static void describe_tensor(const struct rung__tensor *tensor, json_t *object, bool *failed)
{
    json_t *shape = json_array();
    for (uint32_t i = 0; i < tensor->rank; i++)
        rung__json_append(shape, json_integer(tensor->dims[i]), failed);
    rung__json_set(object, "name", json_string(tensor->name), failed);
    rung__json_set(object, "dtype", name_of(&rung__dtype_names, tensor->dtype), failed);
    rung__json_set(object, "shape", shape, failed);
}

static json_t *parameter_of(const struct rung__parameter_kind *kind,
                            const struct rung__parameter *parameter, bool *failed)
{
    if (kind->is_flag)
        return json_boolean(rung__get_u32(parameter->values.data));
    json_t *array = json_array();
    for (uint32_t i = 0; i < parameter->count; i++) {
        const uint8_t *at = parameter->values.data + 4 * (size_t)i;
        rung__json_append(array,
                          kind->type == RUNG__PARAMETER_F32
                              ? json_real(rung__decimal_of_f32(rung__get_f32(at)))
                              : json_integer(rung__get_u32(at)),
                          failed);
    }
    return array;
}

void rung__describe_tensors(const struct rung__artifact_view *view, json_t *object, bool *failed)
{
    const struct rung__tensors *tensors = &view->tensors;
    const struct rung__head_contract *contract = rung__head_contract(view->header.head);
    json_t *input = json_object(), *outputs = json_array(), *parameters = json_object();

    describe_tensor(&tensors->input, input, failed);
    for (uint32_t i = 0; i < tensors->output_count; i++) {
        const struct rung__tensor *tensor = &tensors->outputs[i];
        json_t *output = json_object();
        rung__json_set(output, "purpose", json_string(contract->tensors[tensor->purpose]), failed);
        describe_tensor(tensor, output, failed);
        rung__json_append(outputs, output, failed);
    }
    for (uint32_t i = 0; i < tensors->parameter_count; i++) {
        const struct rung__parameter *parameter = &tensors->parameters[i];
        const struct rung__parameter_kind *kind = rung__parameter_kind_of(parameter->key);
        rung__json_set(parameters, kind->name, parameter_of(kind, parameter, failed), failed);
    }
    rung__json_set(object, "input", input, failed);
    rung__json_set(object, "outputs", outputs, failed);
    rung__json_set(object, "parameters", parameters, failed);
}

/* ---- small sections ---------------------------------------------------------------------- */

void rung__describe_labels(const struct rung__artifact_view *view, json_t *object, bool *failed)
{
    const struct rung__bytes capabilities = view->sections[RUNG__SECTION_CAPABILITIES];
    const uint32_t labels = rung__artifact_label_count(view);
    if (labels) {
        json_t *array = json_array();
        for (uint32_t i = 0; i < labels; i++)
            rung__json_append(array, rung__describe_text(rung__artifact_label(view, i)), failed);
        rung__json_set(object, "labels", array, failed);
    }
    if (capabilities.size) {
        json_t *array = json_array();
        const uint32_t count = rung__get_u32(capabilities.data + 4);
        for (uint32_t i = 0; i < count; i++)
            rung__json_append(array, json_integer(rung__artifact_capabilities(view, i)), failed);
        rung__json_set(object, "capabilities", array, failed);
    }
    if (view->sections[RUNG__SECTION_CANONICAL].size)
        rung__json_set(object, "canonical",
                       rung__describe_hex(view->sections[RUNG__SECTION_CANONICAL]), failed);
}
