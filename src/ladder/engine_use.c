/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "ladder/engine_files.h"
#include "ladder/engine_store.h"

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for an engine");
}

/** The lock before the copy: a copy without one is taken for a dead process's. */
static rung_result make_copy(const char *root, struct rung__engine_use *use)
{
    char *name;
    rung_result result = rung__engine_new_name(".use-", &name);
    if (result == RUNG_OK) {
        use->folder = rung__path_join(root, name);
        use->lock_path = use->folder ? rung__text_new("%s.lock", use->folder) : NULL;
        result = use->lock_path ? RUNG_OK : no_memory();
    }
    free(name);
    if (result == RUNG_OK)
        result = rung__file_lock_take(&use->lock, use->lock_path, RUNG__CLOCK_NEVER);
    return result == RUNG_OK ? rung__folder_make_one(use->folder) : result;
}

static void touch(const char *root, const char *name)
{
    char *path = rung__text_new("%s/%s/" RUNG__ENGINE_RECORD, root, name);
    if (path)
        rung__file_touch(path);
    free(path);
}

static rung_result take_copy(const char *root, const struct rung__engine_key *key,
                             struct rung__engine_use *use)
{
    struct rung__engine_record record;
    rung_result result = rung__engine_read(root, key->name, key, &record);
    if (result == RUNG_OK)
        result = make_copy(root, use);
    if (result == RUNG_OK)
        result = rung__engine_files_check(root, &record, use->folder);
    rung__engine_record_finish(&record);
    if (result == RUNG_OK)
        touch(root, key->name);
    return result;
}

static rung_result check_folders(const struct rung__engine_store *store, const char *root)
{
    if (rung__path_kind(root) == RUNG__PATH_MISSING)
        return rung__fail(RUNG_NOT_FOUND, "no engine was ever built in %s", store->cache);
    rung_result result = rung__folder_check_private(store->cache);
    return result == RUNG_OK ? rung__folder_check_private(root) : result;
}

rung_result rung__engine_use(const struct rung__engine_store *store,
                             const struct rung__engine_key *key, struct rung__engine_use *out)
{
    *out = (struct rung__engine_use){0};
    char *root = rung__engine_root(store);
    rung_result result = root ? check_folders(store, root) : no_memory();
    if (result == RUNG_OK) {
        rung__engine_sweep(root, false);
        result = take_copy(root, key, out);
    }
    if (result != RUNG_OK)
        rung__engine_use_finish(out);
    if (result == RUNG_INTEGRITY)
        result = rung__engine_discard(root, key);
    if (result == RUNG_ALREADY_EXISTS) /* somebody built it again in between */
        result = rung__fail(RUNG_NOT_FOUND, "an engine was replaced while it was read");
    free(root);
    return result;
}

void rung__engine_use_finish(struct rung__engine_use *use)
{
    if (use->lock.handle) {
        (void)rung__folder_remove(use->folder);
        (void)rung__file_remove(use->lock_path);
    }
    rung__file_lock_release(&use->lock);
    free(use->folder);
    free(use->lock_path);
    *use = (struct rung__engine_use){0};
}

bool rung__engine_exists(const struct rung__engine_store *store, const struct rung__engine_key *key)
{
    char *root = rung__engine_root(store);
    char *path = root ? rung__text_new("%s/%s/" RUNG__ENGINE_RECORD, root, key->name) : NULL;
    const bool exists = path && rung__path_kind(path) == RUNG__PATH_FILE;
    free(path);
    free(root);
    return exists;
}
