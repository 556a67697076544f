/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/engine_record.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/bundle.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "ladder/pins.h"

/* Characters of the digests in the name of a folder. */
#define ARTIFACT_SHOWN    32
#define FINGERPRINT_SHOWN 16

#define TIME_MAX (UINT64_C(1) << 53)

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for the record of an engine");
}

/* ---- key ---- */

static void name_folder(struct rung__engine_key *key)
{
    (void)rung__text_format(key->name, sizeof key->name, "%s-%s-%.*s-%.*s", key->rung,
                            key->precision, ARTIFACT_SHOWN, key->artifact, FINGERPRINT_SHOWN,
                            key->fingerprint);
}

rung_result rung__engine_key_make(const struct rung__rung *rung, const struct rung__header *header,
                                  const char *artifact, const char *fingerprint,
                                  struct rung__engine_key *out)
{
    uint8_t digest[RUNG__SHA256_BYTES];
    *out = (struct rung__engine_key){0};
    rung_result result = rung__sha256_of(fingerprint, strlen(fingerprint), digest);
    if (result != RUNG_OK)
        return result;
    rung__text_hex(out->fingerprint, digest, sizeof digest);
    (void)rung__text_format(out->rung, sizeof out->rung, "%s", rung->id);
    (void)rung__text_format(out->precision, sizeof out->precision, "%s",
                            rung__precision_text(rung__rung_precision(rung, header)));
    (void)rung__text_format(out->artifact, sizeof out->artifact, "%s", artifact);
    (void)rung__text_format(out->model, sizeof out->model, "%s", header->name);
    name_folder(out);
    return RUNG_OK;
}

/* ---- record ---- */

void rung__engine_record_finish(struct rung__engine_record *record)
{
    for (uint32_t i = 0; i < record->count; i++)
        free(record->files[i].path);
    free(record->files);
    *record = (struct rung__engine_record){0};
}

rung_result rung__engine_record_size(struct rung__engine_record *record, uint32_t count)
{
    record->files = calloc(count, sizeof *record->files);
    if (!record->files)
        return no_memory();
    record->count = count;
    return RUNG_OK;
}

static rung_result read_file(const json_t *json, struct rung__engine_file *to)
{
    struct rung__json_reader reader;
    char path[RUNG__BUNDLE_PATH_MAX + 1];
    rung__json_reader_init(&reader, json, "a file");
    rung__json_copy_text(&reader, "path", path, sizeof path);
    to->size = rung__json_u64(&reader, "size", 0, RUNG__BUNDLE_BYTES_MAX, true, 0);
    rung__json_copy_text(&reader, "sha256", to->sha256, sizeof to->sha256);
    rung_result result = rung__json_reader_end(&reader);
    if (result != RUNG_OK)
        return result;
    to->path = rung__text_new("%s", path);
    return to->path ? RUNG_OK : no_memory();
}

static rung_result read_files(const json_t *list, struct rung__engine_record *out)
{
    const size_t count = json_array_size(list);
    if (!count || count > RUNG__ENGINE_FILES_MAX)
        return rung__fail(RUNG_INTEGRITY, "it has %zu files; 1 to %u", count,
                          RUNG__ENGINE_FILES_MAX);
    rung_result result = rung__engine_record_size(out, (uint32_t)count);
    for (size_t i = 0; i < count && result == RUNG_OK; i++) {
        result = read_file(json_array_get(list, i), &out->files[i]);
        out->bytes += out->files[i].size; /* of 1024 such files there is no overflow */
    }
    return result;
}

static rung_result read_record(const json_t *json, struct rung__engine_record *out)
{
    struct rung__json_reader reader;
    struct rung__engine_key *key = &out->key;
    rung__json_reader_init(&reader, json, "it");
    (void)rung__json_u64(&reader, "schema", RUNG__ENGINE_RECORD_VERSION,
                         RUNG__ENGINE_RECORD_VERSION, true, RUNG__ENGINE_RECORD_VERSION);
    rung__json_copy_text(&reader, "rung", key->rung, sizeof key->rung);
    rung__json_copy_text(&reader, "precision", key->precision, sizeof key->precision);
    rung__json_copy_text(&reader, "artifact", key->artifact, sizeof key->artifact);
    rung__json_copy_text(&reader, "fingerprint", key->fingerprint, sizeof key->fingerprint);
    rung__json_copy_text(&reader, "model", key->model, sizeof key->model);
    out->built = rung__json_u64(&reader, "built", 0, TIME_MAX, true, 0);
    const json_t *files = rung__json_member(&reader, "files");
    rung_result result = rung__json_reader_end(&reader);
    if (result != RUNG_OK)
        return result;
    name_folder(key);
    return read_files(files, out);
}

rung_result rung__engine_record_parse(struct rung__bytes text, const char *path,
                                      struct rung__engine_record *out)
{
    json_t *json = NULL;
    *out = (struct rung__engine_record){0};
    rung_result result = rung__json_parse(text, path, &json);
    if (result == RUNG_OK)
        result = read_record(json, out);
    json_decref(json);
    if (result == RUNG_OK || result == RUNG_NO_MEMORY)
        return result;
    return rung__fail(RUNG_INTEGRITY, "%s is no record of an engine: %s", path, rung_last_error());
}

rung_result rung__engine_record_print(const struct rung__engine_record *record,
                                      struct rung__buffer *to)
{
    bool failed = false;
    const struct rung__engine_key *key = &record->key;
    json_t *files = json_array();
    for (uint32_t i = 0; i < record->count; i++) {
        const struct rung__engine_file *file = &record->files[i];
        rung__json_append(files,
                          json_pack("{s:s,s:I,s:s}", "path", file->path, "size",
                                    (json_int_t)file->size, "sha256", file->sha256),
                          &failed);
    }
    json_t *json = json_pack(
        "{s:i,s:s,s:s,s:s,s:s,s:s,s:I,s:o}", "schema", RUNG__ENGINE_RECORD_VERSION, "rung",
        key->rung, "precision", key->precision, "artifact", key->artifact, "fingerprint",
        key->fingerprint, "model", key->model, "built", (json_int_t)record->built, "files", files);
    rung_result result =
        rung__json_append_line(failed ? NULL : json, "the record of an engine", to);
    json_decref(json);
    return result;
}
