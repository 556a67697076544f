/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <time.h>

#include "artifact/cache.h"
#include "base/error.h"
#include "base/text.h"
#include "ladder/engine_files.h"
#include "ladder/engine_store.h"

#define LOCK_FILE ".build.lock"
#define FILE_MODE 0600u

/* Where so much can be written the disk was not full. */
#define ROOM_BYTES (1u << 20)

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to build an engine");
}

static rung_result lock_builds(struct rung__engine_part *part, uint64_t deadline)
{
    char *path = rung__path_join(part->root, LOCK_FILE);
    rung_result result = path ? rung__file_lock_take(&part->lock, path, deadline) : no_memory();
    free(path);
    return result;
}

/** ALREADY_EXISTS for one that is there and right; a damaged one goes. */
static rung_result refuse_present(const struct rung__engine_part *part,
                                  const struct rung__engine_key *key)
{
    const rung_result result = rung__engine_discard(part->root, key);
    return result == RUNG_NOT_FOUND || result == RUNG_INTEGRITY ? RUNG_OK : result;
}

static rung_result make_folders(struct rung__engine_part *part)
{
    rung_result result = rung__engine_new_name(".part-", &part->name);
    if (result != RUNG_OK)
        return result;
    part->folder = rung__text_new("%s/%s/" RUNG__ENGINE_FILES, part->root, part->name);
    return part->folder ? rung__folder_make(part->folder) : no_memory();
}

rung_result rung__engine_part_begin(const struct rung__engine_store *store,
                                    const struct rung__engine_key *key, uint64_t deadline,
                                    struct rung__engine_part *out)
{
    *out = (struct rung__engine_part){.root = rung__engine_root(store)};
    rung_result result = out->root ? rung__cache_prepare(store->cache, out->root) : no_memory();
    if (result == RUNG_OK)
        result = lock_builds(out, deadline);
    if (result == RUNG_OK) {
        rung__engine_sweep(out->root, true);
        result = refuse_present(out, key);
    }
    if (result == RUNG_OK)
        result = make_folders(out);
    if (result != RUNG_OK)
        rung__engine_part_drop(out);
    return result;
}

static rung_result save_record(const struct rung__engine_part *part,
                               const struct rung__engine_record *record)
{
    struct rung__buffer text = {0};
    char *path = rung__text_new("%s/%s/" RUNG__ENGINE_RECORD, part->root, part->name);
    rung_result result = path ? rung__engine_record_print(record, &text) : no_memory();
    if (result == RUNG_OK)
        result = rung__file_save(path, rung__buffer_bytes(&text), FILE_MODE, false);
    rung__buffer_finish(&text);
    free(path);
    return result;
}

/** Nobody else puts anything there: the caller has the lock of builds. */
static rung_result put_in_place(const struct rung__engine_part *part, const char *name)
{
    char *from = rung__path_join(part->root, part->name);
    char *to = rung__path_join(part->root, name);
    rung_result result = from && to ? rung__folder_rename(from, to) : no_memory();
    free(to);
    free(from);
    return result;
}

static rung_result keep(const struct rung__engine_store *store, const struct rung__engine_key *key,
                        struct rung__engine_part *part, struct rung__engine_record *record)
{
    rung_result result = rung__engine_files_note(part->root, part->name, record);
    if (result == RUNG_OK && record->bytes > store->most_bytes)
        result =
            rung__fail(RUNG_CAPACITY,
                       "the engine takes %llu bytes, and all engines together may take %llu "
                       "(RUNG_ENGINE_CACHE_BYTES)",
                       (unsigned long long)record->bytes, (unsigned long long)store->most_bytes);
    if (result == RUNG_OK)
        result = save_record(part, record);
    if (result == RUNG_OK)
        result = put_in_place(part, key->name);
    if (result == RUNG_OK)
        rung__engine_evict(part->root, store->most_bytes, key->name);
    return result;
}

rung_result rung__engine_part_keep(const struct rung__engine_store *store,
                                   const struct rung__engine_key *key,
                                   struct rung__engine_part *part)
{
    struct rung__engine_record record = {.key = *key, .built = (uint64_t)time(NULL)};
    rung_result result = keep(store, key, part, &record);
    char *detail = result == RUNG_OK ? NULL : rung__text_new("%s", rung_last_error());
    rung__engine_record_finish(&record);
    rung__engine_part_drop(part);
    if (detail)
        result = rung__fail(result, "%s", detail);
    free(detail);
    return result;
}

rung_result rung__engine_part_check_room(const struct rung__engine_part *part)
{
    struct rung__buffer zeros = {0};
    char *path = rung__text_new("%s/%s/room", part->root, part->name);
    rung_result result = path ? rung__buffer_append(&zeros, NULL, ROOM_BYTES) : no_memory();
    if (result == RUNG_OK)
        result = rung__file_save(path, rung__buffer_bytes(&zeros), FILE_MODE, true);
    if (path)
        (void)rung__file_remove(path);
    rung__buffer_finish(&zeros);
    free(path);
    return result;
}

void rung__engine_part_drop(struct rung__engine_part *part)
{
    char *path = part->name ? rung__path_join(part->root, part->name) : NULL;
    if (path)
        (void)rung__folder_remove(path);
    free(path);
    rung__file_lock_release(&part->lock);
    free(part->folder);
    free(part->name);
    free(part->root);
    *part = (struct rung__engine_part){0};
}
