/* SPDX-License-Identifier: Apache-2.0 */
/* The model files there are, each with what became of it when it was verified. */
#include <stdlib.h>
#include <string.h>

#include <rung/model.h>

#include "artifact/header.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "session/folders.h"
#include "session/model.h"

/** A folder with more names than this is no folder of models. */
#define NAMES_MAX 65536u

/** A walk through folders. */
struct listing {
    const struct rung_instance *instance;
    struct rung__model_folders folders;
    bool named;      /**< the caller's folders: a missing one is told */
    bool unverified; /**< only headers are read */
    rung_model_file_callback callback;
    void *user;
};

/** One file of it. */
struct found {
    char *path, *shadowed_by, *reason;
    rung_result result;
    uint64_t bytes;
    struct rung__header header; /**< all zero when it cannot be read */
};

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to list the models");
}

static rung_result verify(struct found *found, const struct rung_instance *instance)
{
    struct rung__artifact artifact;
    rung_result result = rung__artifact_admit(found->path, rung__admission_of(instance),
                                              &instance->trust, &artifact);
    if (result != RUNG_OK)
        return result;
    found->bytes = artifact.file.stamp.size;
    found->header = artifact.view.header;
    rung__artifact_finish(&artifact);
    return RUNG_OK;
}

/** Keeps the reason of a result that is not OK. */
static rung_result note(struct found *found, rung_result result)
{
    free(found->reason);
    found->result = result;
    found->reason = rung__text_new("%s", rung_last_error());
    return found->reason ? RUNG_OK : no_memory();
}

/** What a file is, whether it is admitted or not. */
static rung_result look_at(struct found *found, const struct listing *listing)
{
    rung_result result = RUNG_OK;
    if (!listing->unverified) {
        found->result = verify(found, listing->instance);
        if (found->result == RUNG_OK)
            return RUNG_OK;
        result = note(found, found->result);
    }
    struct rung__glance glance;
    rung_result look = rung__artifact_look(found->path, &glance);
    found->bytes = glance.bytes;
    found->header = glance.header;
    /* That it is not trusted is no reason why it cannot be looked at. */
    const bool says_more = listing->unverified || found->result == RUNG_PERMISSION;
    if (result == RUNG_OK && look != RUNG_OK && says_more)
        result = note(found, look);
    return result;
}

/** Finds what rung_model_find takes in place of the file `name` of folder `at`. */
static rung_result find_shadow(const struct listing *listing, size_t at, const char *name,
                               char **out)
{
    *out = NULL;
    for (size_t i = 0; i < at && !*out; i++) {
        char *path = rung__path_join(listing->folders.paths[i], name);
        if (!path)
            return no_memory();
        if (rung__path_kind(path) != RUNG__PATH_MISSING)
            *out = path;
        else
            free(path);
    }
    return RUNG_OK;
}

static void tell(const struct listing *listing, const struct found *found)
{
    const struct rung__header *header = &found->header;
    char digest[2 * RUNG__SHA256_BYTES + 1], key_id[2 * RUNG__KEY_ID_BYTES + 1];
    const bool is_read = header->file_bytes != 0;
    const bool is_signed = header->flags & RUNG__FLAG_SIGNED;
    const char *key_path =
        is_signed ? rung__trust_path(&listing->instance->trust, header->key_id) : NULL;
    rung__text_hex(digest, header->digest, sizeof header->digest);
    rung__text_hex(key_id, header->key_id, sizeof header->key_id);
    const rung_model_file file = {
        .struct_size = sizeof file,
        .version = RUNG_STRUCT_VERSION,
        .result = found->result,
        .reason = found->reason ? found->reason : "",
        .path = found->path,
        .shadowed_by = found->shadowed_by ? found->shadowed_by : "",
        .name = header->name,
        .artifact = is_read ? digest : "",
        .key_id = is_signed ? key_id : "",
        .key_path = key_path ? key_path : "",
        .bytes = found->bytes,
        .role = (rung_role)header->role,
        .form = (rung_form)header->form,
        .canvas_width = header->canvas.width,
        .canvas_height = header->canvas.height,
        .kind = (rung_artifact_kind)header->kind,
    };
    listing->callback(listing->user, &file);
}

static rung_result list_file(const struct listing *listing, size_t at, const char *name)
{
    struct found found = {
        .path = rung__path_join(listing->folders.paths[at], name),
    };
    rung_result result =
        found.path ? find_shadow(listing, at, name, &found.shadowed_by) : no_memory();
    if (result == RUNG_OK)
        result = look_at(&found, listing);
    if (result == RUNG_OK)
        tell(listing, &found);
    free(found.path);
    free(found.shadowed_by);
    free(found.reason);
    return result;
}

/** A folder that cannot be listed is one line; the others' files are listed all the same. */
static rung_result refuse_folder(const struct listing *listing, const char *path,
                                 rung_result result)
{
    if (result == RUNG_NO_MEMORY || (result == RUNG_NOT_FOUND && !listing->named))
        return result == RUNG_NO_MEMORY ? result : RUNG_OK;
    char *reason = rung__text_new("%s", rung_last_error());
    if (!reason)
        return no_memory();
    const rung_model_file file = {
        .struct_size = sizeof file,
        .version = RUNG_STRUCT_VERSION,
        .flags = RUNG_MODEL_FILE_FOLDER,
        .result = result,
        .reason = reason,
        .path = path,
        .shadowed_by = "",
        .name = "",
        .artifact = "",
        .key_id = "",
        .key_path = "",
    };
    listing->callback(listing->user, &file);
    free(reason);
    return RUNG_OK;
}

static rung_result list_folder(const struct listing *listing, size_t at)
{
    struct rung__folder folder;
    const char *path = listing->folders.paths[at];
    rung_result result = rung__folder_list(path, NAMES_MAX, &folder);
    if (result != RUNG_OK)
        return refuse_folder(listing, path, result);
    for (size_t i = 0; i < folder.count && result == RUNG_OK; i++)
        if (rung__is_model_name(folder.names[i]))
            result = list_file(listing, at, folder.names[i]);
    rung__folder_finish(&folder);
    return result;
}

static rung_result choose_folders(struct listing *listing, const char *const *folders,
                                  uint32_t count)
{
    if (!count)
        return rung__model_folders_search(&listing->folders, &listing->instance->environment);
    rung_result result = RUNG_OK;
    for (uint32_t i = 0; i < count && result == RUNG_OK; i++)
        result = folders[i]
                     ? rung__model_folders_add(&listing->folders, folders[i])
                     : rung__fail(RUNG_INVALID_ARGUMENT, "rung_model_list: a folder is NULL");
    return result;
}

rung_result rung_model_list(const rung_instance *instance, uint32_t flags,
                            const char *const *folders, uint32_t count,
                            rung_model_file_callback callback, void *user)
{
    if (flags & ~(uint32_t)RUNG_MODEL_LIST_UNVERIFIED)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_model_list: unknown flags %#x", flags);
    if (!instance || !callback || (count && !folders))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_model_list: an argument is NULL");
    struct listing listing = {
        .instance = instance,
        .named = count != 0,
        .unverified = flags & RUNG_MODEL_LIST_UNVERIFIED,
        .callback = callback,
        .user = user,
    };
    rung_result result = choose_folders(&listing, folders, count);
    for (size_t i = 0; i < listing.folders.count && result == RUNG_OK; i++)
        result = list_folder(&listing, i);
    rung__model_folders_finish(&listing.folders);
    return result;
}
