/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/spec.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/bundle.h"
#include "artifact/header.h"
#include "artifact/numbers.h"
#include "artifact/spec_parts.h"
#include "artifact/view.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

/* What is taken when the spec is silent (docs/artifact.md). */
#define DEFAULT_CAPACITY    8192u
#define DEFAULT_CONSIDERED  2048u
#define DEFAULT_MAX_TARGETS 512u

#define FACTOR_LIMIT 1048576.0 /* 2^20 */
#define CHANNELS     3u

void rung__spec_note(struct rung__json_reader *reader, rung_result result)
{
    if (reader->result == RUNG_OK)
        reader->result = result;
}

uint32_t rung__spec_value(struct rung__json_reader *reader, const char *key,
                          const struct rung__names *names, bool required, uint32_t fallback)
{
    uint32_t value = fallback;
    const char *text = rung__json_text(reader, key, required);
    if (text && !rung__name_value(names, text, &value)) {
        char list[256];
        rung__names_list(names, list, sizeof list);
        rung__json_refuse(reader, "\"%s\" is \"%s\", which is none of: %s", key, text, list);
    }
    return value;
}

/* Begins the reader of a member that is an object; false when there is none. */
static bool begin_part(struct rung__json_reader *reader, const char *key, bool required,
                       struct rung__json_reader *part, char where[RUNG__WHERE_BYTES])
{
    const json_t *object = rung__json_member(reader, key);
    if (!object) {
        if (required)
            rung__json_refuse(reader, "\"%s\" is missing", key);
        return false;
    }
    rung__text_format(where, RUNG__WHERE_BYTES, "%s: %s", reader->where, key);
    rung__json_reader_init(part, object, where);
    return true;
}

/* ---- identity ---------------------------------------------------------------------------- */

static void read_identity(struct rung__json_reader *reader, struct rung__header *header)
{
    rung__json_u64(reader, "schema", RUNG__SPEC_SCHEMA, RUNG__SPEC_SCHEMA, true, 0);
    const char *name = rung__json_text(reader, "name", true);
    if (name && strlen(name) > RUNG__NAME_BYTES)
        rung__json_refuse(reader, "\"name\" has more than %u characters", RUNG__NAME_BYTES);
    else if (name)
        memcpy(header->name, name, strlen(name));

    header->role = rung__spec_value(reader, "role", &rung__role_names, true, 0);
    header->kind = rung__spec_value(reader, "kind", &rung__kind_names, false, RUNG_ARTIFACT_ONNX);
    header->form = rung__spec_value(reader, "form", &rung__form_names, false, RUNG_FORM_F32);
    header->head = rung__spec_value(reader, "head", &rung__head_names,
                                    header->role == RUNG_ROLE_DETECTOR, RUNG_HEAD_NONE);
    header->embedding_length = (uint32_t)rung__json_u64(
        reader, "embedding_length", 0, RUNG__EMBEDDING_MAX, header->role == RUNG_ROLE_EMBEDDER, 0);
}

static void read_providers(struct rung__json_reader *reader, struct rung__header *header)
{
    const json_t *array = rung__json_member(reader, "providers"), *item;
    size_t i;
    if (!array) {
        header->providers =
            rung__kind_is_bundle(header->kind) ? RUNG__PROVIDER_COREML : RUNG__PROVIDER_ORT;
        return;
    }
    if (!json_is_array(array))
        rung__json_refuse(reader, "\"providers\" must be an array of names");
    json_array_foreach(array, i, item)
    {
        uint32_t bit;
        if (!json_is_string(item) ||
            !rung__name_value(&rung__provider_names, json_string_value(item), &bit)) {
            char list[256];
            rung__names_list(&rung__provider_names, list, sizeof list);
            rung__json_refuse(reader, "\"providers\"[%zu] is none of: %s", i, list);
            return;
        }
        header->providers |= UINT64_C(1) << bit;
    }
}

/* ---- canvas ------------------------------------------------------------------------------ */

static void read_size(struct rung__json_reader *reader, struct rung__canvas *canvas)
{
    struct rung__json_reader part;
    char where[RUNG__WHERE_BYTES];
    canvas->channels = CHANNELS;
    if (!begin_part(reader, "canvas", true, &part, where))
        return;
    canvas->width = (uint32_t)rung__json_u64(&part, "width", 1, RUNG__SIDE_MAX, true, 0);
    canvas->height = (uint32_t)rung__json_u64(&part, "height", 1, RUNG__SIDE_MAX, true, 0);
    rung__spec_note(reader, rung__json_reader_end(&part));
}

