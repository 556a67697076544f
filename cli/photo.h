/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_PHOTO_H
#define RUNG_CLI_PHOTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PHOTO_PIXELS_DEFAULT 200000000u /**< the pixel limit where no other is given */

/**
 * A decoded picture: upright, sRGB, 8 bits a channel, rows without padding. Zero it once, then let
 * photo_load fill it again and again: the memory is reused, and grows where a picture needs more.
 */
struct photo {
    uint8_t *pixels; /**< 3 * width * height bytes; freed by photo_finish */
    size_t capacity; /**< of `pixels`, in bytes */
    uint32_t width, height;
};

/** Why a picture could not be had: a code for machines, a sentence for people. */
struct photo_error {
    /**
     * DIRECTORY     a folder
     * NOT_AN_IMAGE  the first bytes are those of no picture format
     * UNSUPPORTED   a picture, but of a format or kind that is not read
     * TOO_LARGE     more pixels than the limit, told by the header alone
     * TRUNCATED     the file ends before the picture does
     * CORRUPT       the file contradicts itself or its format
     * IO            the system could not open or read the file
     * NO_MEMORY     there is no memory for the picture
     */
    const char *code;
    char message[512];
};

/** Tells libvips by the environment how to start; to be called while there is no other thread. */
void photo_prepare(void);

/** Starts libvips, once for the process; false with the reason. Any thread may do it. */
bool photo_start(const char *program, struct photo_error *error);
void photo_stop(void);

/** At the end of a thread that loaded or drew pictures. */
void photo_thread_stop(void);

/**
 * Decodes a regular file: JPEG, PNG, WebP, TIFF, HEIF, AVIF, GIF or BMP, told by its content, the
 * first frame or page of several. At most `pixels_max` pixels (checked before decoding) with sides
 * of at most 65,535. Strict about damage. Turned upright by EXIF; brought to sRGB by an embedded
 * profile; 16 bits scaled; grey replicated; alpha left aside: the colours are those that are
 * stored, also where they are transparent. May be called by several threads at once, each with its
 * own photo. On failure the photo holds no picture, but keeps its memory; on success `error` stays
 * as it was.
 */
bool photo_load(const char *path, uint64_t pixels_max, struct photo *photo,
                struct photo_error *error);
void photo_finish(struct photo *photo);

#endif
