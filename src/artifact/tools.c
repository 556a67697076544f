/* SPDX-License-Identifier: Apache-2.0 */
#include <rung/artifact.h>

#include <stdlib.h>
#include <string.h>

#include "artifact/bundle.h"
#include "artifact/describe.h"
#include "artifact/header.h"
#include "artifact/numbers.h"
#include "artifact/pack.h"
#include "artifact/signature.h"
#include "base/error.h"
#include "base/file.h"

#define MODE_SECRET 0600u
#define MODE_PUBLIC 0644u

/* ---- keys -------------------------------------------------------------------------------- */

static void finish_secret(struct rung__buffer *secret)
{
    volatile uint8_t *at = secret->data;
    for (size_t i = 0; i < secret->size; i++)
        at[i] = 0;
    rung__buffer_finish(secret);
}

static rung_result refuse_existing(const char *path)
{
    if (rung__path_kind(path) == RUNG__PATH_MISSING)
        return RUNG_OK;
    return rung__fail(RUNG_ALREADY_EXISTS, "%s exists already; keys are never overwritten", path);
}

rung_result rung_key_generate(const char *private_path, const char *public_path)
{
    struct rung__buffer private_pem = {0}, public_pem = {0};
    void *key = NULL;
    if (!private_path || !public_path || strcmp(private_path, public_path) == 0)
        return rung__fail(RUNG_INVALID_ARGUMENT, "a path for the private key and another one for "
                                                 "the public key are needed");
    rung_result result = refuse_existing(private_path);
    if (result == RUNG_OK)
        result = refuse_existing(public_path);
    if (result == RUNG_OK)
        result = rung__key_make(&key);
    if (result == RUNG_OK)
        result = rung__key_write_private(key, &private_pem);
    if (result == RUNG_OK)
        result = rung__key_write_public(key, &public_pem);
    if (result == RUNG_OK)
        result =
            rung__file_save(private_path, rung__buffer_bytes(&private_pem), MODE_SECRET, false);
    if (result == RUNG_OK)
        result = rung__file_save(public_path, rung__buffer_bytes(&public_pem), MODE_PUBLIC, false);

    rung__key_free(key);
    finish_secret(&private_pem);
    rung__buffer_finish(&public_pem);
    return result;
}

static rung_result load_private_key(const char *path, void **key, uint8_t id[RUNG__KEY_ID_BYTES])
{
    struct rung__buffer pem = {0};
    rung_result result = rung__file_load(path, RUNG__PEM_BYTES_MAX, &pem);
    if (result == RUNG_OK)
        result = rung__key_read_private(rung__buffer_bytes(&pem), path, key);
    if (result == RUNG_OK)
        result = rung__key_id(*key, id);
    finish_secret(&pem);
    return result;
}

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
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s names no \"graph\", and none was given",
                          packing->where);
    return pack_graph(packing, graph);
}

static rung_result append_signature(void *key, struct rung__buffer *message)
{
    uint8_t digest[RUNG__SHA256_BYTES], signature[RUNG__SIGNATURE_BYTES];
    rung_result result = rung__sha256_of(message->data, message->size, digest);
    if (result == RUNG_OK)
        result = rung__signature_make(key, digest, signature);
    if (result == RUNG_OK)
        result = rung__buffer_append(message, signature, sizeof signature);
    return result;
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
        result = load_private_key(own.key_path, &key, key_id);
    if (result == RUNG_OK)
        result = load_spec(own.spec_path, &spec);
    const struct packing packing = {&spec, own.spec_path, key ? key_id : NULL, &message};
    if (result == RUNG_OK)
        result = pack_any(&packing, &own);
    if (result == RUNG_OK && key)
        result = append_signature(key, &message);
    if (result == RUNG_OK)
        result = rung__file_save(own.output_path, rung__buffer_bytes(&message), MODE_PUBLIC, true);

    rung__key_free(key);
    rung__buffer_finish(&message);
    rung__spec_finish(&spec);
    return result;
}

/* ---- sign -------------------------------------------------------------------------------- */

/* The new header, for the owner of `key_id`; all behind it stays as it is. */
static void make_signed_header(const struct rung__artifact *artifact,
                               const uint8_t key_id[RUNG__KEY_ID_BYTES],
                               uint8_t to[RUNG__HEADER_BYTES])
{
    struct rung__header header = artifact->view.header;
    const uint64_t message_bytes = rung__header_message_bytes(&header);
    header.flags |= RUNG__FLAG_SIGNED;
    header.file_bytes = message_bytes + RUNG__SIGNATURE_BYTES;
    header.signature_offset = message_bytes;
    memcpy(header.key_id, key_id, RUNG__KEY_ID_BYTES);
    rung__header_encode(&header, to);
}

static rung_result sign_parts(void *key, struct rung__bytes head, struct rung__bytes rest,
                              uint8_t signature[RUNG__SIGNATURE_BYTES])
{
    uint8_t digest[RUNG__SHA256_BYTES];
    struct rung__sha256 sha;
    rung_result result = rung__sha256_init(&sha);
    if (result != RUNG_OK)
        return result;
    result = rung__sha256_update(&sha, head.data, head.size);
    if (result == RUNG_OK)
        result = rung__sha256_update(&sha, rest.data, rest.size);
    if (result == RUNG_OK)
        result = rung__sha256_result(&sha, digest);
    rung__sha256_finish(&sha);
    return result == RUNG_OK ? rung__signature_make(key, digest, signature) : result;
}

static rung_result write_signed(const struct rung__artifact *artifact, void *key,
                                const uint8_t key_id[RUNG__KEY_ID_BYTES], const char *output_path)
{
    uint8_t head[RUNG__HEADER_BYTES], signature[RUNG__SIGNATURE_BYTES];
    struct rung__file_writer writer;
    struct rung__bytes rest = {0};
    const uint64_t message_bytes = rung__header_message_bytes(&artifact->view.header);

    make_signed_header(artifact, key_id, head);
    rung__bytes_slice(artifact->view.file, sizeof head, message_bytes - sizeof head, &rest);
    rung_result result = sign_parts(key, (struct rung__bytes){head, sizeof head}, rest, signature);
    if (result == RUNG_OK)
        result = rung__file_writer_begin(&writer, output_path, MODE_PUBLIC);
    if (result == RUNG_OK)
        result = rung__file_writer_write(&writer, head, sizeof head);
    if (result == RUNG_OK)
        result = rung__file_writer_write(&writer, rest.data, rest.size);
    if (result == RUNG_OK)
        result = rung__file_writer_write(&writer, signature, sizeof signature);
    if (result == RUNG_OK)
        result = rung__file_writer_commit(&writer, true);
    return result;
}

rung_result rung_artifact_sign(const char *path, const char *key_path, const char *output_path)
{
    struct rung__artifact artifact = {0};
    uint8_t key_id[RUNG__KEY_ID_BYTES];
    void *key = NULL;
    if (!path || !key_path)
        return rung__fail(RUNG_INVALID_ARGUMENT, "a model file and a private key are needed");
    rung_result result = load_private_key(key_path, &key, key_id);
    if (result == RUNG_OK)
        result = rung__artifact_admit(path, RUNG__ADMIT_STRUCTURE, NULL, &artifact);
    if (result == RUNG_OK)
        result = write_signed(&artifact, key, key_id, output_path ? output_path : path);
    rung__artifact_finish(&artifact);
    rung__key_free(key);
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
