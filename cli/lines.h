/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_LINES_H
#define RUNG_CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>

/** The lines of an open file, one after the other. */
struct lines {
    int file;       /**< read from where it stands; the caller's */
    char separator; /**< what ends a line */
    size_t most;    /**< bytes of a line that are taken */
    char *buffer;
    size_t capacity, used, begin;
    bool at_end;
};

enum lines_state {
    LINES_LINE, /**< `*line` is one, ended by a zero in place of its separator */
    LINES_PART, /**< the last one, without a separator */
    LINES_END,
    LINES_ERROR /**< errno says why; EMSGSIZE: a line has more than `most` bytes */
};

/** The next line; it lives until the next call. */
enum lines_state lines_next(struct lines *lines, char **line, size_t *length);

void lines_finish(struct lines *lines);

#endif
