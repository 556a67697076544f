/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/raster.h"

#include <string.h>

#include "artifact/tensors.h"
#include "kernel/store.h"

/** Bytes that are copied at a time. */
#define STEP 64u

struct rung__raster rung__raster(const struct rung__canvas *canvas)
{
    const bool planar = canvas->layout == RUNG_LAYOUT_PLANAR;
    const size_t elements = planar ? 1 : canvas->layout == RUNG_LAYOUT_BGRA ? 4 : 3;
    const size_t pixel = elements * rung__dtype_bytes(canvas->dtype);
    const size_t row = pixel * canvas->width;
    return (struct rung__raster){pixel, row, row * canvas->height, planar ? 3 : 1};
}

uint64_t rung__fill_bytes(const struct rung__canvas *canvas)
{
    const struct rung__raster raster = rung__raster(canvas);
    return (uint64_t)raster.row * raster.planes;
}

/** Repeats the pixel at `bytes` until there are `size` bytes of it. */
static void repeat(uint8_t *bytes, size_t pixel, size_t size)
{
    for (size_t done = pixel; done < size;) {
        const size_t more = done < size - done ? done : size - done;
        memcpy(bytes + done, bytes, more);
        done += more;
    }
}

void rung__fill_make(const struct rung__canvas *canvas, uint8_t *fill)
{
    /* The oracle's store makes the pixel: a canvas of one, three elements of 4 bytes at most. */
    struct rung__canvas one = *canvas;
    uint32_t values[3], pixels[4];
    one.width = one.height = 1;
    for (size_t c = 0; c < 3; c++)
        values[c] = (uint32_t)canvas->fill[c] << 16;
    rung__store_row(&one, values, 0, pixels);

    const struct rung__raster raster = rung__raster(canvas);
    for (size_t plane = 0; plane < raster.planes; plane++, fill += raster.row) {
        memcpy(fill, (const uint8_t *)pixels + plane * raster.pixel, raster.pixel);
        repeat(fill, raster.pixel, raster.row);
    }
}

/**
 * Copies in small steps, which compilers make plain stores. For rows of some kilobytes the memcpy
 * of a C library turns to instructions that take 1.5 × as long where the tensor is not in a cache.
 */
static void copy(uint8_t *to, const uint8_t *from, size_t bytes)
{
    size_t done = 0;
    for (; done + STEP <= bytes; done += STEP)
        memcpy(to + done, from + done, STEP);
    memcpy(to + done, from + done, bytes - done);
}

void rung__fill_run(const struct rung__raster *raster, const uint8_t *fill, uint32_t row,
                    uint32_t left, uint32_t right, void *tensor)
{
    const size_t bytes = (right - left) * raster->pixel;
    for (uint32_t plane = 0; plane < raster->planes && bytes > 0; plane++, fill += raster->row)
        copy(rung__raster_at(raster, tensor, plane, row, left), fill, bytes);
}

void rung__fill_rows(const struct rung__raster *raster, const uint8_t *fill, uint32_t first,
                     uint32_t end, void *tensor)
{
    for (uint32_t plane = 0; plane < raster->planes; plane++, fill += raster->row)
        for (uint32_t row = first; row < end; row++)
            copy(rung__raster_at(raster, tensor, plane, row, 0), fill, raster->row);
}
