/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state_file.h"
#include "base/text.h"
#include "ladder/store_json.h"

#define FILE_LIMIT (4u << 20)
#define LOCK_FILE  "verdict.lock"
#define FILE_MODE  0600u

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for the verdicts");
}

rung_result rung__store_read(const char *folder, struct rung__store *out)
{
    struct rung__buffer text = {0};
    char *path;
    *out = (struct rung__store){0};
    rung_result result = rung__state_file_load(folder, RUNG__STORE_FILE, FILE_LIMIT, &path, &text);
    if (result == RUNG_OK)
        result = rung__store_parse(rung__buffer_bytes(&text), path, out);
    rung__buffer_finish(&text);
    free(path);
    return result;
}

void rung__store_stamp(const char *folder, struct rung__file_stamp *out)
{
    struct rung__file file = {0};
    char *path = rung__path_join(folder, RUNG__STORE_FILE);
    *out = (struct rung__file_stamp){0};
    if (path && rung__path_kind(path) == RUNG__PATH_FILE && rung__file_open(path, &file) == RUNG_OK)
        *out = file.stamp;
    rung__file_close(&file);
    free(path);
}

void rung__store_finish(struct rung__store *store)
{
    free(store->fingerprint);
    free(store->verdicts);
    *store = (struct rung__store){0};
}

/** Empties a store that is of another fingerprint, and makes it one of this. */
static rung_result begin_again(struct rung__store *store, const char *fingerprint)
{
    if (store->fingerprint && strcmp(store->fingerprint, fingerprint) == 0)
        return RUNG_OK;
    rung__store_finish(store);
    store->fingerprint = rung__text_new("%s", fingerprint);
    return store->fingerprint ? RUNG_OK : no_memory();
}

/** The place of a model's verdict, or the one behind the last. */
static uint32_t place_of(const struct rung__store *store, const char *model)
{
    uint32_t i = 0;
    while (i < store->count && strcmp(store->verdicts[i].model, model) != 0)
        i++;
    return i;
}

/** In place of the one of the same model, or behind all; the first stays, being the device's. */
static rung_result insert(struct rung__store *store, const struct rung__verdict *verdict)
{
    uint32_t place = place_of(store, verdict->model);
    if (place == RUNG__VERDICTS && store->verdicts) {
        memmove(&store->verdicts[1], &store->verdicts[2],
                (RUNG__VERDICTS - 2) * sizeof *store->verdicts);
        place--;
    }
    if (place == store->count || !store->verdicts) {
        struct rung__verdict *longer =
            realloc(store->verdicts, (store->count + 1) * sizeof *longer);
        if (!longer)
            return no_memory();
        store->verdicts = longer;
        store->count++;
    }
    store->verdicts[place] = *verdict;
    return RUNG_OK;
}

static rung_result save(const char *folder, const struct rung__store *store)
{
    struct rung__buffer text = {0};
    char *path = rung__path_join(folder, RUNG__STORE_FILE);
    rung_result result = path ? rung__store_print(store, &text) : no_memory();
    if (result == RUNG_OK)
        result = rung__file_save(path, rung__buffer_bytes(&text), FILE_MODE, true);
    rung__buffer_finish(&text);
    free(path);
    return result;
}

static rung_result put_locked(const char *folder, const char *fingerprint,
                              const struct rung__verdict *verdict)
{
    struct rung__store store;
    rung_result result = rung__store_read(folder, &store);
    if (result != RUNG_OK && result != RUNG_NO_MEMORY) {
        rung__store_finish(&store); /* what was there says nothing */
        result = RUNG_OK;
    }
    if (result == RUNG_OK)
        result = begin_again(&store, fingerprint);
    if (result == RUNG_OK)
        result = insert(&store, verdict);
    if (result == RUNG_OK)
        result = save(folder, &store);
    rung__store_finish(&store);
    return result;
}

rung_result rung__store_put(const char *folder, const char *fingerprint,
                            const struct rung__verdict *verdict)
{
    struct rung__file_lock lock = {0};
    rung_result result = rung__state_file_lock(folder, LOCK_FILE, &lock);
    if (result != RUNG_OK)
        return result;
    result = put_locked(folder, fingerprint, verdict);
    rung__file_lock_release(&lock);
    return result;
}

const struct rung__verdict *rung__store_find(const struct rung__store *store, const char *model)
{
    const uint32_t place = place_of(store, model);
    return place < store->count ? &store->verdicts[place] : NULL;
}

uint32_t rung__verdict_chosen(const struct rung__verdict *verdict)
{
    uint32_t i = 0;
    while (i < verdict->rung_count && verdict->rungs[i].outcome.kind != RUNG__OUTCOME_CHOSEN)
        i++;
    return i;
}

const struct rung__outcome *rung__verdict_of(const struct rung__verdict *verdict, const char *rung)
{
    for (uint32_t i = 0; i < verdict->rung_count; i++)
        if (strcmp(verdict->rungs[i].rung, rung) == 0)
            return &verdict->rungs[i].outcome;
    return NULL;
}
