/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/triangle_layout.h"

#include "base/memory.h"
#include "kernel/resample.h"

#define TAPS         RUNG__TRIANGLE_TAPS
#define PIXEL_MAX    4u  /* bytes */
#define BLEND_BEHIND 64u /* columns that a blend may read behind */

static uint64_t take(uint64_t *total, uint64_t bytes)
{
    const uint64_t offset = *total;
    *total += rung__align(bytes);
    return offset;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

uint32_t rung__triangle_blocks(const struct rung__triangle_filter *filter, uint32_t width)
{
    const uint32_t columns = filter->lanes / filter->unit * filter->columns;
    return (3 * width + columns - 1) / columns;
}

static void lay_out_tables(const struct rung__triangle_parts *parts,
                           const struct rung__placement *placement,
                           struct rung__triangle_layout *layout)
{
    const uint32_t x_taps = rung__axis_triangle_taps(placement->width, placement->crop.width);
    const uint32_t y_taps = rung__axis_triangle_taps(placement->height, placement->crop.height);
    const uint64_t step = sizeof(struct rung__triangle_step);
    uint64_t *total = &layout->tables_bytes;
    uint32_t lanes = 0; /* the most of any filter */
    for (uint32_t i = 0; i < parts->filter_count; i++) {
        const struct rung__triangle_filter *filter = &parts->filters[i];
        lanes = larger(lanes, rung__triangle_blocks(filter, placement->width) * filter->lanes);
    }
    layout->pitch = lanes + BLEND_BEHIND;
    layout->x_taps = x_taps;
    layout->x_steps = rung__triangle_steps(x_taps);
    layout->y_steps =
        rung__triangle_steps(y_taps + TAPS - 1); /* a window may begin at a group's last row */
    layout->head = take(total, sizeof(struct rung__triangle_head));
    layout->x_offsets = take(total, lanes * sizeof(uint32_t));
    layout->x_picks = take(total, lanes * sizeof(uint32_t));
    layout->x_weights =
        take(total, (uint64_t)lanes * layout->x_steps * parts->words * sizeof(uint32_t));
    layout->y_spans = take(total, (uint64_t)placement->height * sizeof(struct rung__triangle_span));
    layout->y_weights = take(total, (uint64_t)placement->height * layout->y_steps * step);
    /* Of either axis, one after the other. */
    const uint64_t x_weights = (uint64_t)placement->width * x_taps;
    const uint64_t y_weights = (uint64_t)placement->height * y_taps;
    layout->windows =
        take(total, larger(placement->width, placement->height) * sizeof(struct rung__window));
    layout->weights =
        take(total, (x_weights > y_weights ? x_weights : y_weights) * sizeof(uint32_t));
    layout->samples = take(total, (uint64_t)placement->width * 3 * sizeof(uint32_t));
    layout->packed = take(total, (uint64_t)placement->width * layout->x_steps * step);
}

static void lay_out_scratch(const struct rung__triangle_parts *parts,
                            const struct rung__canvas *canvas,
                            const struct rung__placement *placement,
                            struct rung__triangle_layout *layout)
{
    uint64_t *total = &layout->scratch_bytes;
    uint32_t window = 0; /* the widest of any filter */
    for (uint32_t i = 0; i < parts->filter_count; i++)
        window = larger(window, parts->filters[i].window);
    layout->line_bytes = rung__align((uint64_t)layout->pitch * parts->column_bytes);
    layout->lines = take(total, layout->y_steps * layout->line_bytes);
    layout->pointers = take(total, layout->y_steps * sizeof(const uint8_t *));
    /* Windows at the end have fewer taps than others, but as many steps. */
    layout->copy_bytes = rung__align(
        ((uint64_t)placement->crop.width + (uint64_t)layout->x_steps * TAPS) * PIXEL_MAX + window);
    layout->copies = take(total, TAPS * layout->copy_bytes);
    layout->row = take(total, rung__byte_row_bytes(canvas));
}

struct rung__triangle_layout rung__triangle_lay_out(const struct rung__triangle_parts *parts,
                                                    const struct rung__canvas *canvas,
                                                    const struct rung__placement *placement)
{
    struct rung__triangle_layout layout = {0};
    lay_out_tables(parts, placement, &layout);
    lay_out_scratch(parts, canvas, placement, &layout);
    return layout;
}

uint64_t rung__triangle_tables_bytes(const struct rung__resampler *self,
                                     const struct rung__canvas *canvas,
                                     const struct rung__placement *placement)
{
    const struct rung__triangle_parts *parts = self->parts;
    return rung__triangle_lay_out(parts, canvas, placement).tables_bytes;
}

uint64_t rung__triangle_scratch_bytes(const struct rung__resampler *self,
                                      const struct rung__canvas *canvas,
                                      const struct rung__placement *placement)
{
    const struct rung__triangle_parts *parts = self->parts;
    return rung__triangle_lay_out(parts, canvas, placement).scratch_bytes;
}
