/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the decoder's rows to the picture, without a second picture in between: some rows at a time
 * are brought to 8-bit RGB where they are not, and put where they belong in the upright picture.
 */
#include <stdlib.h>
#include <string.h>

#include "photo_parts.h"

#define SIDE_MAX   65535
#define STRIP_ROWS 64 /* a strip of 12 megapixels lies in the second-level cache */

/** Where pixel (x, y) of the file goes: origin + x * across + y * down, in pixels. */
struct placement {
    ptrdiff_t origin, across, down;
    uint32_t width, height; /* of the upright picture */
};

/** Some rows in 8-bit RGB. */
struct strip {
    const uint8_t *pixels;
    size_t stride; /* in bytes */
    size_t width, rows;
};

/** By the orientation of EXIF, 1 to 8; vips_image_get_orientation takes anything else for 1. */
static struct placement place_by(int orientation, uint32_t width, uint32_t height)
{
    const ptrdiff_t w = width, h = height;
    switch (orientation) {
    case 2: /* mirrored */
        return (struct placement){w - 1, -1, w, width, height};
    case 3: /* upside down */
        return (struct placement){w * h - 1, -1, -w, width, height};
    case 4: /* upside down and mirrored */
        return (struct placement){w * (h - 1), 1, -w, width, height};
    case 5: /* rows and columns exchanged */
        return (struct placement){0, h, 1, height, width};
    case 6: /* to be turned right */
        return (struct placement){h - 1, h, -1, height, width};
    case 7: /* exchanged the other way */
        return (struct placement){w * h - 1, -h, -1, height, width};
    case 8: /* to be turned left */
        return (struct placement){h * (w - 1), -h, 1, height, width};
    default:
        return (struct placement){0, 1, w, width, height};
    }
}

static void put_row(uint8_t *to, ptrdiff_t step, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++, to += step, from += 3) {
        to[0] = from[0];
        to[1] = from[1];
        to[2] = from[2];
    }
}

static void put_column(uint8_t *to, ptrdiff_t step, const uint8_t *from, size_t stride,
                       size_t count)
{
    for (size_t i = 0; i < count; i++, to += step, from += stride) {
        to[0] = from[0];
        to[1] = from[1];
        to[2] = from[2];
    }
}

/** Writes along the rows of the upright picture, whichever way the file lies. */
static void put_strip(uint8_t *pixels, const struct placement *place, size_t top,
                      const struct strip *strip)
{
    uint8_t *first = pixels + 3 * (place->origin + (ptrdiff_t)top * place->down);
    if (place->down == 1 || place->down == -1) {
        for (size_t x = 0; x < strip->width; x++)
            put_column(first + 3 * (ptrdiff_t)x * place->across, 3 * place->down,
                       strip->pixels + 3 * x, strip->stride, strip->rows);
        return;
    }
    for (size_t y = 0; y < strip->rows; y++) {
        uint8_t *to = first + 3 * (ptrdiff_t)y * place->down;
        const uint8_t *from = strip->pixels + y * strip->stride;
        if (place->across == 1)
            memcpy(to, from, 3 * strip->width);
        else
            put_row(to, 3 * place->across, from, strip->width);
    }
}

/** Ink on paper, 255 the full ink, without a profile: each ink takes its share of the light. */
static uint8_t light_of(uint8_t ink, uint8_t black)
{
    return (uint8_t)(((255u - ink) * (255u - black) + 127) / 255);
}

/** One row of `channels` a pixel; `step` is 1, or 2 to take the upper byte of 16 bits. */
static void row_to_rgb(uint8_t *to, const uint8_t *from, size_t step, size_t channels,
                       enum photo_ink ink, size_t width)
{
    for (size_t x = 0; x < width; x++, to += 3, from += channels * step) {
        if (ink == PHOTO_GREY)
            to[0] = to[1] = to[2] = from[0];
        else if (ink == PHOTO_RGB)
            for (size_t i = 0; i < 3; i++)
                to[i] = from[i * step];
        else
            for (size_t i = 0; i < 3; i++)
                to[i] = light_of(from[i * step], from[3 * step]);
    }
}

