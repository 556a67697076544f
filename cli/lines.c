/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAPACITY_FIRST 65536u

/** Room for more bytes behind those that were read, and for a zero. */
static bool make_room(struct lines *lines)
{
    if (lines->buffer && lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->used - lines->begin);
        lines->used -= lines->begin;
        lines->begin = 0;
    }
    if (lines->used + 1 < lines->capacity)
        return true;
    if (lines->used > lines->most) {
        errno = EMSGSIZE;
        return false;
    }
    const size_t capacity = lines->capacity ? 2 * lines->capacity : CAPACITY_FIRST;
    char *buffer = realloc(lines->buffer, capacity);
    if (!buffer)
        return false;
    lines->buffer = buffer;
    lines->capacity = capacity;
    return true;
}

static bool read_more(struct lines *lines)
{
    ssize_t got;
    if (!make_room(lines))
        return false;
    do
        got = read(lines->file, lines->buffer + lines->used, lines->capacity - lines->used - 1);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return false;
    lines->at_end = got == 0;
    lines->used += (size_t)got;
    return true;
}

static enum lines_state take(struct lines *lines, size_t length, size_t separators, char **line,
                             size_t *length_out)
{
    *line = lines->buffer + lines->begin;
    *length_out = length;
    (*line)[length] = '\0';
    lines->begin += length + separators;
    return separators ? LINES_LINE : LINES_PART;
}

enum lines_state lines_next(struct lines *lines, char **line, size_t *length)
{
    size_t seen = 0; /* bytes of the line without a separator */
    for (;;) {
        const size_t left = lines->used - lines->begin;
        const char *from = lines->buffer; /* NULL: nothing was read yet */
        const char *end =
            from ? memchr(from + lines->begin + seen, lines->separator, left - seen) : NULL;
        if (end)
            return take(lines, (size_t)(end - from) - lines->begin, 1, line, length);
        seen = left;
        if (lines->at_end)
            return from && left ? take(lines, left, 0, line, length) : LINES_END;
        if (!read_more(lines))
            return LINES_ERROR;
    }
}

void lines_finish(struct lines *lines)
{
    free(lines->buffer);
    lines->buffer = NULL;
    lines->capacity = lines->used = lines->begin = 0;
}
