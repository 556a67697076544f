/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/strikes.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

#define SCHEMA     1
#define FOLDER     "strikes"
#define WHAT       "a record of strikes"
#define FILE_LIMIT 4096u
#define FILE_MODE  0600u

static const struct rung__name rows[] = {{RUNG__TRY_PROBE, "probe"}, {RUNG__TRY_BUILD, "build"}};
const struct rung__names rung__try_names = {"try", rows, sizeof rows / sizeof *rows};

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for " WHAT);
}

char *rung__strike_path(const char *folder, const char *name)
{
    return rung__text_new("%s/" FOLDER "/%s", folder, name);
}

static rung_result parse(struct rung__bytes text, struct rung__strike *to)
{
    json_t *json = NULL;
    uint32_t kind = 0;
    struct rung__json_reader reader;
    rung_result result = rung__json_parse(text, WHAT, &json);
    if (result != RUNG_OK)
        return result;
    rung__json_reader_init(&reader, json, WHAT);
    (void)rung__json_u64(&reader, "schema", SCHEMA, SCHEMA, true, SCHEMA);
    rung__json_copy_text(&reader, "rung", to->rung, sizeof to->rung);
    rung__json_copy_text(&reader, "model", to->model, sizeof to->model);
    rung__json_copy_text(&reader, "fingerprint", to->fingerprint, sizeof to->fingerprint);
    const char *what = rung__json_text(&reader, "what", true);
    if (what && !rung__name_value(&rung__try_names, what, &kind))
        rung__json_refuse(&reader, "there is no such try");
    to->kind = (enum rung__try_kind)kind;
    to->strikes = (uint32_t)rung__json_u64(&reader, "strikes", 1, UINT16_MAX, true, 0);
    to->time = (int64_t)rung__json_u64(&reader, "time", 0, INT64_MAX, true, 0);
    result = rung__json_reader_end(&reader);
    json_decref(json);
    return result;
}

rung_result rung__strike_read(const char *path, struct rung__strike *out)
{
    struct rung__buffer text = {0};
    rung_result result = RUNG_NOT_FOUND;
    *out = (struct rung__strike){0};
    if (rung__path_kind(path) != RUNG__PATH_MISSING)
        result = rung__file_load(path, FILE_LIMIT, &text);
    if (result == RUNG_OK)
        result = parse(rung__buffer_bytes(&text), out);
    rung__buffer_finish(&text);
    if (result != RUNG_OK)
        *out = (struct rung__strike){0};
    return result == RUNG_NO_MEMORY ? result : RUNG_OK;
}

static rung_result save(const char *path, const struct rung__strike *strike)
{
    char text[FILE_LIMIT];
    size_t size = 0;
    json_t *json =
        json_pack("{s:i,s:s,s:s,s:s,s:s,s:i,s:I}", "schema", SCHEMA, "rung", strike->rung, "model",
                  strike->model, "fingerprint", strike->fingerprint, "what",
                  rung__name_text(&rung__try_names, strike->kind), "strikes", (int)strike->strikes,
                  "time", (json_int_t)strike->time);
    rung_result result =
        json ? rung__json_write(json, (rung_span){text, sizeof text}, &size) : no_memory();
    json_decref(json);
    if (result != RUNG_OK)
        return result;
    text[size - 1] = '\n'; /* in place of the zero */
    return rung__file_save(path, (struct rung__bytes){(const uint8_t *)text, size}, FILE_MODE,
                           true);
}

rung_result rung__strike_add(const char *path, struct rung__strike *strike)
{
    struct rung__strike before;
    char *folder = rung__path_folder(path);
    rung_result result = folder ? rung__folder_make(folder) : no_memory();
    if (result == RUNG_OK)
        result = rung__folder_check_private(folder);
    free(folder);
    if (result == RUNG_OK)
        result = rung__strike_read(path, &before);
    if (result != RUNG_OK)
        return result;
    const bool in_a_row = strcmp(before.fingerprint, strike->fingerprint) == 0;
    strike->strikes = in_a_row && before.strikes < UINT16_MAX ? before.strikes + 1 : 1;
    strike->time = (int64_t)time(NULL);
    return save(path, strike);
}

static rung_result read_all(const char *folder, const struct rung__folder *names,
                            struct rung__strike *to, uint32_t *count)
{
    rung_result result = RUNG_OK;
    for (size_t i = 0; i < names->count && result == RUNG_OK; i++) {
        char *path = rung__strike_path(folder, names->names[i]);
        result = path ? rung__strike_read(path, &to[*count]) : no_memory();
        *count += result == RUNG_OK && to[*count].strikes > 0;
        free(path);
    }
    return result;
}

rung_result rung__strikes_list(const char *folder, struct rung__strike **out, uint32_t *count)
{
    struct rung__folder names = {0};
    *out = NULL;
    *count = 0;
    char *own = rung__path_join(folder, FOLDER);
    if (!own)
        return no_memory();
    rung_result result = RUNG_OK;
    if (rung__path_kind(own) != RUNG__PATH_MISSING)
        result = rung__folder_check_private(own);
    if (result == RUNG_OK)
        result = rung__folder_list(own, RUNG__STRIKES_LISTED, &names);
    free(own);
    if (result != RUNG_OK)
        return result == RUNG_NOT_FOUND ? RUNG_OK : result;
    *out = calloc(names.count + 1, sizeof **out);
    result = *out ? read_all(folder, &names, *out, count) : no_memory();
    rung__folder_finish(&names);
    if (result == RUNG_OK)
        return RUNG_OK;
    free(*out);
    *out = NULL;
    *count = 0;
    return result;
}
