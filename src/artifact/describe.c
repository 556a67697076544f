/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/describe.h"

#include <string.h>

#include "artifact/describe_parts.h"
#include "artifact/golden.h"
#include "artifact/header.h"
#include "artifact/names.h"
#include "artifact/onnx.h"
#include "artifact/pack.h"
#include "base/error.h"
#include "base/text.h"

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to describe a model file");
}

/* ---- spec -------------------------------------------------------------------------------- */

static json_t *inline_text(struct rung__bytes text, bool *failed)
{
    json_t *object = json_object();
    rung__json_set(object, "text", rung__describe_text(text), failed);
    return object;
}

static json_t *inline_hex(struct rung__bytes bytes, bool *failed)
{
    json_t *object = json_object();
    rung__json_set(object, "hex", rung__describe_hex(bytes), failed);
    return object;
}

static rung_result read_golden(const struct rung__artifact_view *view, struct rung__golden *golden)
{
    return rung__golden_parse(view->sections[RUNG__SECTION_GOLDEN], &view->tensors, golden);
}

static void set_golden_spec(const struct rung__artifact_view *view, json_t *object, bool *failed)
{
    struct rung__golden golden;
    if (!view->sections[RUNG__SECTION_GOLDEN].size || read_golden(view, &golden) != RUNG_OK)
        return;
    json_t *part = json_object(), *outputs = json_array();
    rung__json_set(part, "input",
                   golden.input_kind == RUNG__GOLDEN_GENERATED ? json_string("generated")
                                                               : inline_hex(golden.input, failed),
                   failed);
    rung__json_set(part, "tolerance", json_real((double)golden.tolerance), failed);
    for (uint32_t i = 0; i < golden.output_count; i++)
        rung__json_append(outputs, inline_hex(golden.outputs[i], failed), failed);
    rung__json_set(part, "outputs", outputs, failed);
    rung__json_set(object, "golden", part, failed);
}

static void set_text_specs(const struct rung__artifact_view *view, json_t *object, bool *failed)
{
    static const uint32_t kinds[] = {RUNG__SECTION_GATE, RUNG__SECTION_PRECISION,
                                     RUNG__SECTION_LICENCE, RUNG__SECTION_DEVICE};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (view->sections[kinds[i]].size)
            rung__json_set(object, rung__name_text(&rung__section_names, kinds[i]),
                           inline_text(view->sections[kinds[i]], failed), failed);
}

/* Packs the spec in memory and compares: the promise is cheaper to check than to argue. */
static rung_result confirm_spec(const struct rung__artifact *artifact, const json_t *json)
{
    const struct rung__artifact_view *view = &artifact->view;
    struct rung__buffer message = {0};
    struct rung__spec spec;
    struct rung__payload payload = {.bytes = view->sections[RUNG__SECTION_PAYLOAD]};
    memcpy(payload.digest, view->header.digest, sizeof payload.digest); /* admission checked it */
    rung_result result = rung__spec_read(json, artifact->path, ".", &spec);
    if (result == RUNG_OK)
        result = rung__pack(&spec, artifact->path, &payload,
                            artifact->is_signed ? view->header.key_id : NULL, &message);
    const bool same = result == RUNG_OK && message.size <= view->file.size &&
                      memcmp(message.data, view->file.data, message.size) == 0;
    rung__buffer_finish(&message);
    rung__spec_finish(&spec);
    if (same || result == RUNG_NO_MEMORY)
        return result;
    return rung__fail(RUNG_UNSUPPORTED,
                      "%s: another tool laid this file out in a way that no spec gives",
                      artifact->path);
}

rung_result rung__describe_spec(const struct rung__artifact *artifact, json_t **out)
{
    const struct rung__artifact_view *view = &artifact->view;
    json_t *object = json_object();
    bool failed = false;

    rung__json_set(object, "schema", json_integer(RUNG__SPEC_SCHEMA), &failed);
    rung__describe_header(view, object, &failed);
    rung__describe_tensors(view, object, &failed);
    rung__describe_labels(view, object, &failed);
    set_text_specs(view, object, &failed);
    set_golden_spec(view, object, &failed);

    rung_result result = failed ? no_memory() : confirm_spec(artifact, object);
    if (result != RUNG_OK) {
        json_decref(object);
        object = NULL;
    }
    *out = object;
    return result;
}

/* ---- report ------------------------------------------------------------------------------ */

