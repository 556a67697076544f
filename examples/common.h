/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples share, and an application has already: pictures, a clock, a way to complain. */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#include <stddef.h>
#include <stdint.h>

#include <rung/rung.h>

struct picture {
    unsigned width, height; /* 1..65535 */
    unsigned char *pixels;  /* RGB, row after row */
};

/* Reads a binary PPM: "P6 width height 255" and RGB bytes. Returns 1, or says on standard error why
 * not and returns 0. */
int read_picture(const char *path, struct picture *picture);

/* Frees the pixels; of a picture that is all zero, too. */
void free_picture(struct picture *picture);

/* The bytes of its pixels. */
size_t picture_bytes(const struct picture *picture);

/* A frame that borrows the pixels. */
rung_frame picture_frame(const struct picture *picture);

/* Whether a call went well. If not, what it left for its thread is printed to standard error. */
int ok(rung_result result);

/* A whole number from 1 to `most`; 0 when the text is none. */
unsigned read_count(const char *text, unsigned most);

/* The monotonic clock, on which frames are taken. */
uint64_t now_ns(void);
void sleep_until_ns(uint64_t time_ns);

#endif
