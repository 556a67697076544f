/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SCENE_CLOCK_H
#define RUNG__SCENE_CLOCK_H

#include <stdatomic.h>

#include <rung/scene.h>

/** The system's monotonic clock. `woken` is where waking is noted; 0 at first. */
rung_scene_clock rung__scene_system_clock(atomic_uint *woken);

#endif
