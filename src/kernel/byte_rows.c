/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/byte_rows.h"

#include "base/memory.h"

uint64_t rung__byte_row_bytes(const struct rung__canvas *canvas)
{
    return rung__align((uint64_t)canvas->width * 3 + RUNG__BYTE_ROW_SLACK);
}

static void fill(const struct rung__canvas *canvas, uint8_t *row)
{
    for (size_t x = 0; x < canvas->width; x++)
        for (size_t c = 0; c < 3; c++)
            row[3 * x + c] = canvas->fill[c];
}

void rung__byte_rows(const struct rung__byte_rows *rows, const struct rung__preprocess_frame *frame,
                     uint32_t first, uint32_t end, uint8_t *row)
{
    const struct rung__placement *placement = frame->placement;
    const uint32_t top = placement->y, bottom = top + placement->height;
    uint32_t y = first;
    fill(frame->canvas, row); /* the margins of the content's rows, too */
    for (; y < end && y < top; y++)
        rows->store(frame->canvas, row, y, frame->tensor);
    for (; y < end && y < bottom; y++) {
        rows->content(rows->user, y - top, row + (size_t)placement->x * 3);
        rows->store(frame->canvas, row, y, frame->tensor);
    }
    if (y < end)
        fill(frame->canvas, row);
    for (; y < end; y++)
        rows->store(frame->canvas, row, y, frame->tensor);
}
