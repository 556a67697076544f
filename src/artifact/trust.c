/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/trust.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/signature.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define FOLDER_NAMES_MAX 4096u

static const char suffix[] = ".pem";

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for the trusted keys");
}

static const struct rung__trusted_key *next_key(const struct rung__trust *trust, size_t from,
                                                const uint8_t id[RUNG__KEY_ID_BYTES])
{
    for (size_t i = from; i < trust->count; i++)
        if (memcmp(trust->keys[i].id, id, RUNG__KEY_ID_BYTES) == 0)
            return &trust->keys[i];
    return NULL;
}

/* The set keeps `key` when this succeeds. */
static rung_result append_key(struct rung__trust *trust, void *key, const char *path)
{
    struct rung__trusted_key row = {.key = key};
    rung_result result = rung__key_id(key, row.id);
    if (result != RUNG_OK)
        return result;
    struct rung__trusted_key *keys = realloc(trust->keys, (trust->count + 1) * sizeof *keys);
    if (!keys)
        return no_memory();
    trust->keys = keys;
    row.path = rung__text_new("%s", path);
    if (!row.path)
        return no_memory();
    trust->keys[trust->count++] = row;
    return RUNG_OK;
}

static rung_result add_file(struct rung__trust *trust, const char *path)
{
    struct rung__buffer pem = {0};
    void *key = NULL;
    rung_result result = rung__file_load(path, RUNG__PEM_BYTES_MAX, &pem);
    if (result == RUNG_OK)
        result = rung__key_read_public(rung__buffer_bytes(&pem), path, &key);
    if (result == RUNG_OK)
        result = append_key(trust, key, path);
    if (result != RUNG_OK)
        rung__key_free(key);
    rung__buffer_finish(&pem);
    return result;
}

static bool has_suffix(const char *name)
{
    const size_t length = strlen(name), end = sizeof suffix - 1;
    return length > end && strcmp(name + length - end, suffix) == 0;
}

/* One bad file must not take the trust in all the others away. */
static rung_result add_folder(struct rung__trust *trust, const char *path,
                              const struct rung__log *log)
{
    struct rung__folder folder;
    rung_result result = rung__folder_list(path, FOLDER_NAMES_MAX, &folder);
    if (result == RUNG_NO_MEMORY)
        return result;
    if (result != RUNG_OK) {
        rung__log_write(log, RUNG_LOG_WARNING, "no trusted keys from %s: %s", path,
                        rung_last_error());
        return RUNG_OK;
    }
    for (size_t i = 0; i < folder.count && result != RUNG_NO_MEMORY; i++) {
        if (!has_suffix(folder.names[i]))
            continue;
        char *file = rung__path_join(path, folder.names[i]);
        result = file ? add_file(trust, file) : no_memory();
        if (result != RUNG_OK)
            rung__log_write(log, RUNG_LOG_WARNING, "a key is not trusted: %s", rung_last_error());
        free(file);
    }
    rung__folder_finish(&folder);
    return result == RUNG_NO_MEMORY ? result : RUNG_OK;
}

static rung_result note_place(struct rung__trust *trust, const char *path)
{
    char *searched = trust->searched ? rung__text_new("%s, %s", trust->searched, path)
                                     : rung__text_new("%s", path);
    if (!searched)
        return no_memory();
    free(trust->searched);
    trust->searched = searched;
    return RUNG_OK;
}

rung_result rung__trust_add(struct rung__trust *trust, const char *path,
                            const struct rung__log *log)
{
    rung_result result = note_place(trust, path);
    if (result != RUNG_OK)
        return result;
    switch (rung__path_kind(path)) {
    case RUNG__PATH_FOLDER:
        return add_folder(trust, path, log);
    case RUNG__PATH_MISSING:
        if (!has_suffix(path))
            return RUNG_OK;
        break;
    case RUNG__PATH_FILE:
    case RUNG__PATH_OTHER:
        break;
    }
    return add_file(trust, path);
}

rung_result rung__trust_add_list(struct rung__trust *trust, const char *list,
                                 const struct rung__log *log)
{
    const char *item;
    size_t length;
    rung_result result = RUNG_OK;
    while (result == RUNG_OK && rung__text_next_path(&list, &item, &length)) {
        char *path = rung__text_new("%.*s", (int)length, item);
        result = path ? rung__trust_add(trust, path, log) : no_memory();
        free(path);
    }
    return result;
}

void rung__trust_finish(struct rung__trust *trust)
{
    for (size_t i = 0; i < trust->count; i++) {
        rung__key_free(trust->keys[i].key);
        free(trust->keys[i].path);
    }
    free(trust->keys);
    free(trust->searched);
    *trust = (struct rung__trust){0};
}

rung_result rung__trust_find(const struct rung__trust *trust, const uint8_t id[RUNG__KEY_ID_BYTES])
{
    if (next_key(trust, 0, id))
        return RUNG_OK;
    char text[2 * RUNG__KEY_ID_BYTES + 1];
    rung__text_hex(text, id, RUNG__KEY_ID_BYTES);
    return rung__fail(RUNG_PERMISSION,
                      "it is signed with key %s, which is not one of the %zu trusted ones (looked "
                      "in: %s); if you trust its owner, put the public key there",
                      text, trust->count, trust->searched ? trust->searched : "nowhere");
}

const char *rung__trust_path(const struct rung__trust *trust, const uint8_t id[RUNG__KEY_ID_BYTES])
{
    const struct rung__trusted_key *row = next_key(trust, 0, id);
    return row ? row->path : NULL;
}

rung_result rung__trust_verify(const struct rung__trust *trust,
                               const uint8_t id[RUNG__KEY_ID_BYTES],
                               const uint8_t digest[RUNG__SHA256_BYTES],
                               const uint8_t signature[RUNG__SIGNATURE_BYTES])
{
    rung_result result = rung__trust_find(trust, id);
    if (result != RUNG_OK)
        return result;
    /* Eight bytes can be forged to coincide; then each key that has them gets its chance. */
    const struct rung__trusted_key *row = next_key(trust, 0, id);
    do {
        result = rung__signature_verify(row->key, digest, signature);
        row = next_key(trust, (size_t)(row - trust->keys) + 1, id);
    } while (result != RUNG_OK && row);
    return result;
}
