/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SCENE_SOURCE_H
#define RUNG__SCENE_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/memory.h"
#include "base/thread.h"
#include "scene/desktop.h"

/*
 * Sources and the newest frame of each. A source has three places for frames: one that is being
 * offered, one that is pending, one that the tick has. Handing over is an exchange of the pending
 * place's number, so that neither side ever waits for the other. One thread at a time offers; a
 * second one is told BUSY.
 */

/** Removed sources keep their place until the tick is done with them, hence twice as many, and one
 * that the tick is just looking at. */
#define RUNG__SOURCE_PLACES (2 * RUNG_SCENE_SOURCES_MAX + 1)

/** Which desktop a frame was placed on. */
struct rung__epoch_pair {
    uint64_t topology, transform;
};

bool rung__epoch_pair_is_newer(struct rung__epoch_pair a, struct rung__epoch_pair b);

/** A frame that was handed over, with its place on the desktop. */
struct rung__offered {
    rung_frame frame;
    struct rung__desktop_map map;
    uint64_t captured_ns; /**< by the scene's clock */
};

struct rung__epoch_pair rung__offered_pair(const struct rung__offered *offered);

/** Gives the frame back to whom it belongs. */
void rung__offered_release(const struct rung__offered *offered);

/** What is counted of a source. Whoever knows adds; any thread reads. */
enum rung__source_count {
    RUNG__FRAMES_OFFERED,
    RUNG__FRAMES_REPLACED,
    RUNG__FRAMES_STALE,
    RUNG__FRAMES_FAILED,
    RUNG__FRAMES_DISCARDED,
    RUNG__FRAMES_PUBLISHED,
    RUNG__SOURCE_AGE,
    RUNG__SOURCE_MAX_AGE,
    RUNG__SOURCE_COUNTS
};

struct rung__source {
    _Alignas(RUNG__CACHE_LINE) atomic_bool active; /**< it was added */
    _Atomic uint64_t id;
    atomic_bool offering;                 /**< a thread is; guards the two below */
    uint32_t back;                        /**< the place that it may write */
    _Atomic uint64_t topology, transform; /**< the newest pair that was offered */
    atomic_uint pending;                  /**< the pending place, and whether a frame is there */
    atomic_bool taken;                    /**< the tick looks at it; guards the three below */
    uint32_t front;                       /**< the tick's place */
    uint32_t empty;        /**< the place that the tick gave for it: how pending is left */
    uint64_t published_ns; /**< capture of its newest published frame; 0: none */
    bool failing;          /**< its last frame failed */
    struct rung__offered places[3];
    _Atomic uint64_t counts[RUNG__SOURCE_COUNTS];
};

struct rung__sources {
    struct rung__mutex mutex; /**< adding and removing, one at a time */
    struct rung__source places[RUNG__SOURCE_PLACES];
};

void rung__sources_init(struct rung__sources *sources);
/** Releases what is pending. */
void rung__sources_finish(struct rung__sources *sources);

/** Results: those of rung_scene_add_source. */
rung_result rung__sources_add(struct rung__sources *sources, uint64_t id);
/** Results: those of rung_scene_remove_source. */
rung_result rung__sources_remove(struct rung__sources *sources, uint64_t id);

/** Makes a frame the pending one of its source. Results: OK, NOT_FOUND, BUSY. */
rung_result rung__sources_offer(struct rung__sources *sources, const struct rung__offered *offered);

/** The tick's: looks at a place. False: there is no source. End with rung__source_leave. */
bool rung__source_enter(struct rung__source *source, uint64_t *id);
void rung__source_leave(struct rung__source *source);

/** The tick's: takes the pending frame; NULL: there is none. It is the tick's until the next call,
 * and to be released or put back. */
const struct rung__offered *rung__source_take(struct rung__source *source);
/** The tick's: makes what it took the pending one again, or releases it where there is a newer one,
 * or no source any more. */
void rung__source_put_back(struct rung__source *source);

/** Whether a frame of a newer pair was offered. */
bool rung__source_is_ahead(const struct rung__source *source, struct rung__epoch_pair pair);

void rung__source_count_one(struct rung__source *source, enum rung__source_count count);

#endif
