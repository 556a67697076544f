/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_WATCH_PLACE_H
#define RUNG_CLI_WATCH_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include <rung/rung.h>

/** A place on the desktop in whole pixels. */
struct place {
    uint32_t width, height; /**< 0: as the frames are */
    int32_t x, y;
};

struct frame_size {
    uint32_t width, height;
};

/** How sources lie on the desktop. */
struct layout {
    enum { LAYOUT_ROW, LAYOUT_COLUMN, LAYOUT_GRID, LAYOUT_PLACES } kind;
    struct place places[RUNG_SCENE_SOURCES_MAX]; /**< of LAYOUT_PLACES */
};

/**
 * Reads "row", "column", "grid", or a place for each of `count` sources, WxH+X+Y or +X+Y, with
 * commas between them. NULL is a row. False with a sentence.
 */
bool layout_read(const char *text, size_t count, struct layout *out, char *why, size_t why_size);

/** Lays `count` sources out by the sizes of their frames. False with a sentence when the desktop
 * would be larger than Q8 coordinates can tell. */
bool layout_apply(const struct layout *layout, const struct frame_size *sizes, size_t count,
                  rung_desktop_rect to[], char *why, size_t why_size);

#endif
