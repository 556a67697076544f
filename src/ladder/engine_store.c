/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to all engines of a user. */
#include "ladder/engine_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "ladder/engine_files.h"

#define FOLDER     "engines"
#define LOCK_FILE  ".lock"
#define LOCK_NS    (UINT64_C(10) * 1000000000)
#define NAMES_MOST 8192u
#define SUFFIX     ".lock"
#define USE        ".use-"
#define PART       ".part-"

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for the engines");
}

char *rung__engine_root(const struct rung__engine_store *store)
{
    return rung__path_join(store->cache, FOLDER);
}

rung_result rung__engine_lock(const char *root, struct rung__file_lock *out)
{
    *out = (struct rung__file_lock){0};
    char *path = rung__path_join(root, LOCK_FILE);
    rung_result result =
        path ? rung__file_lock_take(out, path, rung__clock_now() + LOCK_NS) : no_memory();
    free(path);
    return result;
}

rung_result rung__engine_new_name(const char *prefix, char **out)
{
    uint8_t random[8];
    char digits[2 * sizeof random + 1];
    *out = NULL;
    rung_result result = rung__random_fill(random, sizeof random);
    if (result != RUNG_OK)
        return result;
    rung__text_hex(digits, random, sizeof random);
    *out = rung__text_new("%s%s", prefix, digits);
    return *out ? RUNG_OK : no_memory();
}

/* ---- sweeping ---- */

static bool begins_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool is_lock(const char *name)
{
    const size_t length = strlen(name);
    return length > strlen(SUFFIX) && strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

/** Who uses a copy holds its lock, so that one whose lock is free is nobody's. */
static void sweep_use(const char *root, const char *name)
{
    struct rung__file_lock lock = {0};
    char *copy = rung__path_join(root, name);
    char *path = copy ? rung__text_new("%s" SUFFIX, copy) : NULL;
    if (path && rung__file_lock_take(&lock, path, 0) == RUNG_OK) {
        (void)rung__folder_remove(copy);
        (void)rung__file_remove(path);
    }
    rung__file_lock_release(&lock);
    free(path);
    free(copy);
}

static void sweep_part(const char *root, const char *name)
{
    char *path = rung__path_join(root, name);
    if (path)
        (void)rung__folder_remove(path);
    free(path);
}

static void sweep_lock(const char *root, const char *name)
{
    char *use = rung__text_new("%.*s", (int)(strlen(name) - strlen(SUFFIX)), name);
    if (use)
        sweep_use(root, use);
    free(use);
}

void rung__engine_sweep(const char *root, bool parts)
{
    struct rung__folder names;
    if (rung__folder_list(root, NAMES_MOST, &names) != RUNG_OK)
        return;
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.names[i];
        if (parts && begins_with(name, PART))
            sweep_part(root, name);
        else if (begins_with(name, USE) && is_lock(name))
            sweep_lock(root, name);
        else if (begins_with(name, USE))
            sweep_use(root, name);
    }
    rung__folder_finish(&names);
}

/* ---- one that is damaged ---- */

/** With its record, which the caller ends. */
static rung_result check(const char *root, const char *name, const struct rung__engine_key *key,
                         struct rung__engine_record *record)
{
    rung_result result = rung__engine_read(root, name, key, record);
    return result == RUNG_OK ? rung__engine_files_check(root, record, NULL) : result;
}

/** Keeps the sentence of why; when it cannot be removed, that is what there is to say. */
static rung_result remove_damaged(const char *root, const char *name)
{
    char *path = rung__path_join(root, name);
    char *why = rung__text_new("%s", rung_last_error());
    rung_result result = path && why ? rung__folder_remove(path) : no_memory();
    if (result == RUNG_OK)
        result = rung__fail(RUNG_INTEGRITY, "%s; it is removed", why);
    free(why);
    free(path);
    return result;
}

static rung_result discard_locked(const char *root, const struct rung__engine_key *key)
{
    struct rung__engine_record record;
    rung_result result = check(root, key->name, key, &record);
    rung__engine_record_finish(&record);
    if (result == RUNG_OK)
        return rung__fail(RUNG_ALREADY_EXISTS, "%s/%s is as it was built", root, key->name);
    return result == RUNG_INTEGRITY ? remove_damaged(root, key->name) : result;
}

rung_result rung__engine_discard(const char *root, const struct rung__engine_key *key)
{
    struct rung__file_lock lock;
    rung_result result = rung__engine_lock(root, &lock);
    if (result != RUNG_OK)
        return result;
    result = discard_locked(root, key);
    rung__file_lock_release(&lock);
    return result;
}

/* ---- listing ---- */

/** When it was last used: the time of its record. 0 when that cannot be told. */
static int64_t used_at(const char *root, const char *name)
{
    struct rung__file file;
    int64_t used = 0;
    char *path = rung__text_new("%s/%s/" RUNG__ENGINE_RECORD, root, name);
    if (path && rung__file_open(path, &file) == RUNG_OK) {
        used = file.stamp.modified_ns;
        rung__file_close(&file);
    }
    free(path);
    return used;
}

/** Another user's folder is not looked into. `*there` is false when nothing was ever built. */
static rung_result open_root(const struct rung__engine_store *store, char **root, bool *there)
{
    rung_result result = RUNG_OK;
    *root = rung__engine_root(store);
    if (!*root)
        return no_memory();
    *there = rung__path_kind(*root) != RUNG__PATH_MISSING;
    if (*there)
        result = rung__folder_check_private(store->cache);
    if (*there && result == RUNG_OK)
        result = rung__folder_check_private(*root);
    return result;
}

