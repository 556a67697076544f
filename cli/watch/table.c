/* SPDX-License-Identifier: Apache-2.0 */
/* A live table on a terminal. */
#include <inttypes.h>
#include <stdio.h>

#include "colour.h"
#include "rows.h"
#include "screen.h"

#define PERIOD_NS 100000000u /* between two drawings: faster cannot be read */

/** What was drawn; there is one terminal. */
static struct {
    uint64_t drawn_ns;
    char
        buffer[1 << 16]; /* of standard output: a drawing comes all at once, and does not flicker */
} table;

static void print_title(const struct watch *watch)
{
    char title[512], served[256];
    role_describe(&watch->detector, served, sizeof served);
    snprintf(title, sizeof title, "%s, %u Hz, %s, scene %" PRIu64 ", %.0f s", served, watch->rate,
             watch->policy, watch->view.sequence, (double)(watch->now_ns - watch->begin_ns) / 1e9);
    colour_print_title(title);
    screen_line();
}

/** The last row stays free: the line end of that one would move all others up. */
static void draw(const struct watch *watch)
{
    int columns, height;
    screen_size(&columns, &height);
    const int left = height - 1 - (4 + ROWS_OF_SCENE); /* title, head, and two empty lines */
    const size_t rows = left < 1 ? 1 : (size_t)left;
    screen_draw();
    print_title(watch);
    screen_line();
    rows_print_sources(watch, columns, rows, screen_line);
    screen_line();
    rows_print_scene(watch, screen_line);
    if (rows > watch->count + 1) {
        screen_line();
        rows_print_sentences(watch, rows - watch->count - 1, screen_line);
    }
    screen_show();
}

static int begin(const struct watch *watch)
{
    setvbuf(stdout, table.buffer, _IOFBF, sizeof table.buffer);
    screen_begin();
    draw(watch);
    return EXIT_DONE;
}

static int tick(const struct watch *watch)
{
    if (watch->now_ns - table.drawn_ns < PERIOD_NS)
        return EXIT_DONE;
    table.drawn_ns = watch->now_ns;
    draw(watch);
    return ferror(stdout) ? EXIT_IO : EXIT_DONE; /* main says why */
}

static int finish(const struct watch *watch)
{
    int columns, height;
    screen_size(&columns, &height);
    screen_end();
    watch_print_end(watch, columns);
    rows_print_sentences(watch, watch->count, rows_end_line);
    return EXIT_DONE;
}

const struct watch_output watch_table = {.begin = begin, .tick = tick, .finish = finish};
