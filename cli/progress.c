/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PERIOD_MS   100.0
#define BAR_CELLS   24
#define WIDTH_LEAST 60 /* narrower terminals have no bar, only figures */

bool progress_has_terminal(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void progress_begin(struct progress *progress, size_t all, size_t skipped, double now_ms)
{
    *progress = (struct progress){
        .shown = progress_has_terminal() && all - skipped > 1,
        .all = all,
        .skipped = skipped,
        .begin_ms = now_ms,
    };
}

static void draw_bar(double part)
{
    char cells[BAR_CELLS + 1];
    const int full = (int)(part * BAR_CELLS);
    memset(cells, '-', BAR_CELLS);
    memset(cells, '#', (size_t)full);
    cells[BAR_CELLS] = '\0';
    fprintf(stderr, "[%s] ", cells);
}

/** "1:02:03", "2:03". */
static void print_time(double seconds)
{
    const unsigned whole = seconds < 0 ? 0 : seconds > 3.6e6 ? 3600000 : (unsigned)(seconds + 0.5);
    if (whole >= 3600)
        fprintf(stderr, "%u:%02u:%02u left", whole / 3600, whole / 60 % 60, whole % 60);
    else
        fprintf(stderr, "%u:%02u left", whole / 60, whole % 60);
}

void progress_draw(struct progress *progress, size_t done, double now_ms)
{
    if (!progress->shown || (progress->drawn_ms > 0 && now_ms - progress->drawn_ms < PERIOD_MS))
        return;
    const size_t gone = progress->skipped + done;
    const double seconds = (now_ms - progress->begin_ms) / 1e3;
    const double rate = seconds > 0 ? (double)done / seconds : 0;
    progress_clear(progress);
    if (terminal_width() >= WIDTH_LEAST)
        draw_bar((double)gone / (double)progress->all);
    fprintf(stderr, "%zu/%zu", gone, progress->all);
    if (done > 0) {
        fprintf(stderr, "  %.1f/s  ", rate);
        print_time((double)(progress->all - gone) / rate);
    }
    fflush(stderr);
    progress->drawn = true;
    progress->drawn_ms = now_ms;
}

void progress_clear(struct progress *progress)
{
    if (!progress->drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->drawn = false;
    progress->drawn_ms = 0;
}
