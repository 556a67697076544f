/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PICTURES_H
#define PICTURES_H

#include "guard.h"
#include "kernel/preprocess.h"
#include "sweep.h"

/** A surface of random bytes whose last row is exactly width pixels long. */
struct picture {
    struct rung__surface surface;
    struct guarded pixels;
};

/** `padding` is what the stride has beyond a row. */
struct picture picture_make(struct sweep *sweep, uint32_t width, uint32_t height, uint32_t format,
                            uint32_t padding);
void picture_free(struct picture *picture);

/** A canvas of any kind, its sides 1..side. */
struct rung__canvas picture_canvas(struct sweep *sweep, uint32_t side);

/** The whole surface, or a part of it. */
struct rung__crop picture_crop(struct sweep *sweep, uint32_t width, uint32_t height);

#endif
