/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/publish.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/** The word: the number of pins below, the view above. 2^48 pins of one scene are years. */
#define PIN_BITS 48
#define PINS     ((UINT64_C(1) << PIN_BITS) - 1)

static uint64_t word_of(uint32_t view)
{
    return (uint64_t)view << PIN_BITS;
}

rung_result rung__publication_init(struct rung__publication *publication, uint32_t count,
                                   uint64_t packet_bytes)
{
    publication->newest = publication->count = count;
    atomic_init(&publication->word, word_of(count));
    publication->views = rung__memory_new((uint64_t)count * sizeof *publication->views);
    if (!publication->views)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a scene");
    memset(publication->views, 0, count * sizeof *publication->views);
    for (uint32_t i = 0; i < count; i++) {
        publication->views[i].packet = rung__memory_new(packet_bytes);
        if (!publication->views[i].packet)
            return rung__fail(RUNG_NO_MEMORY, "no memory for the packets of a scene, %llu bytes",
                              (unsigned long long)packet_bytes);
    }
    return RUNG_OK;
}

void rung__publication_finish(struct rung__publication *publication)
{
    for (uint32_t i = 0; publication->views && i < publication->count; i++)
        free(publication->views[i].packet);
    free(publication->views);
}

struct rung__published_view *rung__publication_begin(const struct rung__publication *publication)
{
    for (uint32_t i = 0; i < publication->count; i++) {
        struct rung__published_view *view = &publication->views[i];
        if (i != publication->newest &&
            atomic_load_explicit(&view->released, memory_order_acquire) == view->pins)
            return view;
    }
    return NULL;
}

void rung__publication_commit(struct rung__publication *publication,
                              const struct rung__published_view *view)
{
    const uint32_t index = (uint32_t)(view - publication->views);
    const uint64_t before =
        atomic_exchange_explicit(&publication->word, word_of(index), memory_order_acq_rel);
    if (publication->newest < publication->count)
        publication->views[publication->newest].pins += before & PINS;
    publication->newest = index;
}

const rung_scene_view *rung__publication_pin(struct rung__publication *publication)
{
    const uint64_t word = atomic_fetch_add_explicit(&publication->word, 1, memory_order_acquire);
    const uint64_t index = word >> PIN_BITS;
    return index < publication->count ? &publication->views[index].view : NULL;
}

bool rung__publication_unpin(struct rung__publication *publication, const rung_scene_view *view)
{
    const uintptr_t offset = (uintptr_t)view - (uintptr_t)publication->views;
    const uintptr_t index = offset / sizeof *publication->views;
    if (offset % sizeof *publication->views || index >= publication->count)
        return false;
    atomic_fetch_add_explicit(&publication->views[index].released, 1, memory_order_release);
    return true;
}
