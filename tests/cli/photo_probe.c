/* SPDX-License-Identifier: Apache-2.0 */
/*
 * photo-probe [--max PIXELS] [--threads N] FILE…: decodes each file as the command line does, and
 * prints what came out as one line of JSON a file, in the order of the files. All pictures of a
 * thread are decoded into one buffer; the files are dealt out to the threads in turn.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>
#include <vips/vips.h>

#include "photo.h"

#define CORNER      8 /* pixels of a side */
#define THREADS_MAX 16

struct work {
    char **paths;
    json_t **lines;
    int first, step, count;
    uint64_t pixels_max;
};

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/** The mean of a part of the picture, [R, G, B]. */
static json_t *mean_of(const struct photo *photo, uint32_t left, uint32_t width, uint32_t height)
{
    uint64_t sums[3] = {0};
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = left; x < left + width; x++)
            for (size_t channel = 0; channel < 3; channel++)
                sums[channel] += photo->pixels[3 * ((size_t)y * photo->width + x) + channel];
    const double count = (double)width * height;
    return json_pack("[f, f, f]", (double)sums[0] / count, (double)sums[1] / count,
                     (double)sums[2] / count);
}

static json_t *describe(const struct photo *photo, double ms)
{
    const uint32_t width = photo->width < CORNER ? photo->width : CORNER;
    const uint32_t height = photo->height < CORNER ? photo->height : CORNER;
    const size_t size = 3 * (size_t)photo->width * photo->height;
    char *digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, photo->pixels, size);
    json_t *line =
        json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:s, s:f}", "status", "ok", "width",
                  (json_int_t)photo->width, "height", (json_int_t)photo->height, "mean",
                  mean_of(photo, 0, photo->width, photo->height), "topleft",
                  mean_of(photo, 0, width, height), "topright",
                  mean_of(photo, photo->width - width, width, height), "sha256", digest, "ms", ms);
    g_free(digest);
    return line;
}

static void *decode(void *data)
{
    const struct work *work = data;
    struct photo photo = {0};
    for (int i = work->first; i < work->count; i += work->step) {
        struct photo_error error;
        const double begin = now_ms();
        work->lines[i] = photo_load(work->paths[i], work->pixels_max, &photo, &error)
                             ? describe(&photo, now_ms() - begin)
                             : json_pack("{s:s, s:s, s:s}", "status", "error", "code", error.code,
                                         "message", error.message);
    }
    photo_finish(&photo);
    photo_thread_stop();
    return NULL;
}

static void decode_by(int threads, struct work work)
{
    struct work parts[THREADS_MAX];
    GThread *handles[THREADS_MAX];
    for (int i = 0; i < threads; i++) {
        parts[i] = work;
        parts[i].first = i;
        parts[i].step = threads;
        handles[i] = g_thread_new("decoder", decode, &parts[i]);
    }
    for (int i = 0; i < threads; i++)
        g_thread_join(handles[i]);
}

int main(int count, char **arguments)
{
    int threads = 1, at = 1;
    struct work work = {.pixels_max = PHOTO_PIXELS_DEFAULT, .step = 1};
    for (; at + 1 < count && strncmp(arguments[at], "--", 2) == 0; at += 2)
        if (strcmp(arguments[at], "--max") == 0)
            work.pixels_max = strtoull(arguments[at + 1], NULL, 10);
        else
            threads = (int)strtol(arguments[at + 1], NULL, 10);
    work.paths = arguments + at;
    work.count = count - at;
    struct photo_error error;
    photo_prepare();
    if (threads < 1 || threads > THREADS_MAX || !photo_start("photo-probe", &error))
        return 1;
    work.lines = g_new0(json_t *, work.count);
    if (threads == 1)
        decode(&work);
    else
        decode_by(threads, work);
    for (int i = 0; i < work.count; i++) {
        json_dumpf(work.lines[i], stdout, JSON_COMPACT | JSON_REAL_PRECISION(8));
        putchar('\n');
        json_decref(work.lines[i]);
    }
    g_free(work.lines);
    photo_stop();
    return 0;
}
