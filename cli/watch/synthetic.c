/* SPDX-License-Identifier: Apache-2.0 */
/* A moving source without data: shapes, or a picture of the user's, on paths that the number of the
 * frame alone decides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "kind.h"

#define WORD           "synthetic"
#define WIDTH_DEFAULT  1280
#define HEIGHT_DEFAULT 720
#define OBJECTS_MOST   1000u

struct synthetic {
    uint32_t width, height; /**< 0: as the picture has it */
    uint32_t objects;
    const char *path; /**< of the picture that moves; NULL: shapes do */
    uint64_t pixels_max;
    struct picture ground, pasted;
    bool is_ready;
};

static bool claims(const char *operand)
{
    const size_t length = strlen(WORD);
    return strncmp(operand, WORD, length) == 0 &&
           (operand[length] == '\0' || operand[length] == ':');
}

static int refuse(const char *operand)
{
    fprintf(stderr,
            "rung watch: %s: a synthetic source is %s[:WIDTHxHEIGHT][:OBJECTS or :PICTURE], with "
            "at most %u objects\n",
            operand, WORD, OBJECTS_MOST);
    return EXIT_USAGE;
}

/** Behind the size: a number of objects, or the path of a picture. */
static bool read_rest(const char *text, struct synthetic *synthetic)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits > 0 && !text[digits]) {
        synthetic->objects = (uint32_t)strtoul(text, NULL, 10);
        return digits <= 4 && synthetic->objects <= OBJECTS_MOST;
    }
    synthetic->path = text;
    return *text != '\0';
}

/** "0x9" is no picture's name, but a mistake. */
static bool is_like_size(const char *text)
{
    const size_t length = strcspn(text, ":"), first = strspn(text, "0123456789");
    return first > 0 && text[first] == 'x' &&
           first + 1 + strspn(text + first + 1, "0123456789") == length;
}

static bool read_operand(const char *operand, struct synthetic *synthetic)
{
    const char *at = operand + strlen(WORD);
    const size_t size = *at ? read_size(at + 1, &synthetic->width, &synthetic->height) : 0;
    const bool has_size = size > 0 && (!at[1 + size] || at[1 + size] == ':');
    if (!has_size && *at && is_like_size(at + 1))
        return false;
    if (has_size)
        at += 1 + size;
    else
        synthetic->width = synthetic->height = 0;
    if (*at && !read_rest(at + 1, synthetic))
        return false;
    if (!has_size && !synthetic->path) {
        synthetic->width = WIDTH_DEFAULT;
        synthetic->height = HEIGHT_DEFAULT;
    }
    return true;
}

static int open_synthetic(const char *operand, const struct kind_options *options,
                          struct kind_opened *out)
{
    struct synthetic *synthetic = calloc(1, sizeof *synthetic);
    if (!synthetic)
        return fail_memory();
    synthetic->objects = 6;
    synthetic->pixels_max = options->pixels_max;
    if (!read_operand(operand, synthetic) ||
        (uint64_t)synthetic->width * synthetic->height > options->pixels_max) {
        free(synthetic);
        return refuse(operand);
    }
    *out = (struct kind_opened){synthetic, synthetic->width, synthetic->height};
    return EXIT_DONE;
}

/* ---- drawing ------------------------------------------------------------------------------ */

