/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_DRAW_H
#define RUNG_CLI_DRAW_H

#include <rung/rung.h>

#include "photo.h"

/**
 * Draws the targets of a packet onto the photo: a box, its label and score, and its key points.
 * Gives false with the reason.
 */
bool draw_targets(struct photo *photo, const rung_packet_header *packet, const rung_model *model,
                  struct photo_error *error);

/**
 * Encodes pixels of one byte a band, grey (1) or sRGB (3), as PNG or JPEG. `*data` is freed with
 * g_free. Gives false with the reason.
 */
bool draw_encode(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t bands,
                 bool is_png, void **data, size_t *size, struct photo_error *error);

/** Encodes by the ending of `path` (.png, else JPEG) and writes the file whole or not at all. */
bool draw_save(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t bands,
               const char *path, struct photo_error *error);

#endif
