/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_MASK_H
#define RUNG_CLI_MASK_H

#include <rung/rung.h>

#include "photo.h"

#define MASK_CLASSES 256

/** A mask at the size of its photograph; zeroed it is none. The memory is used again. */
struct mask {
    uint8_t *pixels;   /**< a class each */
    uint32_t *columns; /**< the mask's column for each of the photograph's */
    size_t capacity;   /**< of pixels */
    uint32_t width, height;
};

/**
 * Spreads the rows of a checked packet over a photograph of that size: each pixel takes the class
 * of the nearest one. What the model did not see is of class 0. False without memory.
 */
bool mask_spread(struct mask *mask, const rung_packet_header *packet, uint32_t width,
                 uint32_t height);
void mask_finish(struct mask *mask);

/** How many pixels of the packet are of each class. */
void mask_count(const rung_packet_header *packet, uint64_t counts[MASK_CLASSES]);

/** Tints what is not of class 0. */
void mask_tint(const struct mask *mask, struct photo *photo);

/** Writes a grey PNG: the class of each pixel, or black and white where there are just two. */
bool mask_save(struct mask *mask, uint32_t classes, const char *path, struct photo_error *error);

#endif