/** Numbers that look like any (splitmix64). */
static uint64_t mixed(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

/** To and fro between 0 and `range`. */
static uint32_t bounced(uint64_t way, uint32_t range)
{
    if (range == 0)
        return 0;
    const uint64_t at = way % (2 * (uint64_t)range);
    return (uint32_t)(at < range ? at : 2 * (uint64_t)range - at);
}

static uint8_t *pixel_at(const struct photo *photo, uint32_t x, uint32_t y)
{
    return photo->pixels + 3 * ((size_t)y * photo->width + x);
}

/** Slopes, darker than what moves. */
static void paint_ground(const struct photo *ground)
{
    uint8_t *pixel = ground->pixels;
    for (uint32_t y = 0; y < ground->height; y++)
        for (uint32_t x = 0; x < ground->width; x++, pixel += 3) {
            pixel[0] = (uint8_t)(24 + (uint64_t)x * 64 / ground->width);
            pixel[1] = (uint8_t)(24 + (uint64_t)y * 64 / ground->height);
            pixel[2] = 56;
        }
}

/** The part of row `y` of a disc, or of a square, of that side. */
static void shape_row(bool is_disc, uint32_t side, uint32_t y, uint32_t *begin, uint32_t *end)
{
    *begin = 0;
    *end = side;
    const int64_t dy = 2 * (int64_t)y + 1 - side, square = (int64_t)side * side - dy * dy;
    while (is_disc && *begin < *end) {
        const int64_t dx = 2 * (int64_t)*begin + 1 - side;
        if (dx * dx <= square)
            return;
        ++*begin;
        --*end;
    }
}

static void paint_shape(const struct photo *photo, uint32_t left, uint32_t top, uint32_t side,
                        uint64_t look)
{
    const uint8_t colour[3] = {(uint8_t)(112 + look % 144), (uint8_t)(112 + (look >> 8) % 144),
                               (uint8_t)(112 + (look >> 16) % 144)};
    for (uint32_t y = 0; y < side; y++) {
        uint32_t x, end;
        shape_row(look >> 24 & 1, side, y, &x, &end);
        uint8_t *pixel = pixel_at(photo, left + x, top + y);
        for (; x < end; x++, pixel += 3)
            memcpy(pixel, colour, sizeof colour);
    }
}

static void paint_objects(const struct photo *photo, uint32_t objects, uint64_t number)
{
    const uint32_t shorter = photo->width < photo->height ? photo->width : photo->height;
    for (uint32_t i = 0; i < objects; i++) {
        const uint64_t look = mixed(i), way = mixed(look);
        const uint32_t side = shorter / (4 + (uint32_t)(look >> 32) % 8) + 1;
        const uint32_t wide = photo->width - side, high = photo->height - side;
        paint_shape(photo, bounced(way % 4096 + number * (1 + way % 7), wide),
                    bounced(way / 4096 % 4096 + number * (1 + way % 5), high), side, look);
    }
}

/** The frame is a window on what may be larger than it. */
static void paste(const struct photo *to, const struct photo *from, uint64_t number)
{
    const uint32_t width = from->width < to->width ? from->width : to->width;
    const uint32_t height = from->height < to->height ? from->height : to->height;
    const uint32_t to_x = bounced(3 * number, to->width - width);
    const uint32_t to_y = bounced(2 * number, to->height - height);
    const uint32_t from_x = bounced(3 * number, from->width - width);
    const uint32_t from_y = bounced(2 * number, from->height - height);
    for (uint32_t y = 0; y < height; y++)
        memcpy(pixel_at(to, to_x, to_y + y), pixel_at(from, from_x, from_y + y), (size_t)3 * width);
}

/* ---- frames ------------------------------------------------------------------------------- */

static bool fail_room(struct photo_error *error)
{
    *error = (struct photo_error){"NO_MEMORY", "there is no memory for a frame"};
    return false;
}

/** A frame around a picture is half as large again, so that there is a way to go. */
static bool get_ready(struct synthetic *synthetic, struct photo_error *error)
{
    const struct photo *photo = &synthetic->pasted.photo;
    if (synthetic->path &&
        !photo_load(synthetic->path, synthetic->pixels_max, &synthetic->pasted.photo, error))
        return false;
    if (synthetic->width == 0) {
        synthetic->width = photo->width + photo->width / 2;
        synthetic->height = photo->height + photo->height / 2;
    }
    if (synthetic->width > 65535 || synthetic->height > 65535 ||
        (uint64_t)synthetic->width * synthetic->height > synthetic->pixels_max) {
        *error = (struct photo_error){
            "TOO_LARGE", "the frame around the picture has more pixels than --max-pixels; give "
                         "its size, synthetic:WIDTHxHEIGHT:PICTURE"};
        return false;
    }
    if (!picture_make(&synthetic->ground, synthetic->width, synthetic->height, RUNG_PIXEL_RGB8))
        return fail_room(error);
    paint_ground(&synthetic->ground.photo);
    synthetic->is_ready = true;
    return true;
}

static enum kind_got read_synthetic(void *state, uint64_t number, struct picture *to,
                                    struct photo_error *error)
{
    struct synthetic *synthetic = state;
    if (!synthetic->is_ready && !get_ready(synthetic, error))
        return KIND_FAILED;
    if (!picture_make(to, synthetic->width, synthetic->height, RUNG_PIXEL_RGB8)) {
        fail_room(error);
        return KIND_FAILED;
    }
    memcpy(to->photo.pixels, synthetic->ground.photo.pixels,
           (size_t)3 * synthetic->width * synthetic->height);
    if (synthetic->path)
        paste(&to->photo, &synthetic->pasted.photo, number);
    else
        paint_objects(&to->photo, synthetic->objects, number);
    return KIND_FRAME;
}

static void close_synthetic(void *state)
{
    struct synthetic *synthetic = state;
    photo_finish(&synthetic->ground.photo);
    photo_finish(&synthetic->pasted.photo);
    free(synthetic);
}

const struct kind kind_synthetic = {
    .name = "synthetic",
    .claims = claims,
    .open = open_synthetic,
    .read = read_synthetic,
    .close = close_synthetic,
    .has_pictures = true,
};