static rung_result tell(const char *root, const char *name, enum rung__engine_care care,
                        rung__engine_callback callback, void *user)
{
    struct rung__engine_record record;
    const int64_t used = used_at(root, name);
    rung_result result = care == RUNG__ENGINES_VERIFY
                             ? check(root, name, NULL, &record)
                             : rung__engine_read(root, name, NULL, &record);
    if (result == RUNG_INTEGRITY && care == RUNG__ENGINES_VERIFY)
        result = remove_damaged(root, name);
    const struct rung__engine_entry entry = {
        .name = name,
        .record = &record,
        .used_ns = used,
        .result = result,
        .reason = result == RUNG_OK ? "" : rung_last_error(),
    };
    if (result != RUNG_NO_MEMORY && result != RUNG_NOT_FOUND)
        callback(user, &entry);
    rung__engine_record_finish(&record);
    return result == RUNG_NO_MEMORY ? result : RUNG_OK;
}

static rung_result tell_all(const char *root, enum rung__engine_care care,
                            rung__engine_callback callback, void *user)
{
    struct rung__folder names;
    rung_result result = rung__folder_list(root, NAMES_MOST, &names);
    for (size_t i = 0; i < names.count && result == RUNG_OK; i++)
        if (names.names[i][0] != '.')
            result = tell(root, names.names[i], care, callback, user);
    rung__folder_finish(&names);
    return result == RUNG_CAPACITY ? RUNG_IO : result;
}

rung_result rung__engine_list(const struct rung__engine_store *store, enum rung__engine_care care,
                              rung__engine_callback callback, void *user)
{
    char *root;
    bool there = false;
    struct rung__file_lock lock = {0};
    rung_result result = open_root(store, &root, &there);
    if (result == RUNG_OK && there && care == RUNG__ENGINES_VERIFY)
        result = rung__engine_lock(root, &lock);
    if (result == RUNG_OK && there)
        result = tell_all(root, care, callback, user);
    rung__file_lock_release(&lock);
    free(root);
    return result;
}

/* ---- removing ---- */

/** What is there, for those that choose. */
struct census {
    struct found {
        char *name;
        uint64_t bytes;
        int64_t used_ns;
    } * items;
    size_t count;
    uint64_t bytes;
    rung_result result;
};

static void count_one(void *user, const struct rung__engine_entry *entry)
{
    struct census *census = user;
    struct found *longer = realloc(census->items, (census->count + 1) * sizeof *longer);
    char *name = longer ? rung__text_new("%s", entry->name) : NULL;
    if (longer)
        census->items = longer;
    if (!name) {
        census->result = no_memory();
        return;
    }
    census->items[census->count++] = (struct found){name, entry->record->bytes, entry->used_ns};
    census->bytes += entry->record->bytes;
}

static void finish_census(struct census *census)
{
    for (size_t i = 0; i < census->count; i++)
        free(census->items[i].name);
    free(census->items);
}

static int by_use(const void *left, const void *right)
{
    const struct found *a = left, *b = right;
    return (a->used_ns > b->used_ns) - (a->used_ns < b->used_ns);
}

static rung_result remove_one(const char *root, const char *name)
{
    char *path = rung__path_join(root, name);
    rung_result result = path ? rung__folder_remove(path) : no_memory();
    free(path);
    return result;
}

static void evict_locked(const char *root, uint64_t most_bytes, const char *spared)
{
    struct census census = {0};
    (void)tell_all(root, RUNG__ENGINES_LOOK, count_one, &census);
    if (census.count)
        qsort(census.items, census.count, sizeof *census.items, by_use);
    for (size_t i = 0; i < census.count && census.bytes > most_bytes; i++)
        if (strcmp(census.items[i].name, spared) != 0 &&
            remove_one(root, census.items[i].name) == RUNG_OK)
            census.bytes -= census.items[i].bytes;
    finish_census(&census);
}

void rung__engine_evict(const char *root, uint64_t most_bytes, const char *spared)
{
    struct rung__file_lock lock;
    if (rung__engine_lock(root, &lock) != RUNG_OK)
        return;
    evict_locked(root, most_bytes, spared);
    rung__file_lock_release(&lock);
}

static rung_result clear_locked(const char *root, uint32_t *count, uint64_t *bytes)
{
    struct census census = {0};
    rung_result result = tell_all(root, RUNG__ENGINES_LOOK, count_one, &census);
    if (result == RUNG_OK)
        result = census.result;
    for (size_t i = 0; i < census.count && result == RUNG_OK; i++) {
        result = remove_one(root, census.items[i].name);
        *count += result == RUNG_OK;
        *bytes += result == RUNG_OK ? census.items[i].bytes : 0;
    }
    finish_census(&census);
    return result;
}

rung_result rung__engine_clear(const struct rung__engine_store *store, uint32_t *count,
                               uint64_t *bytes)
{
    char *root;
    bool there = false;
    struct rung__file_lock lock = {0};
    *count = 0;
    *bytes = 0;
    rung_result result = open_root(store, &root, &there);
    if (result == RUNG_OK && there)
        result = rung__engine_lock(root, &lock);
    if (result == RUNG_OK && there)
        result = clear_locked(root, count, bytes);
    rung__file_lock_release(&lock);
    if (result == RUNG_OK && there)
        rung__engine_sweep(root, false);
    free(root);
    return result;
}
