/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/overrides.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "base/state_file.h"
#include "base/text.h"

#define SCHEMA     1
#define FILE_LIMIT 4096u
#define FILE_MODE  0600u

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for the rung that is wanted");
}

static rung_result parse(struct rung__bytes text, const char *path, char rung[RUNG__RUNG_ID_BYTES])
{
    json_t *json = NULL;
    struct rung__json_reader reader;
    rung_result result = rung__json_parse(text, path, &json);
    if (result == RUNG_OK) {
        rung__json_reader_init(&reader, json, path);
        (void)rung__json_u64(&reader, "schema", SCHEMA, SCHEMA, true, SCHEMA);
        const char *id = rung__json_text(&reader, "rung", true);
        if (id && (!*id || !rung__text_format(rung, RUNG__RUNG_ID_BYTES, "%s", id)))
            rung__json_refuse(&reader, "\"rung\" is no name of one");
        result = rung__json_reader_end(&reader);
        json_decref(json);
    }
    if (result == RUNG_OK || result == RUNG_NO_MEMORY)
        return result;
    return rung__fail(RUNG_INTEGRITY, "%s", rung_last_error());
}

rung_result rung__override_read(const char *folder, char rung[RUNG__RUNG_ID_BYTES])
{
    struct rung__buffer text = {0};
    char *path;
    rung[0] = '\0';
    rung_result result =
        rung__state_file_load(folder, RUNG__OVERRIDE_FILE, FILE_LIMIT, &path, &text);
    if (result == RUNG_OK)
        result = parse(rung__buffer_bytes(&text), path, rung);
    if (result != RUNG_OK)
        rung[0] = '\0';
    rung__buffer_finish(&text);
    free(path);
    return result == RUNG_NOT_FOUND ? RUNG_OK : result;
}

static rung_result save(const char *path, const char *rung)
{
    char text[FILE_LIMIT];
    size_t size = 0;
    json_t *json = json_pack("{s:i,s:s}", "schema", SCHEMA, "rung", rung);
    rung_result result =
        json ? rung__json_write(json, (rung_span){text, sizeof text}, &size) : no_memory();
    json_decref(json);
    if (result != RUNG_OK)
        return result;
    text[size - 1] = '\n'; /* in place of the zero */
    return rung__file_save(path, (struct rung__bytes){(const uint8_t *)text, size}, FILE_MODE,
                           true);
}

static rung_result forget(const char *path)
{
    if (rung__file_remove(path) || rung__path_kind(path) == RUNG__PATH_MISSING)
        return RUNG_OK;
    return rung__fail(RUNG_IO, "cannot remove %s", path);
}

rung_result rung__override_write(const char *folder, const char *rung)
{
    char *path = rung__path_join(folder, RUNG__OVERRIDE_FILE);
    rung_result result = path ? RUNG_OK : no_memory();
    if (result == RUNG_OK && !rung)
        result = forget(path);
    else if (result == RUNG_OK) {
        result = rung__folder_make(folder);
        if (result == RUNG_OK)
            result = rung__folder_check_private(folder);
        if (result == RUNG_OK)
            result = save(path, rung);
    }
    free(path);
    return result;
}
