/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SCENE_DESKTOP_H
#define RUNG__SCENE_DESKTOP_H

#include <stdbool.h>

#include <rung/scene.h>

/*
 * The way from the pixels of a frame to the desktop, in integers (docs/scene.md). It is the same on
 * every machine: a coordinate is rounded once, half up.
 */

/** How one frame lies on the desktop. */
struct rung__desktop_map {
    rung_desktop_rect placement;
    uint32_t width, height;           /**< of the frame, pixels */
    int32_t left, top, right, bottom; /**< what shows of it; nothing where it is empty */
};

/**
 * Checks a placement and what shows of it, and makes a map of them for a frame of so many pixels.
 * Results: OK, INVALID_ARGUMENT.
 */
rung_result rung__desktop_map_init(struct rung__desktop_map *map, const rung_scene_frame *frame,
                                   uint32_t width, uint32_t height);

/** A horizontal or vertical coordinate of the frame, Q8, 0 to its side. */
int32_t rung__desktop_x(const struct rung__desktop_map *map, int32_t x);
int32_t rung__desktop_y(const struct rung__desktop_map *map, int32_t y);

/**
 * Moves a target of the frame's packet to the desktop: box, safe point, id, and whether it is still
 * actionable. Its order and attachment stay as they are. False: nothing of it shows.
 */
bool rung__desktop_target(const struct rung__desktop_map *map, const rung_target *source,
                          rung_target *out);

#endif
