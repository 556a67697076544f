/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_SOURCES_H
#define RUNG_CLI_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

/** A picture to look at. */
struct source {
    char *path;   /**< as it is opened and reported */
    char *inside; /**< its place below the operand it came from: where its output goes below -o */
    bool done;    /**< by an earlier call of the command */
};

struct sources {
    struct source *items;
    size_t count, capacity;
};

/**
 * Lists what the operands name: each file as it is, whatever its name; each folder's pictures, told
 * by their endings, with the folders below it, in the order of their names (or where it has none
 * the folder itself, so that its name is reported); and for the operand `-` what standard input
 * lists, one name a line, or each ended by NUL where `null_separated`. Links to folders that lead
 * back up are not followed twice. Gives false, with errno and a sentence in `why`, when a folder or
 * the list cannot be read to its end or there is no memory.
 */
bool sources_list(struct sources *sources, int count, char **operands, bool null_separated,
                  char *why, size_t why_size);
void sources_finish(struct sources *sources);

#endif
