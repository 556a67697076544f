/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows bitmaps, which libvips would hand to ImageMagick: with 1, 4 or 8 bits and a palette, or
 * 24 or 32 bits a pixel; not packed. Layout as in BITMAPFILEHEADER and BITMAPINFOHEADER.
 */
#include <stdlib.h>
#include <string.h>

#include "photo_parts.h"

#define HEADER_BYTES  54 /* both headers */
#define PALETTE_BYTES (256 * 4)
#define ENTRY_BYTES   4 /* blue, green, red, nothing */

enum { NOT_PACKED = 0, BY_MASKS = 3 };

struct bitmap {
    int64_t width, height;
    int64_t pixels_at, row_bytes; /* in the file */
    unsigned bits;                /* a pixel */
    bool bottom_first;
    uint8_t palette[PALETTE_BYTES];
};

static uint32_t get_u16(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t get_u32(const uint8_t *at)
{
    return get_u16(at) | get_u16(at + 2) << 16;
}

/** Masks that say what 32 bits a pixel mean anyhow. */
static bool masks_are_plain(const uint8_t *masks)
{
    return get_u32(masks) == 0xff0000 && get_u32(masks + 4) == 0xff00 && get_u32(masks + 8) == 0xff;
}

/** True when the pixels lie in the file as read_pixels expects them. */
static bool check_layout(const uint8_t *header, const uint8_t *masks, unsigned bits)
{
    const uint32_t packing = get_u32(header + 30);
    const bool known = bits == 1 || bits == 4 || bits == 8 || bits == 24 || bits == 32;
    return known &&
           (packing == NOT_PACKED || (packing == BY_MASKS && bits == 32 && masks_are_plain(masks)));
}

static bool read_header(const struct photo_file *file, uint64_t pixels_max, struct bitmap *bitmap,
                        struct photo_error *error)
{
    uint8_t header[HEADER_BYTES + 12] = {0}; /* and what may be masks */
    if (!photo_file_read(file, header, sizeof header, 0, error))
        return false;
    const int32_t height = (int32_t)get_u32(header + 22);
    const int64_t palette_at = 14 + (int64_t)get_u32(header + 14);
    bitmap->width = (int32_t)get_u32(header + 18);
    bitmap->height = height < 0 ? -(int64_t)height : height;
    bitmap->bottom_first = height > 0;
    bitmap->bits = get_u16(header + 28);
    bitmap->pixels_at = get_u32(header + 10);
    bitmap->row_bytes = (bitmap->width * bitmap->bits + 31) / 32 * 4;
    if (bitmap->width <= 0 || bitmap->height == 0)
        return photo_refuse(error, "CORRUPT", "is damaged: it claims %lld × %lld pixels",
                            (long long)bitmap->width, (long long)height);
    if (!photo_check_size(bitmap->width, bitmap->height, pixels_max, error))
        return false;
    if (palette_at < HEADER_BYTES || !check_layout(header, header + HEADER_BYTES, bitmap->bits))
        return photo_refuse(error, "UNSUPPORTED", "is a BMP file of a kind that is not read");
    if (bitmap->pixels_at + bitmap->height * bitmap->row_bytes > file->size)
        return photo_refuse(error, "TRUNCATED", "ends before the picture does");
    return bitmap->bits > 8 ||
           photo_file_read(file, bitmap->palette, sizeof bitmap->palette, palette_at, error);
}

static void row_to_rgb(const struct bitmap *bitmap, uint8_t *to, const uint8_t *row)
{
    const size_t bits = bitmap->bits;
    for (size_t x = 0; x < (size_t)bitmap->width; x++, to += 3) {
        const size_t at = x * bits;
        const uint8_t *from = row + at / 8;
        if (bits <= 8) /* the first pixel of a byte is in its upper bits */
            from = bitmap->palette +
                   ENTRY_BYTES * (size_t)(*from >> (8 - bits - at % 8) & ((1u << bits) - 1));
        to[0] = from[2];
        to[1] = from[1];
        to[2] = from[0];
    }
}

static bool read_pixels(const struct photo_file *file, const struct bitmap *bitmap, uint8_t *row,
                        uint8_t *pixels, struct photo_error *error)
{
    for (int64_t y = 0; y < bitmap->height; y++) {
        const int64_t line = bitmap->bottom_first ? bitmap->height - 1 - y : y;
        const int64_t at = bitmap->pixels_at + line * bitmap->row_bytes;
        if (!photo_file_read(file, row, (size_t)bitmap->row_bytes, at, error))
            return false;
        row_to_rgb(bitmap, pixels + y * bitmap->width * 3, row);
    }
    return true;
}

bool photo_bmp_read(const struct photo_file *file, uint64_t pixels_max, struct photo *photo,
                    struct photo_error *error)
{
    struct bitmap bitmap;
    if (!read_header(file, pixels_max, &bitmap, error))
        return false;
    uint8_t *row = malloc((size_t)bitmap.row_bytes);
    bool complete = photo_make_room(photo, (size_t)bitmap.width, (size_t)bitmap.height, error);
    if (complete && !row)
        complete = photo_refuse(error, "NO_MEMORY", "there is no memory to read it");
    if (complete && read_pixels(file, &bitmap, row, photo->pixels, error)) {
        photo->width = (uint32_t)bitmap.width;
        photo->height = (uint32_t)bitmap.height;
    }
    free(row);
    return photo->width != 0;
}
