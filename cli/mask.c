/* SPDX-License-Identifier: Apache-2.0 */
#include "mask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"

#define WHITE 255

/* Colours that can be told apart; a class takes one by its number, the first one being 1. */
static const uint8_t tints[][3] = {
    {40, 150, 240}, {230, 60, 50},  {60, 170, 70},  {245, 170, 20},
    {160, 80, 200}, {20, 180, 180}, {235, 90, 160}, {130, 130, 20},
};

static const rung_mask *place_of(const rung_packet_header *packet)
{
    return (const rung_mask *)(packet + 1);
}

static const uint8_t *rows_of(const rung_packet_header *packet)
{
    return (const uint8_t *)(place_of(packet) + 1);
}

static bool make_room(struct mask *mask, uint32_t width, uint32_t height)
{
    const size_t pixels = (size_t)width * height;
    uint32_t *columns = realloc(mask->columns, width * sizeof *columns);
    if (!columns)
        return false;
    mask->columns = columns;
    if (pixels > mask->capacity) {
        uint8_t *grown = realloc(mask->pixels, pixels);
        if (!grown)
            return false;
        mask->pixels = grown;
        mask->capacity = pixels;
    }
    mask->width = width;
    mask->height = height;
    return true;
}

/** The pixel of `length` in which the middle of pixel `i` of `size` lies. */
static uint32_t nearest(uint32_t i, uint32_t size, uint32_t length)
{
    return (uint32_t)((2 * (uint64_t)i + 1) * length / (2 * (uint64_t)size));
}

bool mask_spread(struct mask *mask, const rung_packet_header *packet, uint32_t width,
                 uint32_t height)
{
    const rung_mask *place = place_of(packet);
    const uint32_t left = (uint32_t)place->crop_x, top = (uint32_t)place->crop_y;
    const uint32_t wide = (uint32_t)place->crop_w, high = (uint32_t)place->crop_h;
    if (!make_room(mask, width, height))
        return false;
    for (uint32_t x = 0; x < wide; x++)
        mask->columns[x] = nearest(x, wide, packet->stride);
    memset(mask->pixels, 0, (size_t)width * height);
    for (uint32_t y = 0; y < high; y++) {
        const uint8_t *from =
            rows_of(packet) + (size_t)nearest(y, high, packet->count) * packet->stride;
        uint8_t *to = mask->pixels + (size_t)(top + y) * width + left;
        for (uint32_t x = 0; x < wide; x++)
            to[x] = from[mask->columns[x]];
    }
    return true;
}

void mask_finish(struct mask *mask)
{
    free(mask->pixels);
    free(mask->columns);
    *mask = (struct mask){0};
}

void mask_count(const rung_packet_header *packet, uint64_t counts[MASK_CLASSES])
{
    const size_t pixels = (size_t)packet->count * packet->stride;
    const uint8_t *classes = rows_of(packet);
    memset(counts, 0, MASK_CLASSES * sizeof *counts);
    for (size_t i = 0; i < pixels; i++)
        counts[classes[i]]++;
}

void mask_tint(const struct mask *mask, struct photo *photo)
{
    const size_t pixels = (size_t)mask->width * mask->height;
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t class_id = mask->pixels[i];
        const uint8_t *tint = tints[(class_id + 7u) % (sizeof tints / sizeof *tints)];
        uint8_t *pixel = photo->pixels + 3 * i;
        for (int c = 0; c < 3 && class_id; c++)
            pixel[c] = (uint8_t)((pixel[c] + tint[c] + 1) / 2);
    }
}

static void make_white(struct mask *mask)
{
    const size_t pixels = (size_t)mask->width * mask->height;
    for (size_t i = 0; i < pixels; i++)
        mask->pixels[i] = mask->pixels[i] ? WHITE : 0;
}

bool mask_save(struct mask *mask, uint32_t classes, const char *path, struct photo_error *error)
{
    if (classes == 2)
        make_white(mask);
    return draw_save(mask->pixels, mask->width, mask->height, 1, path, error);
}
