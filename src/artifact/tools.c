/* SPDX-License-Identifier: Apache-2.0 */
#include <rung/artifact.h>

#include <stdlib.h>
#include <string.h>

#include "artifact/artifact.h"
#include "artifact/bundle.h"
#include "artifact/describe.h"
#include "artifact/heads.h"
#include "artifact/numbers.h"
#include "artifact/pack.h"
#include "artifact/signature.h"
#include "base/error.h"
#include "base/file.h"

/* ---- pack -------------------------------------------------------------------------------- */

static rung_result read_pack_options(const rung_pack_options *options, rung_pack_options *out)
{
    *out = (rung_pack_options){0};
    if (!options)
        return rung__fail(RUNG_INVALID_ARGUMENT, "options are needed");
    if (options->version != RUNG_STRUCT_VERSION)
        return rung__fail(RUNG_VERSION, "rung_pack_options has version %u, not %u",
                          options->version, RUNG_STRUCT_VERSION);
    memcpy(out, options, options->struct_size < sizeof *out ? options->struct_size : sizeof *out);
    for (size_t i = 0; i < sizeof out->reserved / sizeof out->reserved[0]; i++)
        if (out->reserved[i] != 0)
            return rung__fail(RUNG_INVALID_ARGUMENT, "reserved fields of rung_pack_options are not "
                                                     "zero");
    if (!out->spec_path || !out->output_path)
        return rung__fail(RUNG_INVALID_ARGUMENT, "a spec and an output path are needed");
    return RUNG_OK;
}

static rung_result load_spec(const char *path, struct rung__spec *spec)
{
    struct rung__buffer text = {0};
    json_t *json = NULL;
    char *folder = rung__path_folder(path);
    rung_result result = folder ? rung__file_load(path, RUNG__SPEC_BYTES_MAX, &text)
                                : rung__fail(RUNG_NO_MEMORY, "no memory to read %s", path);
    if (result == RUNG_OK)
        result = rung__json_parse(rung__buffer_bytes(&text), path, &json);
    if (result == RUNG_OK)
        result = rung__spec_read(json, path, folder, spec);
    json_decref(json);
    rung__buffer_finish(&text);
    free(folder);
    return result;
}

/** A target's class is the number of its label: with labels of another model it would be called
 * what it is not. */
static rung_result check_labels(const struct rung__spec *spec, const char *where)
{
    const struct rung__artifact_view view = {.sections[RUNG__SECTION_LABELS] = rung__buffer_bytes(
                                                 &spec->sections[RUNG__SECTION_LABELS])};
    if (rung__head_check_labels(&spec->header, &spec->tensors, rung__artifact_label_count(&view)) !=
        RUNG_OK)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: %s", where, rung_last_error());
    return RUNG_OK;
}

/* What is packed, and what for. */
struct packing {
    const struct rung__spec *spec;
    const char *where; /**< the spec's name */
    const uint8_t *key_id;
    struct rung__buffer *message;
};

static rung_result pack_payload(const struct packing *packing, const struct rung__payload *payload)
{
    return rung__pack(packing->spec, packing->where, payload, packing->key_id, packing->message);
}

static rung_result pack_graph(const struct packing *packing, const char *path)
{
    struct rung__file file;
    struct rung__payload payload = {0};
    rung_result result = rung__file_open(path, &file);
    if (result != RUNG_OK)
        return result;
    result = rung__file_map(&file, &payload.bytes);
    if (result == RUNG_OK)
        result = rung__sha256_of(payload.bytes.data, payload.bytes.size, payload.digest);
    if (result == RUNG_OK)
        result = pack_payload(packing, &payload);
    if (result == RUNG_OK && !rung__file_is_unchanged(&file))
        result = rung__fail(RUNG_IO, "it was changed while it was packed");
    if (result != RUNG_OK && result != RUNG_INVALID_ARGUMENT)
        result = rung__fail(result, "%s: %s", path, rung_last_error());
    rung__file_unmap(&payload.bytes);
    rung__file_close(&file);
    return result;
}

/* The locator leads from the folder of the file that is written. */
static rung_result pack_bundle(const struct packing *packing, const char *output_path)
{
    struct rung__bundle bundle;
    const char *locator = packing->spec->bundle;
    struct rung__payload payload = {.bytes = {(const uint8_t *)locator, strlen(locator)}};
    char *folder = rung__path_folder(output_path);
    rung_result result = folder ? rung__bundle_open(folder, payload.bytes, &bundle)
                                : rung__fail(RUNG_NO_MEMORY, "no memory to read a bundle");
    free(folder);
    if (result == RUNG_OK) {
        result = rung__bundle_hash(&bundle, NULL, payload.digest);
        rung__bundle_finish(&bundle);
    }
    if (result == RUNG_NOT_FOUND)
        return rung__fail(RUNG_IO, "the bundle is looked for from the folder of the model file: %s",
                          rung_last_error());
    return result == RUNG_OK ? pack_payload(packing, &payload) : result;
}

