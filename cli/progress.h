/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_PROGRESS_H
#define RUNG_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/** A bar with rate and time left, on standard error where that is a terminal; else nothing. */
struct progress {
    bool shown;     /**< there is a terminal */
    bool drawn;     /**< the bar stands on the current line */
    size_t all;     /**< pictures of the whole job */
    size_t skipped; /**< of those, done before */
    double begin_ms, drawn_ms;
};

/** True where there is a terminal to draw on. */
bool progress_has_terminal(void);

/** Results are shown as rows on the same terminal: they then stand above the bar. */
void progress_begin(struct progress *progress, size_t all, size_t skipped, double now_ms);
/** Draws it at most ten times a second. `done` counts from the beginning of this call. */
void progress_draw(struct progress *progress, size_t done, double now_ms);
/** Takes it away before something else is written. */
void progress_clear(struct progress *progress);

#endif
