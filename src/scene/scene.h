/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SCENE_SCENE_H
#define RUNG__SCENE_SCENE_H

#include <rung/scene.h>

#include "base/histogram.h"
#include "base/thread.h"
#include "scene/clock.h"
#include "scene/compose.h"
#include "scene/publish.h"
#include "scene/schedule.h"
#include "scene/source.h"

/** A source in the tick that is under way. */
struct rung__scene_entry {
    struct rung__source *source;
    const struct rung__offered *offered; /**< its frame; NULL: none, or none any more */
    struct rung__desktop_map map;
    rung_packet_header *packet; /**< the entry's memory, whichever source it is of */
    uint64_t captured_ns;       /**< of its frame */
    rung_scene_source state;
};

/** What was counted of ticks. */
enum rung__tick_count {
    RUNG__TICKS_PUBLISHED,
    RUNG__TICKS_IDLE,
    RUNG__TICKS_ABORTED,
    RUNG__TICKS_DROPPED,
    RUNG__PERIODS_MISSED,
    RUNG__TICK_COUNTS
};

/** Who runs ticks. */
enum rung__scene_stepper {
    RUNG__STEPPER_NONE,
    RUNG__STEPPER_CALLER, /**< of rung_scene_step, for as long as it takes */
    RUNG__STEPPER_THREAD, /**< the scene's own */
    RUNG__STEPPER_ENDING  /**< that, and somebody waits for its end */
};

struct rung_scene {
    rung_context *context;
    rung_scene_clock clock;
    atomic_uint woken; /**< of the system's clock */
    bool aborts;       /**< the policy */
    uint32_t min_confidence, max_targets;

    atomic_int stepper; /**< enum rung__scene_stepper; whoever sets it has the next six */
    struct rung__schedule schedule;
    struct rung__epoch_pair newest; /**< that ever was in a tick */
    struct rung__scene_entry entries[RUNG_SCENE_SOURCES_MAX];
    uint32_t entry_count;
    struct rung__order_key *keys;
    uint64_t sequence; /**< of the scene that was published last */

    uint8_t *packets; /**< of the entries */
    uint64_t packet_bytes;
    struct rung__thread thread;
    atomic_bool stopping;

    _Atomic uint64_t counts[RUNG__TICK_COUNTS];
    struct rung__histogram batch, oldest;
    struct rung__publication publication;
    struct rung__sources sources;
};

/** By the scene's clock. */
uint64_t rung__scene_now(const struct rung_scene *scene);

/** Runs the tick that is due. The caller has the stepper. */
void rung__scene_tick(struct rung_scene *scene, const struct rung__due *due);

/** Whether every source of the tick has a frame in it that did not fail. */
bool rung__scene_is_complete(const struct rung_scene *scene);

/** Makes a scene of the entries' packets and publishes it in `to`. */
void rung__scene_commit(struct rung_scene *scene, struct rung__published_view *to, uint64_t due,
                        uint64_t began);

/** Adds to a count. */
void rung__scene_count(struct rung_scene *scene, enum rung__tick_count count, uint64_t number);

#endif
