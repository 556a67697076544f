/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>
#include <string.h>

#include "kernel/nearest.h"
#include "kernel/store_bytes.h"

#define PIXELS     4u  /* at once */
#define PIXEL_READ 4u  /* bytes */
#define WRITTEN    16u /* bytes for four pixels: the next ones begin at 12 */

/** How many pixels may go four at a time: nothing behind the row is read, none behind it written.
 */
static uint32_t whole_of(const struct rung__nearest_columns *columns)
{
    uint32_t whole = columns->count;
    while (whole > 0 && columns->offsets[whole - 1] + PIXEL_READ > columns->row_bytes)
        whole--;
    while (whole > 0 && 3 * (columns->count - whole) < WRITTEN - 3 * PIXELS)
        whole--;
    return whole / PIXELS * PIXELS;
}

/** From four pixels in 32-bit lanes to their stored channels. */
static uint8x16_t picks_of(const uint32_t channels[3])
{
    uint8_t picks[16];
    memset(picks, 0xff, sizeof picks);
    for (uint32_t i = 0; i < 3 * PIXELS; i++)
        picks[i] = (uint8_t)(i / 3 * 4 + channels[i % 3]);
    return vld1q_u8(picks);
}

static void row(const struct rung__nearest_columns *columns, const uint8_t *from, uint8_t *to)
{
    const uint32_t *offsets = columns->offsets, whole = whole_of(columns);
    const uint8x16_t picks = picks_of(columns->channels);
    uint32_t x = 0;
    for (; x < whole; x += PIXELS) {
        uint32_t pixels[PIXELS];
        for (uint32_t i = 0; i < PIXELS; i++)
            memcpy(&pixels[i], from + offsets[x + i], PIXEL_READ);
        const uint8x16_t bytes = vreinterpretq_u8_u32(vld1q_u32(pixels));
        vst1q_u8(to + (size_t)3 * x, vqtbl1q_u8(bytes, picks));
    }
    for (; x < columns->count; x++)
        for (size_t c = 0; c < 3; c++)
            to[(size_t)3 * x + c] = from[offsets[x] + columns->channels[c]];
}

static const struct rung__nearest_parts parts = {NULL, NULL, row, rung__store_bytes_neon};

const struct rung__resampler rung__nearest_neon = {
    rung__nearest_tables_bytes, rung__nearest_make_tables, rung__nearest_scratch_bytes,
    rung__nearest_rows, &parts};