static rung_result pack_any(const struct packing *packing, const rung_pack_options *options)
{
    const struct rung__spec *spec = packing->spec;
    const char *graph = options->graph_path ? options->graph_path : spec->graph;
    if (spec->bundle && graph)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s names a bundle, so %s cannot be the graph",
                          packing->where, graph);
    if (spec->bundle)
        return pack_bundle(packing, options->output_path);
    if (!graph)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "%s names no \"graph\", and none was given; name it behind the spec",
                          packing->where);
    return pack_graph(packing, graph);
}

static bool is_same_file(const char *a, const char *b)
{
    struct rung__file one, other;
    bool same = false;
    if (rung__file_open(a, &one) != RUNG_OK)
        return false;
    if (rung__file_open(b, &other) == RUNG_OK) {
        same = one.stamp.device == other.stamp.device && one.stamp.inode == other.stamp.inode;
        rung__file_close(&other);
    }
    rung__file_close(&one);
    return same;
}

/** What the file is made from stays. */
static rung_result check_output(const rung_pack_options *options, const struct rung__spec *spec)
{
    const char *const inputs[] = {options->spec_path, options->key_path,
                                  options->graph_path ? options->graph_path : spec->graph};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i] && is_same_file(options->output_path, inputs[i]))
            return rung__fail(RUNG_INVALID_ARGUMENT,
                              "%s would be written over %s, which it is made from; name another "
                              "output",
                              options->output_path, inputs[i]);
    return RUNG_OK;
}

rung_result rung_artifact_pack(const rung_pack_options *options)
{
    rung_pack_options own;
    struct rung__spec spec = {0};
    struct rung__buffer message = {0};
    uint8_t key_id[RUNG__KEY_ID_BYTES];
    void *key = NULL;

    rung_result result = read_pack_options(options, &own);
    if (result == RUNG_OK && own.key_path)
        result = rung__key_load_private(own.key_path, &key, key_id);
    if (result == RUNG_OK)
        result = load_spec(own.spec_path, &spec);
    if (result == RUNG_OK)
        result = check_labels(&spec, own.spec_path);
    if (result == RUNG_OK)
        result = check_output(&own, &spec);
    const struct packing packing = {&spec, own.spec_path, key ? key_id : NULL, &message};
    if (result == RUNG_OK)
        result = pack_any(&packing, &own);
    if (result == RUNG_OK)
        result = rung__pack_save(&message, key, own.output_path);

    rung__key_free(key);
    rung__buffer_finish(&message);
    rung__spec_finish(&spec);
    return result;
}

/* ---- inspect ----------------------------------------------------------------------------- */

/* Fields are u16 and f32: more digits than these would only show how they are rounded. */
static rung_result write_json(const json_t *json, rung_span to, size_t *needed)
{
    const size_t flags = JSON_INDENT(1) | JSON_REAL_PRECISION(RUNG__NUMBER_DIGITS);
    const size_t length = json_dumpb(json, NULL, 0, flags);
    if (length == 0)
        return rung__fail(RUNG_NO_MEMORY, "no memory to write a description");
    if (needed)
        *needed = length + 1;
    if (to.size < length + 1)
        return rung__fail(RUNG_CAPACITY,
                          "the description needs %zu bytes, and there is room for "
                          "%zu",
                          length + 1, to.size);
    if (json_dumpb(json, to.data, length, flags) != length)
        return rung__fail(RUNG_NO_MEMORY, "no memory to write a description");
    ((char *)to.data)[length] = '\0';
    return RUNG_OK;
}

rung_result rung_artifact_inspect(const char *path, rung_inspect_form form, rung_span json,
                                  size_t *needed)
{
    struct rung__artifact artifact;
    json_t *description = NULL;
    if (!path || (form != RUNG_INSPECT_REPORT && form != RUNG_INSPECT_SPEC))
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "a path and RUNG_INSPECT_REPORT or RUNG_INSPECT_SPEC are needed");
    if (!json.data && json.size)
        return rung__fail(RUNG_INVALID_ARGUMENT, "the span has a size but no memory");
    rung_result result = rung__artifact_admit(path, RUNG__ADMIT_STRUCTURE, NULL, &artifact);
    if (result != RUNG_OK)
        return result;
    result = form == RUNG_INSPECT_SPEC ? rung__describe_spec(&artifact, &description)
                                       : rung__describe_report(&artifact, &description);
    if (result == RUNG_OK)
        result = write_json(description, json, needed);
    json_decref(description);
    rung__artifact_finish(&artifact);
    return result;
}
