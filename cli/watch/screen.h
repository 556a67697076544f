/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_WATCH_SCREEN_H
#define RUNG_CLI_WATCH_SCREEN_H

#include <stdbool.h>

/* A terminal's other screen, drawn again and again: what was on it before comes back, however the
 * process ends (but for SIGKILL and a crash), and while it is stopped (SIGTSTP). */

/** True where standard output is a terminal that can do it. */
bool screen_is_there(void);

void screen_begin(void);
void screen_end(void);

/**
 * Keeps a line of the log for standard error until the end, since that is the terminal that is
 * drawn on; of many the last few. False where it may be written now. Any thread may call it.
 */
bool screen_say_later(const char *level, const char *text);

/** Columns and rows, which may have changed since the last time. */
void screen_size(int *columns, int *rows);

/** Begins to draw from the upper left; what is printed to standard output shows at screen_show. */
void screen_draw(void);
/** Ends a line: what was right of it goes. */
void screen_line(void);
/** Shows what was drawn; what was below it goes. */
void screen_show(void);

#endif
