/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures for who has none. */
#include <stdlib.h>

#include "session/validate.h"

#define PATCHES     24u
#define SEED        0x9e3779b9u
#define NOISE_MASK  31u
#define CHANNELS    3u
#define SLOPE_RANGE 224u /* with the noise it stays in a byte */

/** Marsaglia's xorshift: the same numbers on every machine. */
static uint32_t next_number(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void paint_ground(uint8_t *pixel, uint32_t width, uint32_t height, uint32_t *state)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++, pixel += CHANNELS) {
            const uint32_t noise = next_number(state);
            pixel[0] = (uint8_t)((uint64_t)x * SLOPE_RANGE / width + (noise & NOISE_MASK));
            pixel[1] = (uint8_t)((uint64_t)y * SLOPE_RANGE / height + (noise >> 8 & NOISE_MASK));
            pixel[2] = (uint8_t)(noise >> 16);
        }
}

static void paint_patch(uint8_t *pixels, uint32_t width, uint32_t height, uint32_t *state)
{
    const uint32_t left = next_number(state) % width, top = next_number(state) % height;
    const uint32_t right = left + next_number(state) % (width / 4 + 1) + 1;
    const uint32_t bottom = top + next_number(state) % (height / 4 + 1) + 1;
    const uint32_t colour = next_number(state);
    for (uint32_t y = top; y < bottom && y < height; y++)
        for (uint32_t x = left; x < right && x < width; x++)
            for (uint32_t channel = 0; channel < CHANNELS; channel++)
                pixels[CHANNELS * ((size_t)y * width + x) + channel] =
                    (uint8_t)(colour >> 8 * channel);
}

rung_frame rung__validate_picture(uint32_t width, uint32_t height)
{
    uint32_t state = SEED;
    uint8_t *pixels = width && height ? malloc((size_t)CHANNELS * width * height) : NULL;
    if (pixels)
        paint_ground(pixels, width, height, &state);
    for (uint32_t i = 0; i < PATCHES && pixels; i++)
        paint_patch(pixels, width, height, &state);
    return (rung_frame){.struct_size = sizeof(rung_frame),
                        .version = RUNG_STRUCT_VERSION,
                        .pixels = pixels,
                        .width = width,
                        .height = height,
                        .format = RUNG_PIXEL_RGB8};
}
