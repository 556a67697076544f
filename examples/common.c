/* SPDX-License-Identifier: Apache-2.0 */
#include "common.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIDE_MAX 65535u

/* The next number of the header, behind white space and comments; 0 when there is none in range. */
static unsigned read_number(FILE *file)
{
    unsigned number = 0;
    int c = fgetc(file);
    while (isspace(c) || c == '#') {
        while (c == '#' && (c = fgetc(file)) != '\n' && c != EOF)
            c = '#';
        c = fgetc(file);
    }
    for (; isdigit(c) && number <= SIDE_MAX; c = fgetc(file))
        number = number * 10 + (unsigned)(c - '0');
    return isspace(c) && number <= SIDE_MAX ? number : 0;
}

/* The bytes from here to the end of the file; -1 when that cannot be told. */
static long bytes_left(FILE *file)
{
    const long here = ftell(file);
    if (here < 0 || fseek(file, 0, SEEK_END) != 0)
        return -1;
    const long end = ftell(file);
    return fseek(file, here, SEEK_SET) == 0 ? end - here : -1;
}

/* NULL, or what is wrong with the file. */
static const char *read_open_file(FILE *file, struct picture *picture)
{
    char magic[2];
    if (fread(magic, 1, sizeof magic, file) != sizeof magic ||
        memcmp(magic, "P6", sizeof magic) != 0)
        return "it is no binary PPM";
    picture->width = read_number(file);
    picture->height = read_number(file);
    if (picture->width == 0 || picture->height == 0 || read_number(file) != 255)
        return "its header is not \"P6 width height 255\", with sides of 1 to 65535";
    const size_t size = picture_bytes(picture);
    const long left = bytes_left(file); /* before there is memory for what the header claims */
    if (left < 0 || (size_t)left < size)
        return "it ends before its pixels do";
    picture->pixels = malloc(size);
    if (!picture->pixels)
        return "there is no memory for its pixels";
    return fread(picture->pixels, 1, size, file) == size ? NULL : "its pixels cannot be read";
}

int read_picture(const char *path, struct picture *picture)
{
    const char *wrong = "it cannot be opened";
    FILE *file = fopen(path, "rb");
    *picture = (struct picture){0};
    if (file) {
        wrong = read_open_file(file, picture);
        fclose(file);
    }
    if (wrong) {
        fprintf(stderr, "%s: %s\n", path, wrong);
        free_picture(picture);
    }
    return !wrong;
}

void free_picture(struct picture *picture)
{
    free(picture->pixels);
    *picture = (struct picture){0};
}

size_t picture_bytes(const struct picture *picture)
{
    return (size_t)picture->width * picture->height * 3;
}

rung_frame picture_frame(const struct picture *picture)
{
    return (rung_frame){
        .struct_size = sizeof(rung_frame),
        .version = RUNG_STRUCT_VERSION,
        .pixels = picture->pixels,
        .width = picture->width,
        .height = picture->height,
        .format = RUNG_PIXEL_RGB8,
    };
}

int ok(rung_result result)
{
    if (result != RUNG_OK)
        fprintf(stderr, "%s: %s\n", rung_result_name(result), rung_last_error());
    return result == RUNG_OK;
}

unsigned read_count(const char *text, unsigned most)
{
    unsigned number = 0;
    for (; isdigit((unsigned char)*text) && number <= most; text++)
        number = number * 10 + (unsigned)(*text - '0');
    return *text == '\0' && number <= most ? number : 0;
}

uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sleep_until_ns(uint64_t time_ns)
{
    const struct timespec time = {(time_t)(time_ns / 1000000000u), (long)(time_ns % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}
