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

/** Encodes by the ending of `path` (.png, else JPEG) and writes the file whole or not at all. */
bool draw_save(const struct photo *photo, const char *path, struct photo_error *error);

#endif
