/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/source.h"

#include <string.h>

#include "base/error.h"

/** The pending word: the number of a place, and whether a frame is in it. */
#define PLACE 3u
#define FULL  4u

bool rung__epoch_pair_is_newer(struct rung__epoch_pair a, struct rung__epoch_pair b)
{
    return a.topology != b.topology ? a.topology > b.topology : a.transform > b.transform;
}

struct rung__epoch_pair rung__offered_pair(const struct rung__offered *offered)
{
    return (struct rung__epoch_pair){offered->frame.topology_epoch, offered->frame.transform_epoch};
}

void rung__offered_release(const struct rung__offered *offered)
{
    if (offered->frame.release)
        offered->frame.release(offered->frame.release_user, offered->frame.pixels);
}

void rung__source_count_one(struct rung__source *source, enum rung__source_count count)
{
    atomic_fetch_add_explicit(&source->counts[count], 1, memory_order_relaxed);
}

/* ---- adding and removing ------------------------------------------------------------------- */

void rung__sources_init(struct rung__sources *sources)
{
    memset(sources, 0, sizeof *sources);
    rung__mutex_init(&sources->mutex);
}

/** Whoever offers has the source to itself. */
static bool claim(struct rung__source *source)
{
    return !atomic_exchange_explicit(&source->offering, true, memory_order_acquire);
}

static void unclaim(struct rung__source *source)
{
    atomic_store_explicit(&source->offering, false, memory_order_release);
}

/** Takes the pending frame out, on the side of whoever offers. */
static bool withdraw(struct rung__source *source, struct rung__offered *out)
{
    const uint32_t before =
        atomic_exchange_explicit(&source->pending, source->back, memory_order_acq_rel);
    source->back = before & PLACE;
    if (before & FULL)
        *out = source->places[source->back];
    return before & FULL;
}

void rung__sources_finish(struct rung__sources *sources)
{
    struct rung__offered pending;
    for (uint32_t i = 0; i < RUNG__SOURCE_PLACES; i++)
        if (sources->places[i].active && withdraw(&sources->places[i], &pending))
            rung__offered_release(&pending);
    rung__mutex_finish(&sources->mutex);
}

static struct rung__source *find(struct rung__sources *sources, uint64_t id)
{
    for (uint32_t i = 0; i < RUNG__SOURCE_PLACES; i++) {
        struct rung__source *source = &sources->places[i];
        if (atomic_load(&source->active) && atomic_load(&source->id) == id)
            return source;
    }
    return NULL;
}

static uint32_t count_active(struct rung__sources *sources)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < RUNG__SOURCE_PLACES; i++)
        count += atomic_load(&sources->places[i].active);
    return count;
}

/** A place that neither a source nor the tick has: at most 15 and 16 do when one is added. */
static struct rung__source *find_free(struct rung__sources *sources)
{
    for (uint32_t i = 0; i < RUNG__SOURCE_PLACES; i++) {
        struct rung__source *source = &sources->places[i];
        if (!atomic_load(&source->active) && !atomic_load(&source->taken))
            return source;
    }
    return NULL;
}

static void start(struct rung__source *source, uint64_t id)
{
    atomic_store(&source->id, id);
    atomic_store(&source->topology, 0);
    atomic_store(&source->transform, 0);
    for (uint32_t i = 0; i < RUNG__SOURCE_COUNTS; i++)
        atomic_store(&source->counts[i], 0);
    source->back = 0;
    source->front = 1;
    atomic_store(&source->pending, 2);
    source->published_ns = 0;
    source->failing = false;
    atomic_store(&source->active, true);
}

static rung_result add(struct rung__sources *sources, uint64_t id)
{
    if (find(sources, id))
        return rung__fail(RUNG_ALREADY_EXISTS, "the scene has a source %llu already",
                          (unsigned long long)id);
    struct rung__source *source =
        count_active(sources) < RUNG_SCENE_SOURCES_MAX ? find_free(sources) : NULL;
    if (!source)
        return rung__fail(RUNG_CAPACITY,
                          "a scene has at most %u sources; remove one before source %llu is added",
                          RUNG_SCENE_SOURCES_MAX, (unsigned long long)id);
    start(source, id);
    return RUNG_OK;
}

rung_result rung__sources_add(struct rung__sources *sources, uint64_t id)
{
    rung__mutex_lock(&sources->mutex);
    rung_result result = add(sources, id);
    rung__mutex_unlock(&sources->mutex);
    return result;
}

static rung_result not_found(uint64_t id)
{
    return rung__fail(RUNG_NOT_FOUND,
                      "the scene has no source %llu; add it with rung_scene_add_source",
                      (unsigned long long)id);
}

static rung_result busy(uint64_t id)
{
    return rung__fail(RUNG_BUSY, "a frame of source %llu is being offered on another thread",
                      (unsigned long long)id);
}

