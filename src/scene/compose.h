/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SCENE_COMPOSE_H
#define RUNG__SCENE_COMPOSE_H

#include "scene/desktop.h"
#include "scene/reduce.h"

/* One packet of the packets of many frames. */

/** What was found in one frame. */
struct rung__scene_part {
    const struct rung__desktop_map *map;
    const rung_packet_header *packet;
    uint32_t targets; /**< set: how many of it are in the scene */
};

/** What a scene is made of. */
struct rung__composition {
    struct rung__scene_part *parts;
    uint32_t part_count;          /**< at most RUNG_SCENE_SOURCES_MAX */
    uint32_t min_confidence;      /**< targets with less are left out */
    bool outdated;                /**< the desktop has changed: nothing is actionable */
    bool incomplete;              /**< a part is missing */
    rung_packet_header header;    /**< its epochs */
    struct rung__order_key *keys; /**< room for max_targets */
    uint32_t max_targets;         /**< at most RUNG_SCENE_TARGETS_MAX */
    bool left_out;                /**< set: there were more targets, here or in a part */
};

/** The bytes of a scene's packet with so many targets that have `points` key points each, at most.
 */
uint64_t rung__compose_bytes(uint32_t max_targets, uint32_t points);

/** Writes the packet, 8-byte aligned and with room for rung__compose_bytes. Returns its size. */
uint64_t rung__compose(struct rung__composition *composition, void *to);

#endif