static void read_tensor(struct rung__json_reader *reader, struct rung__canvas *canvas)
{
    struct rung__json_reader part;
    char where[RUNG__WHERE_BYTES];
    if (!begin_part(reader, "tensor", true, &part, where))
        return;
    canvas->dtype = (uint8_t)rung__spec_value(&part, "dtype", &rung__dtype_names, true, 0);
    canvas->layout = (uint8_t)rung__spec_value(&part, "layout", &rung__layout_names, true, 0);
    canvas->normalised = rung__json_bool(&part, "normalised", false, false);
    rung__spec_note(reader, rung__json_reader_end(&part));
}

static void read_factors(struct rung__json_reader *reader, struct rung__canvas *canvas)
{
    double scale[3] = {1, 1, 1}, bias[3] = {0}, fill[3] = {0};
    rung__json_reals(reader, "scale", -FACTOR_LIMIT, FACTOR_LIMIT, false, scale, 3);
    rung__json_reals(reader, "bias", -FACTOR_LIMIT, FACTOR_LIMIT, false, bias, 3);
    rung__json_reals(reader, "fill", 0, UINT8_MAX, false, fill, 3);
    for (size_t c = 0; c < 3; c++) {
        canvas->scale[c] = (float)scale[c];
        canvas->bias[c] = (float)bias[c];
        canvas->fill[c] = (uint8_t)fill[c];
        if (canvas->fill[c] != fill[c])
            rung__json_refuse(reader, "\"fill\"[%zu] is no whole number", c);
    }
}

static void read_canvas(struct rung__json_reader *reader, struct rung__canvas *canvas)
{
    read_size(reader, canvas);
    read_tensor(reader, canvas);
    canvas->fit = (uint8_t)rung__spec_value(reader, "fit", &rung__fit_names, true, 0);
    canvas->rounding = (uint8_t)rung__spec_value(reader, "rounding", &rung__rounding_names, false,
                                                 RUNG_ROUNDING_NEAREST);
    canvas->resampler = (uint8_t)rung__spec_value(reader, "resampler", &rung__resampler_names,
                                                  false, RUNG_RESAMPLER_BILINEAR);
    canvas->order = (uint8_t)rung__spec_value(reader, "order", &rung__order_names, true, 0);
    read_factors(reader, canvas);
}

/* ---- selection --------------------------------------------------------------------------- */

static uint16_t read_fraction(struct rung__json_reader *reader, const char *key, bool required,
                              double fallback)
{
    return rung__fraction_to_u16(rung__json_real(reader, key, 0, 1, required, fallback));
}

static uint16_t read_pixels(struct rung__json_reader *reader, const char *key)
{
    uint16_t field = 0;
    if (!rung__pixels_to_q3(rung__json_real(reader, key, 0, UINT16_MAX / 8.0, true, 0), &field))
        rung__json_refuse(reader, "\"%s\" is no multiple of 1/8 pixel", key);
    return field;
}

static void read_band(struct rung__json_reader *reader, struct rung__selection *selection)
{
    struct rung__json_reader part;
    char where[RUNG__WHERE_BYTES];
    if (!begin_part(reader, "band", false, &part, where))
        return;
    selection->band_confidence = read_fraction(&part, "confidence", true, 0);
    selection->band_min = read_pixels(&part, "min");
    selection->band_max = read_pixels(&part, "max");
    rung__spec_note(reader, rung__json_reader_end(&part));
}

static uint16_t read_flags(struct rung__json_reader *reader)
{
    const bool suppress = rung__json_bool(reader, "suppress", true, false);
    const bool containment = rung__json_bool(reader, "containment", false, false);
    const bool per_class = rung__json_bool(reader, "per_class", false, false);
    return (uint16_t)((suppress ? RUNG_SUPPRESS : 0) |
                      (containment ? RUNG_SUPPRESS_CONTAINMENT : 0) |
                      (per_class ? RUNG_SUPPRESS_PER_CLASS : 0));
}

