/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_RASTER_H
#define RUNG__KERNEL_RASTER_H

#include <stddef.h>

#include "artifact/format.h"

/** How the pixels of a canvas lie in its tensor; sizes in bytes. */
struct rung__raster {
    size_t pixel, row, plane;
    uint32_t planes; /**< one for each channel, or one for all */
};

struct rung__raster rung__raster(const struct rung__canvas *canvas);

/** Where pixel x of a row lies in a plane of the tensor. */
static inline uint8_t *rung__raster_at(const struct rung__raster *raster, void *tensor,
                                       uint32_t plane, uint32_t row, uint32_t x)
{
    return (uint8_t *)tensor + plane * raster->plane + row * raster->row + x * raster->pixel;
}

/*
 * The pixels around the content. A fill is one canvas row of them as the tensor has it (planes one
 * after the other), made once, so that filling is copying.
 */

/** Its bytes. */
uint64_t rung__fill_bytes(const struct rung__canvas *canvas);

void rung__fill_make(const struct rung__canvas *canvas, uint8_t *fill);

/** Fills the pixels left..right of a row of the tensor; there may be none. */
void rung__fill_run(const struct rung__raster *raster, const uint8_t *fill, uint32_t row,
                    uint32_t left, uint32_t right, void *tensor);

/** Fills the rows first..end; there may be none. One plane after the other, as memory likes it. */
void rung__fill_rows(const struct rung__raster *raster, const uint8_t *fill, uint32_t first,
                     uint32_t end, void *tensor);

#endif
