/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include <inttypes.h>
#include <stdio.h>

#include <glib.h>

#include "colour.h"

#define NAME_LEAST 12 /* columns; names longer than a terminal leaves lose their beginning */
#define CELL_BYTES 32

void rows_end_line(void)
{
    putchar('\n');
}

/* ---- names -------------------------------------------------------------------------------- */

static int columns_of(gunichar character)
{
    return g_unichar_iszerowidth(character) ? 0 : g_unichar_iswide(character) ? 2 : 1;
}

/** Nothing in it moves a cursor or rings a bell. Freed by g_free. */
static char *printable(const char *text, int *columns)
{
    char *valid = g_utf8_make_valid(text, -1);
    GString *out = g_string_new(NULL);
    *columns = 0;
    for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
        const gunichar character = g_utf8_get_char(at);
        const gunichar shown = g_unichar_isprint(character) ? character : '?';
        g_string_append_unichar(out, shown);
        *columns += columns_of(shown);
    }
    g_free(valid);
    return g_string_free(out, FALSE);
}

/** The end of a name that is too long says more than its beginning. */
static void print_name(const char *name, int width)
{
    int columns;
    char *text = printable(name, &columns);
    const char *at = text;
    const bool is_cut = columns > width;
    for (; columns > width - is_cut; at = g_utf8_next_char(at))
        columns -= columns_of(g_utf8_get_char(at));
    printf("%s%s%*s", is_cut ? "…" : "", at, width - is_cut - columns, "");
    g_free(text);
}

static int longest_name(const struct watch *watch)
{
    int longest = NAME_LEAST;
    for (size_t i = 0; i < watch->count; i++) {
        int columns;
        g_free(printable(watch->sources[i].feed.name, &columns));
        longest = columns > longest ? columns : longest;
    }
    return longest;
}

/* ---- cells -------------------------------------------------------------------------------- */

static void size_cell(const struct watch *watch, const struct watched *source, char *to)
{
    (void)watch;
    snprintf(to, CELL_BYTES, "%ux%u", source->report.width, source->report.height);
}

static void print_ms(char *to, uint64_t ns)
{
    const double ms = (double)ns / 1e6;
    snprintf(to, CELL_BYTES, ms < 1e5 ? "%.1f" : "%.0f", ms);
}

/** Now, not when the scene was published: a source that is silent grows old. */
static void age_cell(const struct watch *watch, const struct watched *source, char *to)
{
    const uint64_t captured = source->in_scene.captured_ns;
    if (captured && watch->now_ns > captured && !source->is_removed)
        print_ms(to, watch->now_ns - captured);
}

static void oldest_cell(const struct watch *watch, const struct watched *source, char *to)
{
    (void)watch;
    print_ms(to, source->counters.max_age_ns);
}

static void rate_cell(const struct watch *watch, const struct watched *source, char *to)
{
    (void)watch;
    snprintf(to, CELL_BYTES, "%.1f", source->rate);
}

#define CELL_OF_COUNT(NAME, VALUE)                                                                 \
    static void NAME##_cell(const struct watch *watch, const struct watched *source, char *to)     \
    {                                                                                              \
        (void)watch;                                                                               \
        snprintf(to, CELL_BYTES, "%" PRIu64, (uint64_t)(VALUE));                                   \
    }
CELL_OF_COUNT(targets, source->targets)
CELL_OF_COUNT(offered, source->counters.offered)
CELL_OF_COUNT(served, source->counters.published)
CELL_OF_COUNT(replaced, source->counters.replaced)
CELL_OF_COUNT(late, source->late)
CELL_OF_COUNT(failed, source->counters.failed + source->report.broken)

/** In the order of what matters: a narrow terminal lacks the last ones. */
static const struct column {
    const char *head;
    int width;
    void (*cell)(const struct watch *watch, const struct watched *source, char *to);
} table[] = {
    {"AGE ms", 8, age_cell},      {"FPS", 6, rate_cell},          {"TARGETS", 7, targets_cell},
    {"LATE", 6, late_cell},       {"FAILED", 6, failed_cell},     {"SERVED", 8, served_cell},
    {"OFFERED", 8, offered_cell}, {"REPLACED", 8, replaced_cell}, {"OLDEST ms", 9, oldest_cell},
    {"SIZE", 11, size_cell},
};