static void read_selection(struct rung__json_reader *reader, struct rung__header *header)
{
    struct rung__selection *selection = &header->selection;
    struct rung__json_reader part;
    char where[RUNG__WHERE_BYTES];
    if (!begin_part(reader, "selection", header->role == RUNG_ROLE_DETECTOR, &part, where)) {
        selection->capacity = selection->considered = selection->max_targets = 1;
        return;
    }
    selection->min_confidence = read_fraction(&part, "min_confidence", true, 0);
    selection->flags = read_flags(&part);
    selection->iou = read_fraction(&part, "iou", selection->flags & RUNG_SUPPRESS, 1);
    selection->capacity =
        (uint32_t)rung__json_u64(&part, "capacity", 1, RUNG__CAPACITY_MAX, false, DEFAULT_CAPACITY);
    selection->considered = (uint32_t)rung__json_u64(&part, "considered", 1, RUNG__CAPACITY_MAX,
                                                     false, DEFAULT_CONSIDERED);
    selection->max_targets = (uint32_t)rung__json_u64(&part, "max_targets", 1, RUNG__TARGETS_MAX,
                                                      false, DEFAULT_MAX_TARGETS);
    read_band(&part, selection);
    rung__spec_note(reader, rung__json_reader_end(&part));
}

/* ---- all of it --------------------------------------------------------------------------- */

static void read_bundle(struct rung__json_reader *reader, struct rung__spec *spec)
{
    const bool bundle = rung__kind_is_bundle(spec->header.kind);
    const char *locator = rung__json_text(reader, "bundle", bundle);
    if (!locator)
        return;
    if (!bundle) {
        rung__json_refuse(reader, "\"bundle\" is for models of kind coreml alone");
        return;
    }
    if (rung__locator_check((struct rung__bytes){(const uint8_t *)locator, strlen(locator)}) !=
        RUNG_OK)
        rung__json_refuse(reader, "\"bundle\": %s", rung_last_error());
    spec->header.flags |= RUNG__FLAG_BUNDLE;
    spec->bundle = rung__text_new("%s", locator);
    if (!spec->bundle)
        rung__spec_note(reader, rung__fail(RUNG_NO_MEMORY, "no memory for the bundle's path"));
}

static void read_graph(struct rung__json_reader *reader, const struct rung__spec_source *source)
{
    const char *name = rung__json_text(reader, "graph", false);
    if (!name)
        return;
    if (source->spec->bundle) {
        rung__json_refuse(reader, "\"graph\" and \"bundle\" exclude each other");
        return;
    }
    source->spec->graph = rung__path_join(source->folder, name);
    if (!source->spec->graph)
        rung__spec_note(reader, rung__fail(RUNG_NO_MEMORY, "no memory for the graph's path"));
}

/* A rule of the model file that the spec breaks is the spec's mistake. */
static rung_result blame(const char *where, rung_result result)
{
    if (result == RUNG_OK || result == RUNG_NO_MEMORY)
        return result;
    return rung__fail(result == RUNG_INTEGRITY ? RUNG_INVALID_ARGUMENT : result, "%s: %s", where,
                      rung_last_error());
}

static rung_result check(struct rung__spec *spec)
{
    struct rung__artifact_view view = {0};
    rung_result result = rung__header_admit(&spec->header);
    if (result != RUNG_OK)
        return result;
    view.header = spec->header;
    for (size_t kind = 0; kind < RUNG__SECTION_KNOWN; kind++)
        view.sections[kind] = rung__buffer_bytes(&spec->sections[kind]);
    result = rung__view_check_sections(&view);
    spec->tensors = view.tensors;
    return result;
}

rung_result rung__spec_read(const json_t *json, const char *where, const char *folder,
                            struct rung__spec *out)
{
    *out = (struct rung__spec){0};
    const struct rung__spec_source source = {folder, out};
    struct rung__header *header = &out->header;
    struct rung__json_reader reader;

    rung__json_reader_init(&reader, json, where);
    read_identity(&reader, header);
    read_providers(&reader, header);
    read_canvas(&reader, &header->canvas);
    read_selection(&reader, header);
    header->max_output_bytes =
        rung__json_u64(&reader, "max_output_bytes", 0, RUNG__OUTPUT_BYTES_MAX, false,
                       rung__head_packet_bytes(header));
    read_bundle(&reader, out);
    read_graph(&reader, &source);
    rung__spec_read_tensors(&reader, &source);
    rung__spec_read_sections(&reader, &source);

    rung_result result = rung__json_reader_end(&reader);
    return result == RUNG_OK ? blame(where, check(out)) : result;
}

void rung__spec_finish(struct rung__spec *spec)
{
    for (size_t kind = 0; kind < RUNG__SECTION_KNOWN; kind++)
        rung__buffer_finish(&spec->sections[kind]);
    free(spec->graph);
    free(spec->bundle);
    *spec = (struct rung__spec){0};
}
