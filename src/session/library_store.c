/* SPDX-License-Identifier: Apache-2.0 */
#include "session/library_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/state_file.h"
#include "base/text.h"

#define SCHEMA     1
#define FILE_LIMIT (1u << 20)
#define LOCK_FILE  "libraries.lock"
#define FILE_MODE  0600u
#define NUMBER_MAX ((uint64_t)INT64_MAX)

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for the list of libraries");
}

/* ---- from JSON ------------------------------------------------------------------------------ */

static const struct rung__runtime *runtime_named(const char *name)
{
    for (size_t i = 0; i < RUNG__RUNTIMES; i++)
        if (name && strcmp(rung__runtimes[i].name, name) == 0)
            return &rung__runtimes[i];
    return NULL;
}

static void read_stamp(struct rung__json_reader *reader, struct rung__file_stamp *to)
{
    to->device = rung__json_u64(reader, "device", 0, NUMBER_MAX, true, 0);
    to->inode = rung__json_u64(reader, "inode", 0, NUMBER_MAX, true, 0);
    to->size = rung__json_u64(reader, "size", 0, NUMBER_MAX, true, 0);
    to->modified_ns = (int64_t)rung__json_u64(reader, "modified_ns", 0, NUMBER_MAX, true, 0);
    to->changed_ns = (int64_t)rung__json_u64(reader, "changed_ns", 0, NUMBER_MAX, true, 0);
}

/** A digest in hexadecimal, or "". */
static void read_digest(struct rung__json_reader *reader, const char *key,
                        char to[RUNG__LIBRARY_DIGEST])
{
    rung__json_copy_text(reader, key, to, RUNG__LIBRARY_DIGEST);
    const size_t length = strlen(to);
    if (length && (length != RUNG__LIBRARY_DIGEST - 1 ||
                   strspn(to, "0123456789abcdef") != RUNG__LIBRARY_DIGEST - 1))
        rung__json_refuse(reader, "%s is no digest", key);
}

/** The names of what loading one came to. */
static const struct {
    const char *name;
    rung_result result;
} results[] = {
    {"loads", RUNG_OK},
    {"missing", RUNG_NOT_FOUND},
    {"unsupported", RUNG_UNSUPPORTED},
    {"broken", RUNG_BACKEND},
};
#define RESULTS (sizeof results / sizeof *results)

static rung_result read_outcome(struct rung__json_reader *reader, struct rung__library_facts *to)
{
    const char *name = rung__json_text(reader, "outcome", true);
    const char *reason = rung__json_text(reader, "reason", true);
    size_t i = 0;
    while (i < RESULTS && name && strcmp(results[i].name, name) != 0)
        i++;
    if (!name || !reason || i == RESULTS) {
        rung__json_refuse(reader, "there is no such outcome");
        return RUNG_OK;
    }
    to->result = results[i].result;
    if (to->result == RUNG_OK)
        return RUNG_OK;
    to->reason = rung__text_new("%s", reason);
    if (!to->reason)
        return no_memory();
    rung__text_clean(to->reason);
    return RUNG_OK;
}

static rung_result read_library(const json_t *json, struct rung__known_library *to)
{
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, json, "a library");
    to->described = true;
    to->runtime = runtime_named(rung__json_text(&reader, "runtime", true));
    if (!to->runtime)
        rung__json_refuse(&reader, "there is no such runtime");
    const char *path = rung__json_text(&reader, "path", true);
    if (path && !(to->path = rung__text_new("%s", path)))
        return no_memory();
    read_stamp(&reader, &to->stamp);
    read_digest(&reader, "digest", to->digest);
    read_digest(&reader, "places", to->places);
    rung_result result = read_outcome(&reader, &to->facts);
    if (result == RUNG_OK)
        result = rung__library_facts_read(&reader, &to->facts);
    const rung_result ended = rung__json_reader_end(&reader);
    return result == RUNG_OK ? ended : result;
}

static rung_result read_libraries(const json_t *json, struct rung__libraries *out)
{
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, json, "it");
    (void)rung__json_u64(&reader, "schema", SCHEMA, SCHEMA, true, SCHEMA);
    const json_t *list = rung__json_member(&reader, "libraries");
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count > RUNG__LIBRARIES_MOST)
        rung__json_refuse(&reader, "it has %zu libraries; at most %u", count, RUNG__LIBRARIES_MOST);
    rung_result result = rung__json_reader_end(&reader);
    if (result != RUNG_OK)
        return result;
    out->items = calloc(count + 1, sizeof *out->items);
    if (!out->items)
        return no_memory();
    for (size_t i = 0; i < count && result == RUNG_OK; i++) {
        out->count = i + 1;
        result = read_library(json_array_get(list, i), &out->items[i]);
    }
    return result;
}