#define COLUMNS_MOST (sizeof table / sizeof *table)
#define STATE_WIDTH  8
#define GAP          2

/** How many columns fit, and what they leave for the name. */
static size_t fit(const struct watch *watch, int columns, int *name_width)
{
    const int wanted = longest_name(watch);
    int left = columns - GAP - STATE_WIDTH;
    size_t count = 0;
    if (columns == 0) {
        *name_width = wanted;
        return COLUMNS_MOST;
    }
    const int least = wanted < NAME_LEAST ? wanted : NAME_LEAST;
    while (count < COLUMNS_MOST && left - GAP - table[count].width >= least)
        left -= GAP + table[count++].width;
    *name_width = left > wanted ? wanted : left > 1 ? left : 1;
    return count;
}

static void print_source(const struct watch *watch, const struct watched *source, size_t count)
{
    colour_print_outcome(feed_state_name(source->report.state), STATE_WIDTH);
    for (size_t i = 0; i < count; i++) {
        char cell[CELL_BYTES] = "-";
        table[i].cell(watch, source, cell);
        printf("%*s", GAP + table[i].width, cell);
    }
}

void rows_print_sources(const struct watch *watch, int columns, size_t rows, void (*end_line)(void))
{
    int name_width;
    const size_t count = fit(watch, columns, &name_width);
    printf("%-*s%*s%-*s", name_width, "SOURCE", GAP, "", STATE_WIDTH, "STATE");
    for (size_t i = 0; i < count; i++)
        printf("%*s", GAP + table[i].width, table[i].head);
    end_line();
    for (size_t i = 0; i < watch->count && i < rows; i++) {
        print_name(watch->sources[i].feed.name, name_width);
        printf("%*s", GAP, "");
        print_source(watch, &watch->sources[i], count);
        end_line();
    }
}

/* ---- the scene ---------------------------------------------------------------------------- */

static void print_times(const char *name, const rung_scene_times *times, void (*end_line)(void))
{
    const uint64_t values[] = {times->last, times->p50, times->p95, times->p99, times->max};
    printf("%-24s", name);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char cell[CELL_BYTES] = "-";
        if (times->count)
            print_ms(cell, values[i]);
        printf("%9s", cell);
    }
    end_line();
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void rows_print_scene(const struct watch *watch, void (*end_line)(void))
{
    const rung_scene_counters *counters = &watch->counters;
    printf("%" PRIu64 " tick%s, %" PRIu64 " missed; %" PRIu64 " scene%s, %" PRIu64 " target%s",
           counters->ticks, plural(counters->ticks), counters->missed_periods, counters->published,
           plural(counters->published), watch->targets, plural(watch->targets));
    if (counters->idle)
        printf("; %" PRIu64 " idle", counters->idle);
    if (counters->aborted)
        printf("; %" PRIu64 " aborted", counters->aborted);
    if (counters->dropped)
        printf("; %" PRIu64 " dropped", counters->dropped);
    end_line();
    end_line();
    printf("%-24s%9s%9s%9s%9s%9s", "LATENCY ms", "LAST", "P50", "P95", "P99", "MAX");
    end_line();
    print_times("batch", &counters->batch, end_line);
    print_times("oldest capture to scene", &counters->oldest, end_line);
}

void rows_print_sentences(const struct watch *watch, size_t rows, void (*end_line)(void))
{
    for (size_t i = 0; i < watch->count && rows > 0; i++) {
        const struct watched *source = &watch->sources[i];
        int columns;
        if (!*source->said)
            continue;
        char *name = printable(source->feed.name, &columns);
        char *sentence = printable(source->said, &columns);
        printf("%s: %s", name, sentence);
        g_free(name);
        g_free(sentence);
        end_line();
        rows--;
    }
}
