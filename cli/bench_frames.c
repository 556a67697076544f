/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "signals.h"

/* Several frames, as a camera has, but not at any price: of large ones fewer. */
#define MADE_BYTES (256u << 20)
#define RECTANGLES 24u

/* ---- pictures ----------------------------------------------------------------------------- */

/** Also brings them into the system's memory, where the runs find them. */
static int decode_each(const struct bench_frames *frames)
{
    struct photo photo = {0};
    struct photo_error error;
    char why[BENCH_WHY_BYTES];
    int status = EXIT_DONE;
    for (size_t i = 0; i < frames->count && status == EXIT_DONE && !signals_caught(); i++)
        if (!bench_frames_take(frames, i, &photo, &error)) {
            status = bench_frames_fail(frames, i, &error, why, sizeof why);
            fprintf(stderr, "rung: %s\n", why);
        }
    photo_finish(&photo);
    return status;
}

int bench_frames_read(struct bench_frames *frames, int count, char **operands)
{
    char why[512];
    struct photo_error error;
    if (!sources_list(&frames->sources, count, operands, false, why, sizeof why)) {
        fprintf(stderr, "rung: %s\n", why);
        return errno == ENOMEM ? EXIT_BACKEND : EXIT_IO;
    }
    frames->count = frames->sources.count;
    if (frames->count == 0) {
        fprintf(stderr, "rung: no pictures in %s\n", operands[0]);
        return EXIT_IO;
    }
    photo_prepare();
    frames->started = photo_start("rung", &error);
    if (frames->started)
        return decode_each(frames);
    fprintf(stderr, "rung: %s\n", error.message);
    return EXIT_BACKEND;
}

/* ---- frames that are made ----------------------------------------------------------------- */

/** Marsaglia's xorshift: the same numbers on every machine. */
static uint32_t next_number(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void paint_ground(struct photo *photo, uint32_t *state)
{
    uint8_t *pixel = photo->pixels;
    for (uint32_t y = 0; y < photo->height; y++)
        for (uint32_t x = 0; x < photo->width; x++, pixel += 3) {
            const uint32_t noise = next_number(state);
            pixel[0] = (uint8_t)((uint64_t)x * 224 / photo->width + (noise & 31));
            pixel[1] = (uint8_t)((uint64_t)y * 224 / photo->height + (noise >> 8 & 31));
            pixel[2] = (uint8_t)(96 + (noise >> 16 & 63));
        }
}

static void paint_rectangle(struct photo *photo, uint32_t *state)
{
    const uint32_t left = next_number(state) % photo->width,
                   top = next_number(state) % photo->height;
    const uint32_t width = next_number(state) % (photo->width / 4 + 1) + 1;
    const uint32_t height = next_number(state) % (photo->height / 4 + 1) + 1;
    const uint32_t colour = next_number(state);
    for (uint32_t y = top; y < top + height && y < photo->height; y++)
        for (uint32_t x = left; x < left + width && x < photo->width; x++) {
            uint8_t *pixel = photo->pixels + 3 * ((size_t)y * photo->width + x);
            for (int channel = 0; channel < 3; channel++)
                pixel[channel] = (uint8_t)(colour >> 8 * channel);
        }
}

/** A scene of edges, slopes and noise: flat grey would be easier than what there is to see. */
static bool make_frame(struct photo *photo, uint32_t width, uint32_t height, uint32_t seed)
{
    uint32_t state = seed;
    photo->width = width;
    photo->height = height;
    photo->capacity = (size_t)3 * width * height;
    photo->pixels = malloc(photo->capacity);
    if (!photo->pixels)
        return false;
    paint_ground(photo, &state);
    for (unsigned i = 0; i < RECTANGLES; i++)
        paint_rectangle(photo, &state);
    return true;
}

int bench_frames_make(struct bench_frames *frames, uint32_t width, uint32_t height)
{
    const uint64_t affordable = MADE_BYTES / ((uint64_t)3 * width * height);
    const size_t wanted = affordable < 1                   ? 1
                          : affordable < BENCH_FRAMES_MADE ? (size_t)affordable
                                                           : BENCH_FRAMES_MADE;
    for (; frames->count < wanted; frames->count++)
        if (!make_frame(&frames->made[frames->count], width, height,
                        (uint32_t)(frames->count + 1) * 0x9e3779b9u)) {
            fprintf(stderr, "rung: there is no memory for frames of %u × %u pixels\n", width,
                    height);
            return EXIT_BACKEND;
        }
    return EXIT_DONE;
}

/* ------------------------------------------------------------------------------------------- */

void bench_frames_finish(struct bench_frames *frames)
{
    for (size_t i = 0; i < BENCH_FRAMES_MADE; i++)
        photo_finish(&frames->made[i]);
    if (frames->started)
        photo_stop();
    sources_finish(&frames->sources);
}

bool bench_frames_decode(const struct bench_frames *frames)
{
    return frames->sources.count > 0;
}

const struct photo *bench_frames_take(const struct bench_frames *frames, size_t number,
                                      struct photo *own, struct photo_error *error)
{
    const size_t index = number % frames->count;
    if (!bench_frames_decode(frames))
        return &frames->made[index];
    return photo_load(frames->sources.items[index].path, common.max_pixels, own, error) ? own
                                                                                        : NULL;
}

int bench_frames_fail(const struct bench_frames *frames, size_t number,
                      const struct photo_error *error, char *why, size_t why_size)
{
    snprintf(why, why_size, "%s: %s", frames->sources.items[number % frames->count].path,
             error->message);
    return strcmp(error->code, "NO_MEMORY") == 0 ? EXIT_BACKEND : EXIT_IO;
}
