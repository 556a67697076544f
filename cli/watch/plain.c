/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for people where there is no terminal: one a second, and what it was at the end. */
#include <inttypes.h>
#include <stdio.h>

#include "rows.h"

#define PERIOD_NS 1000000000u

static uint64_t told_ns;

void watch_tell(const struct watched *source, const char *sentence)
{
    fprintf(stderr, "rung watch: %s: %s\n", source->feed.name, sentence);
}

void watch_print_end(const struct watch *watch, int columns)
{
    char served[256];
    role_describe(&watch->detector, served, sizeof served);
    printf("%s for %.2f s at %u Hz, %s\n\n", served,
           (double)(watch->now_ns - watch->begin_ns) / 1e9, watch->rate, watch->policy);
    rows_print_sources(watch, columns, watch->count, rows_end_line);
    rows_end_line();
    rows_print_scene(watch, rows_end_line);
    fflush(stdout);
}

static size_t count_playing(const struct watch *watch)
{
    size_t count = 0;
    for (size_t i = 0; i < watch->count; i++)
        count += watch->sources[i].report.state == FEED_PLAYING;
    return count;
}

static int begin(const struct watch *watch)
{
    told_ns = watch->begin_ns;
    return EXIT_DONE;
}

static int tick(const struct watch *watch)
{
    if (watch->now_ns - told_ns < PERIOD_NS)
        return EXIT_DONE;
    told_ns = watch->now_ns;
    printf("%.0f s: scene %" PRIu64 ", %zu of %zu sources playing, %u target%s, %" PRIu64
           " missed, batch %.1f ms, oldest capture to scene %.1f ms\n",
           (double)(watch->now_ns - watch->begin_ns) / 1e9, watch->view.sequence,
           count_playing(watch), watch->count, watch->packet ? watch->packet->count : 0,
           watch->packet && watch->packet->count == 1 ? "" : "s", watch->counters.missed_periods,
           (double)watch->counters.batch.last / 1e6, (double)watch->counters.oldest.last / 1e6);
    fflush(stdout);
    return ferror(stdout) ? EXIT_IO : EXIT_DONE; /* main says why */
}

static int finish(const struct watch *watch)
{
    watch_print_end(watch, 0);
    return EXIT_DONE;
}

const struct watch_output watch_plain = {
    .begin = begin,
    .tick = tick,
    .tell = watch_tell,
    .finish = finish,
};
