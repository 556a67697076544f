/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SCENE_PUBLISH_H
#define RUNG__SCENE_PUBLISH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rung/scene.h>

#include "base/memory.h"

/*
 * Views for many readers by one writer. Which view is the newest and how often that one was pinned
 * are one word: a reader adds 1 to it and has the view; the writer puts another view there and
 * learns from what it takes out how many pins the old one got. A reader gives it back by adding 1
 * to the view's own number. When both numbers are equal nobody reads it. Neither side ever waits.
 */

struct rung__published_view {
    rung_scene_view view; /**< first: readers have this address */
    void *packet;
    uint64_t pins; /**< got while it was the newest: the writer's */
    _Alignas(RUNG__CACHE_LINE) _Atomic uint64_t released;
};

struct rung__publication {
    struct rung__published_view *views;
    uint32_t count;
    uint32_t newest; /**< the writer's copy; `count` when there is none */
    _Alignas(RUNG__CACHE_LINE) _Atomic uint64_t word;
};

/** Allocates `count` views with packets of at most so many bytes. Results: OK, NO_MEMORY. End with
 * rung__publication_finish, also after a failure. */
rung_result rung__publication_init(struct rung__publication *publication, uint32_t count,
                                   uint64_t packet_bytes);
void rung__publication_finish(struct rung__publication *publication);

/** The writer's: one that nobody reads, for the next scene; NULL: all are held. */
struct rung__published_view *rung__publication_begin(const struct rung__publication *publication);
/** The writer's: makes that one the newest. */
void rung__publication_commit(struct rung__publication *publication,
                              const struct rung__published_view *view);

/** Pins the newest; NULL: there is none. Wait-free, from any thread. */
const rung_scene_view *rung__publication_pin(struct rung__publication *publication);
/** False: it is no view of this publication. */
bool rung__publication_unpin(struct rung__publication *publication, const rung_scene_view *view);

#endif
