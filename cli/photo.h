/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_PHOTO_H
#define RUNG_CLI_PHOTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A decoded picture: upright, RGB, 8 bits a channel, rows without padding. */
struct photo {
    uint8_t *pixels; /**< freed by photo_finish */
    uint32_t width, height;
};

/** Why a picture could not be had: a code for machines, a sentence for people. */
struct photo_error {
    const char *code; /**< IO, CORRUPT, UNSUPPORTED, TOO_LARGE, NO_MEMORY */
    char message[512];
};

/** Starts libvips, once for the process; false after a message. */
bool photo_start(const char *program);
void photo_stop(void);

/**
 * Decodes a file: only a regular one, at most 200 million pixels (checked before decoding) with
 * sides of at most 65,535, strict about damage, turned upright by EXIF, to sRGB, 16 bits scaled,
 * alpha dropped.
 */
bool photo_load(const char *path, struct photo *photo, struct photo_error *error);
void photo_finish(struct photo *photo);

#endif
