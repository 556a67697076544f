/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_FIT_H
#define RUNG__KERNEL_FIT_H

#include "artifact/format.h"

struct rung__crop {
    uint32_t x, y, width, height;
};

/** Where the picture lies on the canvas. */
struct rung__placement {
    struct rung__crop crop; /**< the part of the source that is shown, after `cover` */
    uint32_t width, height; /**< of the content on the canvas */
    uint32_t x, y;          /**< its origin */
};

/** The fit of preprocess.md, all in 64-bit integers. The crop is not empty and inside the source.
 */
void rung__fit(const struct rung__canvas *canvas, const struct rung__crop *crop,
               struct rung__placement *out);

/** One axis of the way back from canvas pixels to record units (targets.md). */
struct rung__axis {
    float au, bu;      /**< A·U and B·U, each rounded once */
    int32_t low, high; /**< limits of an edge */
};

struct rung__mapping {
    uint32_t k; /**< shift of large sources */
    struct rung__axis x, y;
};

void rung__mapping(const struct rung__placement *placement, uint32_t source_width,
                   uint32_t source_height, struct rung__mapping *out);

/** The edge of record units nearest to a canvas coordinate; false when it is not finite. */
bool rung__axis_edge(const struct rung__axis *axis, float canvas, int32_t *out);

#endif