static rung_result parse(struct rung__bytes text, const char *path, struct rung__libraries *out)
{
    json_t *json = NULL;
    rung_result result = rung__json_parse(text, path, &json);
    if (result == RUNG_OK)
        result = read_libraries(json, out);
    json_decref(json);
    if (result == RUNG_OK || result == RUNG_NO_MEMORY)
        return result;
    return rung__fail(RUNG_INTEGRITY, "%s is no list of libraries: %s", path, rung_last_error());
}

rung_result rung__library_store_read(const char *folder, struct rung__libraries *out)
{
    struct rung__buffer text = {0};
    char *path;
    *out = (struct rung__libraries){0};
    rung_result result =
        rung__state_file_load(folder, RUNG__LIBRARY_FILE, FILE_LIMIT, &path, &text);
    if (result == RUNG_OK)
        result = parse(rung__buffer_bytes(&text), path, out);
    rung__buffer_finish(&text);
    free(path);
    return result;
}

/* ---- to JSON -------------------------------------------------------------------------------- */

static const char *result_name(rung_result result)
{
    for (size_t i = 0; i < RESULTS; i++)
        if (results[i].result == result)
            return results[i].name;
    return "broken";
}

static json_t *library_json(const struct rung__known_library *library, bool *failed)
{
    const struct rung__library_facts *facts = &library->facts;
    json_t *json = rung__library_facts_json(facts);
    json_t *more = json_pack(
        "{s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:s,s:s,s:s,s:s}", "runtime", library->runtime->name, "path",
        library->path, "device", (json_int_t)library->stamp.device, "inode",
        (json_int_t)library->stamp.inode, "size", (json_int_t)library->stamp.size, "modified_ns",
        (json_int_t)library->stamp.modified_ns, "changed_ns", (json_int_t)library->stamp.changed_ns,
        "digest", library->digest, "places", library->places, "outcome", result_name(facts->result),
        "reason", facts->reason ? facts->reason : "");
    if (!json || !more || json_object_update(json, more) != 0)
        *failed = true;
    json_decref(more);
    return json;
}

static bool is_of(const struct rung__known_library *a, const struct rung__known_library *b)
{
    return a->runtime == b->runtime && strcmp(a->path, b->path) == 0;
}

static bool is_replaced(const struct rung__known_library *old, const struct rung__libraries *found)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->items[i].fresh && is_of(old, &found->items[i]))
            return true;
    return false;
}

/** A path that JSON cannot hold is not remembered. */
static bool can_be_written(const struct rung__known_library *library)
{
    const char *file = library->facts.file ? library->facts.file : "";
    return rung__bytes_are_text(
               (struct rung__bytes){(const uint8_t *)library->path, strlen(library->path)}) &&
           rung__bytes_are_text((struct rung__bytes){(const uint8_t *)file, strlen(file)});
}

/** The older ones first. */
static json_t *list_json(const struct rung__libraries *before, const struct rung__libraries *found,
                         bool *failed)
{
    json_t *list = json_array();
    for (size_t i = 0; i < before->count; i++)
        if (!is_replaced(&before->items[i], found))
            rung__json_append(list, library_json(&before->items[i], failed), failed);
    for (size_t i = 0; i < found->count; i++)
        if (found->items[i].fresh && can_be_written(&found->items[i]))
            rung__json_append(list, library_json(&found->items[i], failed), failed);
    while (json_array_size(list) > RUNG__LIBRARIES_MOST)
        (void)json_array_remove(list, 0);
    return list;
}

static rung_result save(const char *folder, const struct rung__libraries *before,
                        const struct rung__libraries *found)
{
    bool failed = false;
    struct rung__buffer text = {0};
    json_t *list = list_json(before, found, &failed);
    json_t *json = json_pack("{s:i,s:o}", "schema", SCHEMA, "libraries", list);
    char *path = rung__path_join(folder, RUNG__LIBRARY_FILE);
    rung_result result = path && !failed
                             ? rung__json_append_line(json, "the list of libraries", &text)
                             : no_memory();
    if (result == RUNG_OK)
        result = rung__file_save(path, rung__buffer_bytes(&text), FILE_MODE, true);
    rung__buffer_finish(&text);
    json_decref(json);
    free(path);
    return result;
}

static rung_result put_locked(const char *folder, const struct rung__libraries *found)
{
    struct rung__libraries before;
    rung_result result = rung__library_store_read(folder, &before);
    if (result != RUNG_OK && result != RUNG_NO_MEMORY) {
        rung__libraries_finish(&before); /* what was there says nothing */
        result = RUNG_OK;
    }
    if (result == RUNG_OK)
        result = save(folder, &before, found);
    rung__libraries_finish(&before);
    return result;
}

rung_result rung__library_store_put(const char *folder, const struct rung__libraries *found)
{
    struct rung__file_lock lock = {0};
    rung_result result = rung__state_file_lock(folder, LOCK_FILE, &lock);
    if (result != RUNG_OK)
        return result;
    result = put_locked(folder, found);
    rung__file_lock_release(&lock);
    return result;
}
