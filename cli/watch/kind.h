/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_WATCH_KIND_H
#define RUNG_CLI_WATCH_KIND_H

#include <rung/rung.h>

#include "photo.h"

/* A kind of feed: where the frames of `rung watch` come from, one after the other. */

/** A frame in memory that later ones use again. */
struct picture {
    struct photo photo; /**< rows without padding; 3 bytes a pixel, or as many as `format` has */
    rung_pixel_format format;
};

/** Frames without a header: how they are laid out. */
struct raw_layout {
    rung_pixel_format format;
    uint32_t width, height; /**< 0: none was declared */
};

struct kind_options {
    struct raw_layout raw;
    uint64_t pixels_max; /**< larger frames are refused */
    int stop_file;       /**< a pipe, which ends when nothing more is wanted */
};

/** A feed of a kind that was opened. */
struct kind_opened {
    void *state;
    uint32_t width, height; /**< of its frames; 0: the first one tells */
};

enum kind_got {
    KIND_FRAME,
    KIND_BROKEN, /**< this frame cannot be had, and the error says why; later ones may be */
    KIND_END,    /**< there are no more */
    KIND_FAILED, /**< there will be no more, and the error says why */
    KIND_STOPPED /**< nothing more is wanted */
};

/**
 * One row adds a kind. `claims` and `open` are called on the main thread, before anything else is
 * begun; the others on the feed's own.
 */
struct kind {
    const char *name; /**< as reports have it */
    /** True for an operand of this kind. The rows are asked in their order. */
    bool (*claims)(const char *operand);
    /** An exit status, after a message. */
    int (*open)(const char *operand, const struct kind_options *options, struct kind_opened *out);
    /** The next frame, number `number` from 0; it may wait, but not once the stop file is at its
     * end. `error` is for what cannot be had. */
    enum kind_got (*read)(void *state, uint64_t number, struct picture *to,
                          struct photo_error *error);
    /** Begins again; NULL where that is impossible. */
    void (*rewind)(void *state);
    void (*close)(void *state);
    bool has_pictures; /**< files are decoded, which libvips is started for */
    bool has_pace;     /**< its frames come when they come, unless a rate is asked for */
};

/** All of them, ended by NULL. */
extern const struct kind *const kinds[];

/** The kind of an operand; the last one takes all. */
const struct kind *kind_of(const char *operand);

extern const struct kind kind_synthetic, kind_raw, kind_folder, kind_file, kind_numbered, kind_glob;

/** Reads "rgb8:1280x720". False with a sentence. */
bool raw_layout_read(const char *text, struct raw_layout *out, char *why, size_t why_size);

/** Reads "1280x720" at the beginning of a text: how many bytes it has, 0 where there is none. */
size_t read_size(const char *text, uint32_t *width, uint32_t *height);

/** Room for a frame, in the memory that is there or in more of it. False without. */
bool picture_make(struct picture *picture, uint32_t width, uint32_t height,
                  rung_pixel_format format);

/** Bytes of one pixel, and the name of a format, such as "rgb8". */
uint32_t format_bytes(rung_pixel_format format);
const char *format_name(rung_pixel_format format);

#endif
