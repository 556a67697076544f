/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_WATCH_ROWS_H
#define RUNG_CLI_WATCH_ROWS_H

#include "watch.h"

/* The lines that tell people of a watch, on standard output. `end_line` ends each of them. */

/** A head, and a row for each of the first `rows` sources: as many columns as fit beside the name
 * of the source. Without a limit of the columns (0) all, and the names whole. */
void rows_print_sources(const struct watch *watch, int columns, size_t rows,
                        void (*end_line)(void));

/** What the scene did, and how long it took: 5 lines. */
#define ROWS_OF_SCENE 5
void rows_print_scene(const struct watch *watch, void (*end_line)(void));

/** What there is to say of the sources, a line each, at most `rows` of them. */
void rows_print_sentences(const struct watch *watch, size_t rows, void (*end_line)(void));

/** Ends a line of a file. */
void rows_end_line(void);

#endif
