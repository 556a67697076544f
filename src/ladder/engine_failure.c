/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/engine_failure.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

#define SCHEMA     1
#define FOLDER     "unbuilt"
#define SUFFIX     ".json"
#define FILE_LIMIT 8192u
#define FILE_MODE  0600u
#define NAMES_MOST 4096u

/* The end of a name: the first digits of the fingerprint's digest. */
#define FINGERPRINT_SHOWN 16

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for what could not be built");
}

static char *name_folder(const char *state)
{
    return state ? rung__path_join(state, FOLDER) : NULL;
}

static char *name_file(const char *state, const struct rung__engine_key *key)
{
    return state ? rung__text_new("%s/" FOLDER "/%s" SUFFIX, state, key->name) : NULL;
}

static rung_result read_failure(const json_t *json, struct rung__engine_key *key,
                                char reason[RUNG__OUTCOME_REASON])
{
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, json, "a build that failed");
    (void)rung__json_u64(&reader, "schema", SCHEMA, SCHEMA, true, SCHEMA);
    rung__json_copy_text(&reader, "rung", key->rung, sizeof key->rung);
    rung__json_copy_text(&reader, "precision", key->precision, sizeof key->precision);
    rung__json_copy_text(&reader, "artifact", key->artifact, sizeof key->artifact);
    rung__json_copy_text(&reader, "fingerprint", key->fingerprint, sizeof key->fingerprint);
    rung__json_copy_text(&reader, "model", key->model, sizeof key->model);
    rung__json_copy_text(&reader, "reason", reason, RUNG__OUTCOME_REASON);
    return rung__json_reader_end(&reader);
}

/** False for what cannot be read, which says nothing. */
static bool load(const char *path, struct rung__engine_key *key, char reason[RUNG__OUTCOME_REASON])
{
    struct rung__buffer text = {0};
    json_t *json = NULL;
    *key = (struct rung__engine_key){0};
    rung_result result = rung__path_kind(path) == RUNG__PATH_FILE
                             ? rung__file_load(path, FILE_LIMIT, &text)
                             : RUNG_NOT_FOUND;
    if (result == RUNG_OK)
        result = rung__json_parse(rung__buffer_bytes(&text), path, &json);
    if (result == RUNG_OK)
        result = read_failure(json, key, reason);
    json_decref(json);
    rung__buffer_finish(&text);
    return result == RUNG_OK;
}

bool rung__engine_failure_find(const char *state, const struct rung__engine_key *key,
                               char reason[RUNG__OUTCOME_REASON])
{
    struct rung__engine_key found;
    char *path = name_file(state, key);
    const bool known = path && load(path, &found, reason) &&
                       strcmp(found.artifact, key->artifact) == 0 &&
                       strcmp(found.fingerprint, key->fingerprint) == 0;
    free(path);
    return known;
}

void rung__engine_failure_forget(const char *state, const struct rung__engine_key *key)
{
    char *path = name_file(state, key);
    if (path)
        (void)rung__file_remove(path);
    free(path);
}

/** What is of another fingerprint will never be asked for again, or in a year. */
static void forget_others(const char *folder, const struct rung__engine_key *key)
{
    struct rung__folder names;
    char ending[FINGERPRINT_SHOWN + sizeof SUFFIX];
    (void)rung__text_format(ending, sizeof ending, "%.*s" SUFFIX, FINGERPRINT_SHOWN,
                            key->fingerprint);
    if (rung__folder_list(folder, NAMES_MOST, &names) != RUNG_OK)
        return;
    for (size_t i = 0; i < names.count; i++) {
        const size_t length = strlen(names.names[i]);
        const bool same = length >= sizeof ending - 1 &&
                          strcmp(names.names[i] + length - (sizeof ending - 1), ending) == 0;
        char *path = same ? NULL : rung__path_join(folder, names.names[i]);
        if (path)
            (void)rung__file_remove(path);
        free(path);
    }
    rung__folder_finish(&names);
}

static rung_result save(const char *path, const struct rung__engine_key *key, const char *reason)
{
    struct rung__buffer text = {0};
    json_t *json = json_pack("{s:i,s:s,s:s,s:s,s:s,s:s,s:s}", "schema", SCHEMA, "rung", key->rung,
                             "precision", key->precision, "artifact", key->artifact, "fingerprint",
                             key->fingerprint, "model", key->model, "reason", reason);
    rung_result result = rung__json_append_line(json, "a build that failed", &text);
    json_decref(json);
    if (result == RUNG_OK)
        result = rung__file_save(path, rung__buffer_bytes(&text), FILE_MODE, true);
    rung__buffer_finish(&text);
    return result;
}

rung_result rung__engine_failure_put(const char *state, const struct rung__engine_key *key,
                                     const char *reason)
{
    char *folder = name_folder(state);
    char *path = name_file(state, key);
    rung_result result = folder && path ? rung__folder_make(folder) : no_memory();
    if (result == RUNG_OK)
        result = rung__folder_check_private(folder);
    if (result == RUNG_OK) {
        forget_others(folder, key);
        result = save(path, key, reason);
    }
    free(path);
    free(folder);
    return result;
}

static void tell(const char *folder, const char *name, rung__engine_failure_callback callback,
                 void *user)
{
    struct rung__engine_key key;
    char reason[RUNG__OUTCOME_REASON];
    char *path = rung__path_join(folder, name);
    if (path && load(path, &key, reason))
        callback(user, &key, reason);
    free(path);
}

rung_result rung__engine_failure_list(const char *state, rung__engine_failure_callback callback,
                                      void *user)
{
    struct rung__folder names = {0};
    char *folder = name_folder(state);
    rung_result result = RUNG_OK;
    if (state && !folder)
        result = no_memory();
    else if (folder && rung__path_kind(folder) == RUNG__PATH_FOLDER)
        result = rung__folder_list(folder, NAMES_MOST, &names);
    for (size_t i = 0; i < names.count; i++)
        tell(folder, names.names[i], callback, user);
    rung__folder_finish(&names);
    free(folder);
    return result == RUNG_CAPACITY ? RUNG_IO : result;
}

rung_result rung__engine_failure_clear(const char *state)
{
    char *folder = name_folder(state);
    rung_result result = state && !folder ? no_memory() : RUNG_OK;
    if (folder)
        result = rung__folder_remove(folder);
    free(folder);
    return result;
}
