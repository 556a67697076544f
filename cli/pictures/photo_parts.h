/* SPDX-License-Identifier: Apache-2.0 */
/* What the files photo*.c share: the steps from a file to pixels. */
#ifndef RUNG_CLI_PHOTO_PARTS_H
#define RUNG_CLI_PHOTO_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vips/vips.h>

#include "photo.h"

/** A file that is open for reading, and how the reading went. */
struct photo_file {
    int descriptor;
    int64_t size, position;
    bool ended; /**< bytes behind the end were asked for */
    int error;  /**< errno of a read that failed, or 0 */
};

#define PHOTO_HEAD_BYTES 32

/** A file format, told by its first bytes. */
struct photo_format {
    const char *name;
    const char *loader;  /**< libvips' operation, or NULL */
    bool is_bitmap;      /**< read by photo_bmp.c; without it and a loader, it is not read */
    const char *pattern; /**< of the first bytes; '?' stands for any byte */
    size_t size;         /**< of the pattern */
};

/* ---- photo_error.c ---- */

/** Fills `error`; gives false, for `return`. */
bool photo_refuse(struct photo_error *error, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/**
 * Says why libvips gave up on `file`. What libvips has to say itself stands in one buffer for all
 * threads: it is read only where `alone`. Where it would be needed and others may be writing to it,
 * the code stays NULL.
 */
bool photo_refuse_decoder(struct photo_error *error, const struct photo_file *file, bool alone);

/* ---- photo_file.c ---- */

/** Opens without waiting, and only what can be a photograph. */
bool photo_file_open(struct photo_file *file, const char *path, struct photo_error *error);
void photo_file_close(struct photo_file *file);

/** Reads at a place, without moving `position`; behind the end of the file are zeros. */
bool photo_file_read(const struct photo_file *file, uint8_t *buffer, size_t size, int64_t at,
                     struct photo_error *error);

/** What libvips reads the file by, from its beginning; ended by g_object_unref. */
VipsSource *photo_file_source(struct photo_file *file);

/* ---- photo_bmp.c ---- */

bool photo_bmp_read(const struct photo_file *file, uint64_t pixels_max, struct photo *photo,
                    struct photo_error *error);

/* ---- photo_format.c ---- */

/** The format of a file that begins so; NULL after saying why it is not read. */
const struct photo_format *photo_format_find(const uint8_t head[PHOTO_HEAD_BYTES],
                                             struct photo_error *error);

/* ---- photo_colour.c ---- */

/** How the channels of an image become RGB. */
enum photo_ink { PHOTO_GREY = 1, PHOTO_RGB = 3, PHOTO_CMYK = 4 }; /* the channels that count */

/** Brings `*image` to sRGB as far as its profile asks for it; the rest is for photo_rows. */
bool photo_to_srgb(VipsImage **image, enum photo_ink *ink, const struct photo_file *file,
                   struct photo_error *error, bool alone);

/* ---- photo_rows.c ---- */

/** Holds a picture's claims to the limits, before anything is decoded. */
bool photo_check_size(int64_t width, int64_t height, uint64_t pixels_max,
                      struct photo_error *error);

/** Makes the photo's memory large enough; what was in it is lost. */
bool photo_make_room(struct photo *photo, size_t width, size_t height, struct photo_error *error);

/** Decodes into `photo`, upright and 8-bit RGB, some rows at a time. */
bool photo_rows(VipsImage *image, enum photo_ink ink, struct photo *photo,
                const struct photo_file *file, struct photo_error *error, bool alone);

#endif
