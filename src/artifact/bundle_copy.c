/* SPDX-License-Identifier: Apache-2.0 */
/* The private copies of bundles. */
#include "artifact/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/cache.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"

/* Where things are. Only the holder of the lock touches `part`, which is a copy in the making. */
struct places {
    char *bundles, *copy, *part, *lock;
    char name[2 * RUNG__SHA256_BYTES + 1]; /**< of the copy in `bundles` */
};

static void finish(struct places *places)
{
    free(places->bundles);
    free(places->copy);
    free(places->part);
    free(places->lock);
}

/* End with finish, also after a failure. */
static rung_result name_places(const char *cache, const uint8_t digest[RUNG__SHA256_BYTES],
                               struct places *out)
{
    *out = (struct places){.bundles = rung__path_join(cache, "bundles")};
    rung__text_hex(out->name, digest, RUNG__SHA256_BYTES);
    if (out->bundles) {
        out->copy = rung__path_join(out->bundles, out->name);
        out->part = rung__path_join(out->bundles, ".part");
        out->lock = rung__path_join(out->bundles, ".lock");
    }
    if (out->copy && out->part && out->lock)
        return RUNG_OK;
    return rung__fail(RUNG_NO_MEMORY, "no memory for the private copy of a bundle");
}

/* Says whether the copy is there and as it should be. */
static rung_result look(const struct places *places, const uint8_t digest[RUNG__SHA256_BYTES],
                        bool *intact)
{
    struct rung__bundle copy;
    const struct rung__bytes name = {(const uint8_t *)places->name, strlen(places->name)};
    rung_result result = rung__bundle_open(places->bundles, name, &copy);
    if (result == RUNG_OK) {
        result = rung__bundle_check(&copy, digest);
        rung__bundle_finish(&copy);
    }
    *intact = result == RUNG_OK;
    return result == RUNG_NOT_FOUND || result == RUNG_INTEGRITY ? RUNG_OK : result;
}

static rung_result write_copy(const struct rung__bundle *bundle, const struct places *places,
                              const uint8_t digest[RUNG__SHA256_BYTES])
{
    uint8_t found[RUNG__SHA256_BYTES];
    rung_result result = rung__folder_make_one(places->part);
    if (result == RUNG_OK)
        result = rung__bundle_hash(bundle, places->part, found);
    if (result == RUNG_OK && memcmp(found, digest, sizeof found) != 0)
        result = rung__bundle_refuse(bundle);
    return result == RUNG_OK ? rung__folder_rename(places->part, places->copy) : result;
}

/* Also clears away what is damaged, or was left by a process that died. */
static rung_result make_copy(const struct rung__bundle *bundle, const struct places *places,
                             const uint8_t digest[RUNG__SHA256_BYTES])
{
    rung_result result = rung__folder_remove(places->part);
    if (result == RUNG_OK)
        result = rung__folder_remove(places->copy);
    if (result == RUNG_OK)
        result = write_copy(bundle, places, digest);
    if (result == RUNG_OK)
        return RUNG_OK;
    /* The first failure's sentence counts, and the next maker clears up what cannot be now. */
    char *detail = rung__text_new("%s", rung_last_error());
    (void)rung__folder_remove(places->part);
    if (detail)
        rung__fail(result, "%s", detail);
    free(detail);
    return result;
}

/* Another process may have made the copy while this one waited. */
static rung_result make_copy_alone(const struct rung__bundle *bundle, const struct places *places,
                                   const uint8_t digest[RUNG__SHA256_BYTES])
{
    struct rung__file_lock lock;
    bool intact;
    rung_result result = rung__file_lock_take(&lock, places->lock, RUNG__CLOCK_NEVER);
    if (result != RUNG_OK)
        return result;
    result = look(places, digest, &intact);
    if (result == RUNG_OK)
        result = intact ? rung__bundle_check(bundle, digest) : make_copy(bundle, places, digest);
    rung__file_lock_release(&lock);
    return result;
}

rung_result rung__bundle_keep(const struct rung__bundle *bundle, const char *cache,
                              const uint8_t digest[RUNG__SHA256_BYTES], char **path)
{
    struct places places;
    bool intact;
    *path = NULL;
    rung_result result = name_places(cache, digest, &places);
    if (result == RUNG_OK)
        result = rung__cache_prepare(cache, places.bundles);
    if (result == RUNG_OK)
        result = look(&places, digest, &intact);
    if (result == RUNG_OK)
        result =
            intact ? rung__bundle_check(bundle, digest) : make_copy_alone(bundle, &places, digest);
    if (result == RUNG_OK) {
        *path = places.copy;
        places.copy = NULL;
    }
    finish(&places);
    return result;
}
