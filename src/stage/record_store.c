/* SPDX-License-Identifier: Apache-2.0 */
/* The file of earned records. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state_file.h"
#include "base/text.h"
#include "stage/record.h"

#define SCHEMA     1
#define FILE_LIMIT ((size_t)512 << 10)
#define FILE_MODE  0600u
#define SIDE_MAX   65535u

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for validation records");
}

json_t *rung__record_json(const struct rung__record *record)
{
    return json_pack(
        "{s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:s,s:b}", "stage", rung__stage_name(record->stage), "id",
        record->id, "environment", record->environment, "width", (json_int_t)record->width,
        "height", (json_int_t)record->height, "base_ns", (json_int_t)record->base_ns, "p50_ns",
        (json_int_t)record->p50_ns, "digest", record->digest, "refused", record->refused);
}

static void read_stage(struct rung__json_reader *reader, enum rung__stage *out)
{
    const char *name = rung__json_text(reader, "stage", true);
    for (uint32_t i = 0; name && i < RUNG__STAGES; i++)
        if (strcmp(name, rung__stage_name(i)) == 0) {
            *out = i;
            return;
        }
    if (name)
        rung__json_refuse(reader, "\"%.40s\" is no stage", name);
}

static rung_result parse_row(const json_t *json, struct rung__record *out)
{
    struct rung__json_reader reader;
    memset(out, 0, sizeof *out);
    rung__json_reader_init(&reader, json, "a record");
    read_stage(&reader, &out->stage);
    rung__json_copy_text(&reader, "id", out->id, sizeof out->id);
    rung__json_copy_text(&reader, "environment", out->environment, sizeof out->environment);
    out->width = (uint32_t)rung__json_u64(&reader, "width", 0, SIDE_MAX, true, 0);
    out->height = (uint32_t)rung__json_u64(&reader, "height", 0, SIDE_MAX, true, 0);
    out->base_ns = rung__json_u64(&reader, "base_ns", 0, INT64_MAX, true, 0);
    out->p50_ns = rung__json_u64(&reader, "p50_ns", 0, INT64_MAX, true, 0);
    rung__json_copy_text(&reader, "digest", out->digest, sizeof out->digest);
    out->refused = rung__json_bool(&reader, "refused", true, false);
    return rung__json_reader_end(&reader);
}

static rung_result parse(struct rung__bytes text, const char *path, struct rung__records *out)
{
    json_t *json = NULL;
    struct rung__json_reader reader;
    struct rung__record record;
    rung_result result = rung__json_parse(text, path, &json);
    if (result == RUNG_OK) {
        rung__json_reader_init(&reader, json, path);
        (void)rung__json_u64(&reader, "schema", SCHEMA, SCHEMA, true, SCHEMA);
        const json_t *rows = rung__json_member(&reader, "records");
        if (!json_is_array(rows) || json_array_size(rows) > RUNG__RECORDS_MAX)
            rung__json_refuse(&reader, "\"records\" is no list of at most %u", RUNG__RECORDS_MAX);
        result = rung__json_reader_end(&reader);
        for (size_t i = 0; i < json_array_size(rows) && result == RUNG_OK; i++) {
            result = parse_row(json_array_get(rows, i), &record);
            if (result == RUNG_OK)
                result = rung__records_put(out, &record);
        }
        json_decref(json);
    }
    if (result == RUNG_OK || result == RUNG_NO_MEMORY)
        return result;
    return rung__fail(RUNG_INTEGRITY, "%s: %s", path, rung_last_error());
}

rung_result rung__records_read(const char *folder, struct rung__records *out)
{
    struct rung__buffer text = {0};
    char *path;
    *out = (struct rung__records){0};
    rung_result result =
        rung__state_file_load(folder, RUNG__RECORDS_FILE, FILE_LIMIT, &path, &text);
    if (result == RUNG_OK)
        result = parse(rung__buffer_bytes(&text), path, out);
    if (result != RUNG_OK)
        rung__records_finish(out);
    rung__buffer_finish(&text);
    free(path);
    return result == RUNG_NOT_FOUND ? RUNG_OK : result;
}

static json_t *json_of(const struct rung__records *records)
{
    bool failed = false;
    json_t *json = json_object(), *rows = json_array();
    for (uint32_t i = 0; i < records->count; i++)
        rung__json_append(rows, rung__record_json(&records->rows[i]), &failed);
    rung__json_set(json, "schema", json_integer(SCHEMA), &failed);
    rung__json_set(json, "records", rows, &failed);
    if (!failed)
        return json;
    json_decref(json);
    return NULL;
}

rung_result rung__records_write(const char *folder, const struct rung__records *records)
{
    struct rung__buffer text = {0};
    char *path = rung__path_join(folder, RUNG__RECORDS_FILE);
    json_t *json = json_of(records);
    rung_result result = path && json ? rung__folder_make(folder) : no_memory();
    if (result == RUNG_OK)
        result = rung__folder_check_private(folder);
    if (result == RUNG_OK)
        result = rung__json_append_line(json, "validation records", &text);
    if (result == RUNG_OK)
        result = rung__file_save(path, rung__buffer_bytes(&text), FILE_MODE, true);
    rung__buffer_finish(&text);
    json_decref(json);
    free(path);
    return result;
}

static rung_result change_locked(const char *folder, const struct rung__record *rows,
                                 uint32_t count)
{
    struct rung__records records;
    rung_result result = rung__records_read(folder, &records);
    if (result != RUNG_NO_MEMORY)
        result = RUNG_OK; /* what cannot be understood says nothing */
    for (uint32_t i = 0; i < count && result == RUNG_OK; i++) {
        if (rows[i].digest[0] || rows[i].refused)
            result = rung__records_put(&records, &rows[i]);
        else
            rung__records_drop(&records, &rows[i]);
    }
    if (result == RUNG_OK)
        result = rung__records_write(folder, &records);
    rung__records_finish(&records);
    return result;
}

rung_result rung__records_change(const char *folder, const struct rung__record *rows,
                                 uint32_t count)
{
    struct rung__file_lock lock = {0};
    rung_result result = rung__state_file_lock(folder, RUNG__RECORDS_LOCK, &lock);
    if (result != RUNG_OK)
        return result;
    result = change_locked(folder, rows, count);
    rung__file_lock_release(&lock);
    return result;
}