static rung_result remove_source(struct rung__sources *sources, uint64_t id, bool *was_pending,
                                 struct rung__offered *pending)
{
    struct rung__source *source = find(sources, id);
    if (!source)
        return not_found(id);
    if (!claim(source))
        return busy(id);
    atomic_store(&source->active, false); /* before: what is put back behind it is noticed there */
    *was_pending = withdraw(source, pending);
    unclaim(source);
    return RUNG_OK;
}

rung_result rung__sources_remove(struct rung__sources *sources, uint64_t id)
{
    struct rung__offered pending;
    bool was_pending = false;
    rung__mutex_lock(&sources->mutex);
    rung_result result = remove_source(sources, id, &was_pending, &pending);
    rung__mutex_unlock(&sources->mutex);
    if (was_pending)
        rung__offered_release(&pending);
    return result;
}

/* ---- offering ------------------------------------------------------------------------------ */

/** The pair that the source is at. */
static struct rung__epoch_pair pair_of(const struct rung__source *source)
{
    return (struct rung__epoch_pair){
        atomic_load_explicit(&source->topology, memory_order_relaxed),
        atomic_load_explicit(&source->transform, memory_order_relaxed)};
}

/** Puts the frame in. False: it, or the one that it took the place of, is to be released: `*out`.
 */
static bool enter_frame(struct rung__source *source, const struct rung__offered *offered,
                        struct rung__offered *out)
{
    const struct rung__epoch_pair pair = rung__offered_pair(offered);
    rung__source_count_one(source, RUNG__FRAMES_OFFERED);
    if (rung__epoch_pair_is_newer(pair_of(source), pair)) {
        rung__source_count_one(source, RUNG__FRAMES_STALE);
        *out = *offered;
        return false;
    }
    atomic_store_explicit(&source->topology, pair.topology, memory_order_relaxed);
    atomic_store_explicit(&source->transform, pair.transform, memory_order_relaxed);
    source->places[source->back] = *offered;
    const uint32_t before =
        atomic_exchange_explicit(&source->pending, source->back | FULL, memory_order_acq_rel);
    source->back = before & PLACE;
    if (!(before & FULL))
        return true;
    rung__source_count_one(source, RUNG__FRAMES_REPLACED);
    *out = source->places[source->back];
    return false;
}

rung_result rung__sources_offer(struct rung__sources *sources, const struct rung__offered *offered)
{
    struct rung__offered leaving;
    const uint64_t id = offered->frame.source_id;
    struct rung__source *source = find(sources, id);
    if (!source)
        return not_found(id);
    if (!claim(source))
        return busy(id);
    /* It may have been removed, and another one have its place by now. */
    const bool is_there = atomic_load(&source->active) && atomic_load(&source->id) == id;
    const bool leaves = is_there && !enter_frame(source, offered, &leaving);
    unclaim(source);
    if (leaves)
        rung__offered_release(&leaving); /* which may offer the next one */
    return is_there ? RUNG_OK : not_found(id);
}

/* ---- the tick ------------------------------------------------------------------------------ */

/* Either adding sees that the place is taken, or the tick sees that it is not active: both are
 * written before the other is read. */
bool rung__source_enter(struct rung__source *source, uint64_t *id)
{
    atomic_store(&source->taken, true);
    if (!atomic_load(&source->active)) {
        atomic_store(&source->taken, false);
        return false;
    }
    *id = atomic_load(&source->id);
    return true;
}

void rung__source_leave(struct rung__source *source)
{
    atomic_store(&source->taken, false);
}

const struct rung__offered *rung__source_take(struct rung__source *source)
{
    source->empty = source->front;
    const uint32_t before =
        atomic_exchange_explicit(&source->pending, source->front, memory_order_acq_rel);
    source->front = before & PLACE;
    return before & FULL ? &source->places[source->front] : NULL;
}

/** Releases what was put back, where it is still there. */
static void take_and_release(struct rung__source *source)
{
    const struct rung__offered *offered = rung__source_take(source);
    if (offered)
        rung__offered_release(offered);
}

void rung__source_put_back(struct rung__source *source)
{
    uint32_t expected = source->empty;
    if (atomic_compare_exchange_strong(&source->pending, &expected, source->front | FULL)) {
        source->front = source->empty;
        if (!atomic_load(&source->active))
            take_and_release(source);
        return;
    }
    rung__source_count_one(source, RUNG__FRAMES_REPLACED);
    rung__offered_release(&source->places[source->front]);
}

bool rung__source_is_ahead(const struct rung__source *source, struct rung__epoch_pair pair)
{
    /* Both only rise: half of an offer that is under way never looks newer than it is. */
    return rung__epoch_pair_is_newer(pair_of(source), pair);
}