/** Alpha, behind the channels of `ink`, is left aside. */
static void strip_to_rgb(uint8_t *scratch, VipsRegion *region, enum photo_ink ink,
                         struct strip *strip)
{
    const size_t channels = (size_t)region->im->Bands;
    const size_t step = VIPS_IMAGE_SIZEOF_ELEMENT(region->im);
    const bool upper_is_second = step == 2 && G_BYTE_ORDER == G_LITTLE_ENDIAN;
    strip->stride = VIPS_REGION_LSKIP(region);
    strip->pixels = VIPS_REGION_ADDR_TOPLEFT(region);
    if (ink == PHOTO_RGB && channels == 3 && step == 1)
        return;
    for (size_t y = 0; y < strip->rows; y++)
        row_to_rgb(scratch + y * 3 * strip->width,
                   strip->pixels + y * strip->stride + upper_is_second, step, channels, ink,
                   strip->width);
    strip->pixels = scratch;
    strip->stride = 3 * strip->width;
}

static bool read_rows(VipsRegion *region, enum photo_ink ink, const struct placement *place,
                      uint8_t *scratch, uint8_t *pixels)
{
    const VipsImage *image = region->im;
    for (int top = 0; top < image->Ysize; top += STRIP_ROWS) {
        const VipsRect part = {0, top, image->Xsize, VIPS_MIN(STRIP_ROWS, image->Ysize - top)};
        if (vips_region_prepare(region, &part))
            return false;
        struct strip strip = {.width = (size_t)part.width, .rows = (size_t)part.height};
        strip_to_rgb(scratch, region, ink, &strip);
        put_strip(pixels, place, (size_t)top, &strip);
    }
    return true;
}

bool photo_check_size(int64_t width, int64_t height, uint64_t pixels_max, struct photo_error *error)
{
    const bool fits = width <= SIDE_MAX && height <= SIDE_MAX;
    if (fits && (uint64_t)(width * height) <= pixels_max)
        return true;
    if (fits)
        return photo_refuse(error, "TOO_LARGE", "has %lld × %lld pixels; at most %llu are decoded",
                            (long long)width, (long long)height, (unsigned long long)pixels_max);
    return photo_refuse(error, "TOO_LARGE", "has %lld × %lld pixels; sides of at most %d are taken",
                        (long long)width, (long long)height, SIDE_MAX);
}

bool photo_make_room(struct photo *photo, size_t width, size_t height, struct photo_error *error)
{
    const size_t size = 3 * width * height;
    if (size <= photo->capacity)
        return true;
    free(photo->pixels); /* first, so that both are never there at once */
    photo->pixels = malloc(size);
    photo->capacity = photo->pixels ? size : 0;
    return photo->pixels ||
           photo_refuse(error, "NO_MEMORY", "there is no memory for its %zu × %zu pixels", width,
                        height);
}

bool photo_rows(VipsImage *image, enum photo_ink ink, struct photo *photo,
                const struct photo_file *file, struct photo_error *error, bool alone)
{
    const uint32_t width = (uint32_t)image->Xsize, height = (uint32_t)image->Ysize;
    const struct placement place = place_by(vips_image_get_orientation(image), width, height);
    uint8_t *scratch = malloc(3 * (size_t)width * STRIP_ROWS);
    VipsRegion *region = vips_region_new(image);
    bool complete = false;
    if (!scratch || !region)
        photo_refuse(error, "NO_MEMORY", "there is no memory to decode it");
    else if (photo_make_room(photo, width, height, error))
        complete = read_rows(region, ink, &place, scratch, photo->pixels) ||
                   photo_refuse_decoder(error, file, alone);
    if (complete) {
        photo->width = place.width;
        photo->height = place.height;
    }
    if (region)
        g_object_unref(region);
    free(scratch);
    return complete;
}
