/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kind.h"

#define Q8           256
#define DESKTOP_MOST (INT32_MAX / Q8) /* pixels, to each side of the origin */

/* ---- reading ------------------------------------------------------------------------------ */

/** "+12" or "-12". NULL when it is none, else what follows. */
static const char *read_offset(const char *text, int32_t *out)
{
    const size_t digits = *text == '+' || *text == '-' ? strspn(text + 1, "0123456789") : 0;
    if (digits == 0 || digits > 7)
        return NULL;
    *out = (int32_t)strtol(text, NULL, 10);
    return text + 1 + digits;
}

static const char *read_place(const char *text, struct place *out)
{
    *out = (struct place){0};
    text += read_size(text, &out->width, &out->height);
    text = read_offset(text, &out->x);
    return text ? read_offset(text, &out->y) : NULL;
}

static bool read_places(const char *text, size_t count, struct layout *out)
{
    for (size_t i = 0; i < count; i++) {
        text = read_place(text, &out->places[i]);
        if (!text || *text != (i + 1 < count ? ',' : '\0'))
            return false;
        text++;
    }
    return true;
}

bool layout_read(const char *text, size_t count, struct layout *out, char *why, size_t why_size)
{
    static const char *const names[] = {"row", "column", "grid"};
    *out = (struct layout){.kind = LAYOUT_ROW};
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            out->kind = (int)i;
            return true;
        }
    if (!text)
        return true;
    out->kind = LAYOUT_PLACES;
    if (read_places(text, count, out))
        return true;
    snprintf(why, why_size,
             "--place takes row, column, grid, or a place for each of the %zu source%s, such as "
             "%s, not \"%s\"",
             count, count == 1 ? "" : "s", count == 1 ? "+0+0" : "+0+0,1280x720+1920+0", text);
    return false;
}

/* ---- laying out --------------------------------------------------------------------------- */

/** The least number of columns that makes as many rows or fewer. */
static size_t columns_of(const struct layout *layout, size_t count)
{
    size_t columns = 1;
    if (layout->kind == LAYOUT_ROW)
        return count;
    while (layout->kind == LAYOUT_GRID && columns * columns < count)
        columns++;
    return columns;
}

/** Rows of columns, each row as high as its highest, each source behind the one before. */
static void lay_rows(size_t columns, const struct frame_size *sizes, size_t count, int64_t to[][4])
{
    int64_t x = 0, y = 0, highest = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % columns == 0) {
            y += highest;
            x = highest = 0;
        }
        to[i][0] = x;
        to[i][1] = y;
        to[i][2] = sizes[i].width;
        to[i][3] = sizes[i].height;
        x += to[i][2];
        highest = to[i][3] > highest ? to[i][3] : highest;
    }
}

static void lay_places(const struct place *places, const struct frame_size *sizes, size_t count,
                       int64_t to[][4])
{
    for (size_t i = 0; i < count; i++) {
        to[i][0] = places[i].x;
        to[i][1] = places[i].y;
        to[i][2] = places[i].width ? places[i].width : sizes[i].width;
        to[i][3] = places[i].width ? places[i].height : sizes[i].height;
    }
}

static bool fits(int64_t begin, int64_t length)
{
    return begin >= -DESKTOP_MOST && begin + length <= DESKTOP_MOST;
}

bool layout_apply(const struct layout *layout, const struct frame_size *sizes, size_t count,
                  rung_desktop_rect to[], char *why, size_t why_size)
{
    int64_t places[RUNG_SCENE_SOURCES_MAX][4];
    if (layout->kind == LAYOUT_PLACES)
        lay_places(layout->places, sizes, count, places);
    else
        lay_rows(columns_of(layout, count), sizes, count, places);
    for (size_t i = 0; i < count; i++) {
        const int64_t *place = places[i];
        if (!fits(place[0], place[2]) || !fits(place[1], place[3])) {
            snprintf(why, why_size,
                     "source %zu would end beyond %d pixels of the desktop; --place puts it "
                     "elsewhere",
                     i + 1, DESKTOP_MOST);
            return false;
        }
        to[i] = (rung_desktop_rect){(int32_t)(place[0] * Q8), (int32_t)(place[1] * Q8),
                                    (int32_t)(place[2] * Q8), (int32_t)(place[3] * Q8)};
    }
    return true;
}
