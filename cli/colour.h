/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_COLOUR_H
#define RUNG_CLI_COLOUR_H

/** Prints what became of a rung, a stage's implementation or a source, at least `width` wide, in a
 * colour where standard output is a terminal that has any and NO_COLOR is not set (no-color.org).
 */
void colour_print_outcome(const char *outcome, int width);

/** The same in bold. */
void colour_print_title(const char *text);

/** A title that is the head of a table: the line end is added. */
void colour_print_head(const char *text);

#endif