static json_t *sections_of(const struct rung__section_table *table, bool *failed)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < table->count; i++) {
        const struct rung__section *row = &table->rows[i];
        const char *name = rung__name_text(&rung__section_names, row->kind);
        json_t *object = json_object();
        rung__json_set(object, "kind", json_integer(row->kind), failed);
        rung__json_set(object, "name", json_string(name ? name : "ignored"), failed);
        rung__json_set(object, "offset", json_integer((json_int_t)row->offset), failed);
        rung__json_set(object, "bytes", json_integer((json_int_t)row->bytes), failed);
        rung__json_append(array, object, failed);
    }
    return array;
}

static json_t *digest_text(const uint8_t digest[RUNG__SHA256_BYTES])
{
    return rung__describe_hex((struct rung__bytes){digest, RUNG__SHA256_BYTES});
}

static void set_file(const struct rung__artifact *artifact, json_t *object, bool *failed)
{
    rung__json_set(object, "path", json_string(artifact->path), failed);
    rung__json_set(object, "bytes", json_integer((json_int_t)artifact->view.file.size), failed);
    rung__json_set(object, "signed", json_boolean(artifact->is_signed), failed);
    if (artifact->is_signed)
        rung__json_set(object, "key_id", json_string(artifact->key_id_text), failed);
    rung__json_set(object, "digest", json_string(artifact->digest_text), failed);
    rung__json_set(object, "message_digest", digest_text(artifact->message_digest), failed);
}

static void set_graph(const struct rung__artifact_view *view, json_t *object, bool *failed)
{
    struct rung__onnx graph;
    if (rung__kind_is_bundle(view->header.kind))
        return;
    if (rung__onnx_read(view->sections[RUNG__SECTION_PAYLOAD], &graph) != RUNG_OK)
        return;
    json_t *part = json_object();
    rung__json_set(part, "opset", json_integer(graph.opset), failed);
    rung__json_set(part, "ir_version", json_integer(graph.ir_version), failed);
    rung__json_set(object, "graph", part, failed);
}

static void set_bundle(const struct rung__artifact *artifact, json_t *object, bool *failed)
{
    if (!(artifact->view.header.flags & RUNG__FLAG_BUNDLE))
        return;
    rung__json_set(object, "bundle_files", json_integer((json_int_t)artifact->bundle_files),
                   failed);
    rung__json_set(object, "bundle_bytes", json_integer((json_int_t)artifact->bundle_bytes),
                   failed);
}

static void set_golden_report(const struct rung__artifact_view *view, json_t *object, bool *failed)
{
    struct rung__golden golden;
    if (!view->sections[RUNG__SECTION_GOLDEN].size || read_golden(view, &golden) != RUNG_OK)
        return;
    const bool generated = golden.input_kind == RUNG__GOLDEN_GENERATED;
    json_t *part = json_object();
    rung__json_set(part, "input", json_string(generated ? "generated" : "stored"), failed);
    rung__json_set(part, "tolerance", json_real((double)golden.tolerance), failed);
    rung__json_set(object, "golden", part, failed);
}

static void set_records(const struct rung__artifact_view *view, json_t *object, bool *failed)
{
    static const uint32_t kinds[] = {RUNG__SECTION_GATE, RUNG__SECTION_PRECISION,
                                     RUNG__SECTION_DEVICE};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *name = rung__name_text(&rung__section_names, kinds[i]);
        json_t *record = NULL;
        if (!view->sections[kinds[i]].size)
            continue;
        if (rung__json_parse(view->sections[kinds[i]], name, &record) != RUNG_OK)
            *failed = true;
        else
            rung__json_set(object, name, record, failed);
    }
    if (view->sections[RUNG__SECTION_LICENCE].size)
        rung__json_set(object, "licence",
                       rung__describe_text(view->sections[RUNG__SECTION_LICENCE]), failed);
}

rung_result rung__describe_report(const struct rung__artifact *artifact, json_t **out)
{
    const struct rung__artifact_view *view = &artifact->view;
    json_t *object = json_object();
    bool failed = false;

    rung__json_set(object, "schema", json_integer(RUNG__SPEC_SCHEMA), &failed);
    set_file(artifact, object, &failed);
    rung__describe_header(view, object, &failed);
    rung__describe_tensors(view, object, &failed);
    rung__describe_labels(view, object, &failed);
    set_graph(view, object, &failed);
    set_bundle(artifact, object, &failed);
    set_golden_report(view, object, &failed);
    set_records(view, object, &failed);
    rung__describe_gates(view, object, &failed);
    rung__json_set(object, "sections", sections_of(&artifact->layout.table, &failed), &failed);

    *out = object;
    if (!failed)
        return RUNG_OK;
    json_decref(object);
    *out = NULL;
    return no_memory();
}
