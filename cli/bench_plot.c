/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_plot.h"

#include <math.h>
#include <string.h>

/* Coordinates are whole tenths of a pixel: whatever the locale writes between digits, they have
 * none. */
#define TENTHS 10

/** The room of a plot, in pixels, and where its axes lie. */
struct room {
    int width, height, left, right, top, bottom;
};

static const struct room histogram_room = {350, 190, 12, 12, 44, 34};
static const struct room series_room = {720, 230, 56, 14, 16, 40};
static const struct room ratio_room = {720, 130, 14, 14, 26, 40};

/** A scale: what stands for which pixels. */
struct scale {
    double from, to; /**< values */
    int begin, end;  /**< pixels */
};

static int at(const struct scale *scale, double value)
{
    const double part = (value - scale->from) / (scale->to - scale->from);
    return (int)lround(TENTHS * (scale->begin + part * (scale->end - scale->begin)));
}

/** A distance of marks that is 1, 2 or 5 times a power of ten, for at most `most` of them. */
static double step_for(double range, int most)
{
    const double least = range / most, power = pow(10, floor(log10(least)));
    return power * (least <= power ? 1 : least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10);
}

/** How many marks of that distance lie on the scale, and what one of them stands for. */
static int marks_on(const struct scale *scale, double step)
{
    return (int)(floor(scale->to / step + 1e-6) - ceil(scale->from / step)) + 1;
}

static double mark_of(const struct scale *scale, double step, int i)
{
    return (ceil(scale->from / step) + i) * step;
}

static int decimals_for(double step)
{
    return step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
}

void plot_text(FILE *to, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        case '\'':
            fputs("&#39;", to);
            break;
        default:
            putc(*text, to);
        }
}

static void begin(FILE *to, int width, int height, int number, const char *title)
{
    fprintf(to,
            "<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"t%d "
            "d%d\"><title id=\"t%d\">",
            TENTHS * width, TENTHS * height, number, number, number);
    plot_text(to, title);
    fprintf(to, "</title><desc id=\"d%d\">", number);
}

static void line(FILE *to, const char *class, int x1, int y1, int x2, int y2)
{
    fprintf(to, "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>", class, x1, y1, x2,
            y2);
}

static void label(FILE *to, const char *anchor, int x, int y, const char *text)
{
    fprintf(to, "<text text-anchor=\"%s\" x=\"%d\" y=\"%d\">", anchor, x, y);
    plot_text(to, text);
    fputs("</text>", to);
}

/** The axis below a plot, with marks and what they are of behind the last one. */
static void axis_below(FILE *to, const struct room *room, const struct scale *scale, int marks,
                       const char *unit)
{
    const double step = step_for(scale->to - scale->from, marks);
    const int y = TENTHS * (room->height - room->bottom);
    line(to, "axis", TENTHS * room->left, y, TENTHS * (room->width - room->right), y);
    for (int i = 0; i < marks_on(scale, step); i++) {
        const double value = mark_of(scale, step, i);
        char text[32];
        const int x = at(scale, value);
        snprintf(text, sizeof text, "%.*f", decimals_for(step), value);
        line(to, "axis", x, y, x, y + 4 * TENTHS);
        label(to, "middle", x, y + 16 * TENTHS, text);
    }
    label(to, "end", TENTHS * (room->width - room->right), y + 31 * TENTHS, unit);
}

/** The axis beside a plot, with lines across. */
static void axis_beside(FILE *to, const struct room *room, const struct scale *scale)
{
    const double step = step_for(scale->to - scale->from, 5);
    for (int i = 0; i < marks_on(scale, step); i++) {
        const double value = mark_of(scale, step, i);
        char text[32];
        const int y = at(scale, value);
        snprintf(text, sizeof text, "%.*f", decimals_for(step), value);
        line(to, "grid", TENTHS * room->left, y, TENTHS * (room->width - room->right), y);
        label(to, "end", TENTHS * (room->left - 6), y + 4 * TENTHS, text);
    }
}

static struct scale across(const struct room *room, double from, double to)
{
    return (struct scale){from, to > from ? to : from + 1, room->left, room->width - room->right};
}

static struct scale upwards(const struct room *room, double to)
{
    return (struct scale){0, to > 0 ? to : 1, room->height - room->bottom, room->top};
}

/* ---- shares ------------------------------------------------------------------------------- */

#define SHARES_WIDTH  720
#define SHARES_HEIGHT 30

static void share(FILE *to, const char *class, double ns, double all, double *from)
{
    const int begin = (int)lround(TENTHS * SHARES_WIDTH * *from / all);
    const int end = (int)lround(TENTHS * SHARES_WIDTH * (*from + ns) / all);
    fprintf(to, "<rect class=\"%s\" x=\"%d\" y=\"0\" width=\"%d\" height=\"%d\"><title>", class,
            begin, end - begin, TENTHS * SHARES_HEIGHT);
    fprintf(to, "%s: %.*f ms, %.1f %%</title></rect>", class, bench_decimals(ns / 1e6), ns / 1e6,
            100 * ns / all);
    *from += ns;
}

void plot_shares(FILE *to, const struct bench *bench, size_t side, int number)
{
    const struct bench_side *one = &bench->sides[side];
    const double all = one->figures[BENCH_TOTAL].mean;
    char title[256];
    double from = 0;
    snprintf(title, sizeof title, "Shares of the parts on %s", one->name);
    begin(to, SHARES_WIDTH, SHARES_HEIGHT, number, title);
    fputs("A bar divided by how much of the mean run each part takes; the list below it has the "
          "figures.</desc>",
          to);
    for (int stage = bench_first_stage(bench); stage < BENCH_TOTAL; stage++)
        share(to, bench_stage_names[stage], one->figures[stage].mean, all, &from);
    share(to, "between", bench_between(one), all, &from);
    fputs("</svg>\n", to);
}

/* ---- distributions ------------------------------------------------------------------------ */

static void bars(FILE *to, const struct histogram *histogram, const char *class,
                 const struct scale *x, const struct scale *y)
{
    for (size_t i = 0; i < histogram->bins; i++) {
        const double from = histogram->from + (double)i * histogram->width;
        const double until = from + histogram->width;
        const int left = at(x, from), top = at(y, (double)histogram->counts[i]);
        if (!histogram->counts[i])
            continue;
        fprintf(to,
                "<rect class=\"bar %s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"><title>%zu "
                "run%s from %.*f to %.*f ms</title></rect>",
                class, left, top, at(x, until) - left - TENTHS / 2, at(y, 0) - top,
                histogram->counts[i], histogram->counts[i] == 1 ? "" : "s",
                bench_decimals(from / 1e6), from / 1e6, bench_decimals(until / 1e6), until / 1e6);
    }
}

/** The name of a percentile in a row of its own, beside its line; of one that lies further right,
 * at the edge. */
static void percentile(FILE *to, const struct room *room, const struct scale *x, double ns,
                       const char *name, int row)
{
    const bool is_beyond = ns > x->to;
    const int column = is_beyond ? TENTHS * (room->width - room->right + 4) : at(x, ns);
    const bool is_left = column > TENTHS * room->width / 2;
    char text[48];
    snprintf(text, sizeof text, "%s %.*f%s", name, bench_decimals(ns / 1e6), ns / 1e6,
             is_beyond ? " →" : "");
    label(to, is_left ? "end" : "start", column + (is_left ? -4 : 4) * TENTHS,
          TENTHS * (10 + 12 * row), text);
}

/** Lines first: no line is to run through a name. */
static void percentiles(FILE *to, const struct room *room, const struct scale *x,
                        const struct statistics *figures)
{
    const struct {
        const char *name;
        double ns;
    } rows[] = {{"p50", figures->p50}, {"p95", figures->p95}, {"p99", figures->p99}};
    const int count = sizeof rows / sizeof *rows;
    for (int i = 0; i < count; i++)
        if (rows[i].ns <= x->to)
            line(to, "mark", at(x, rows[i].ns), TENTHS * (3 + 12 * i), at(x, rows[i].ns),
                 TENTHS * (room->height - room->bottom));
    for (int i = 0; i < count; i++)
        percentile(to, room, x, rows[i].ns, rows[i].name, i);
}

void plot_histogram(FILE *to, const struct bench *bench, size_t side, enum bench_stage stage,
                    int number)
{
    const struct bench_side *one = &bench->sides[side];
    const struct room *room = &histogram_room;
    const struct histogram histogram = statistics_histogram(&one->sorted[stage]);
    const struct statistics *figures = &one->figures[stage];
    const double end = histogram.from + (double)histogram.bins * histogram.width;
    size_t most = 0;
    char title[256], unit[96];
    for (size_t i = 0; i < histogram.bins; i++)
        most = histogram.counts[i] > most ? histogram.counts[i] : most;
    struct scale x = across(room, histogram.from, end);
    const struct scale y = upwards(room, (double)most);
    snprintf(title, sizeof title, "Distribution of %s on %s", bench_stage_names[stage], one->name);
    begin(to, room->width, room->height, number, title);
    fprintf(to, "%zu runs; half took at most %.4f ms, 95 of 100 at most %.4f ms.</desc>",
            one->runs.count, figures->p50 / 1e6, figures->p95 / 1e6);
    bars(to, &histogram, bench_stage_names[stage], &x, &y);
    percentiles(to, room, &x, figures);
    snprintf(unit, sizeof unit, "ms");
    if (histogram.beyond)
        snprintf(unit, sizeof unit, "ms; %zu run%s further right, up to %.*f", histogram.beyond,
                 histogram.beyond == 1 ? "" : "s", bench_decimals(figures->most / 1e6),
                 figures->most / 1e6);
    x.from /= 1e6;
    x.to /= 1e6;
    axis_below(to, room, &x, 6, unit);
    fputs("</svg>\n", to);
}

/* ---- over time ---------------------------------------------------------------------------- */

#define DOTS_MOST    1200u /* more runs are drawn as columns from the least to the most */
#define COLUMN_COUNT 330u

const char *plot_side_class(size_t side)
{
    return side ? "second" : "first";
}

static void dots(FILE *to, const struct bench_runs *runs, uint64_t origin_ns, const char *class,
                 const struct scale *x, const struct scale *y)
{
    for (size_t i = 0; i < runs->count; i++) {
        const double seconds = (double)(runs->items[i].begin_ns - origin_ns) / 1e9;
        const double ms = (double)runs->items[i].ns[BENCH_TOTAL] / 1e6;
        fprintf(to,
                "<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"22\"><title>%.*f ms</title></circle>",
                class, at(x, seconds), at(y, ms), bench_decimals(ms), ms);
    }
}

static void columns(FILE *to, const struct bench_runs *runs, uint64_t origin_ns, const char *class,
                    const struct scale *x, const struct scale *y)
{
    size_t i = 0;
    for (size_t column = 0; column < COLUMN_COUNT; column++) {
        const double end = x->to * (double)(column + 1) / COLUMN_COUNT;
        double least = INFINITY, most = 0;
        for (; i < runs->count && ((double)(runs->items[i].begin_ns - origin_ns) / 1e9 < end ||
                                   column + 1 == COLUMN_COUNT);
             i++) {
            const double ms = (double)runs->items[i].ns[BENCH_TOTAL] / 1e6;
            least = fmin(least, ms);
            most = fmax(most, ms);
        }
        if (most > 0)
            fprintf(
                to,
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"14\" height=\"%d\"><title>%.*f to "
                "%.*f ms</title></rect>",
                class, at(x, end) - 14, at(y, most), at(y, least) - at(y, most) + TENTHS,
                bench_decimals(least), least, bench_decimals(most), most);
    }
}

void plot_series(FILE *to, const struct bench *bench, int number)
{
    const struct room *room = &series_room;
    uint64_t origin = UINT64_MAX, end = 0;
    double most = 0;
    for (size_t i = 0; i < bench->side_count; i++) {
        const struct bench_runs *runs = &bench->sides[i].runs;
        const struct bench_run *last = &runs->items[runs->count - 1];
        origin = runs->items[0].begin_ns < origin ? runs->items[0].begin_ns : origin;
        end = last->begin_ns > end ? last->begin_ns : end;
        most = fmax(most, bench->sides[i].figures[BENCH_TOTAL].most / 1e6);
    }
    const struct scale x = across(room, 0, end > origin ? (double)(end - origin) / 1e9 : 1);
    const struct scale y = upwards(room, most);
    begin(to, room->width, room->height, number, "Each run over time");
    fprintf(to,
            "How long each run took, in the order of the runs; none took more than %.4f ms.</desc>",
            most);
    axis_beside(to, room, &y);
    for (size_t i = 0; i < bench->side_count; i++) {
        const struct bench_runs *runs = &bench->sides[i].runs;
        (runs->count > DOTS_MOST ? columns : dots)(to, runs, origin, plot_side_class(i), &x, &y);
    }
    axis_below(to, room, &x, 10, "seconds");
    label(to, "start", TENTHS * 2, TENTHS * 10, "ms");
    fputs("</svg>\n", to);
}

/* ---- ratios ------------------------------------------------------------------------------- */

/** Scattered, so that dots of like ratios do not hide each other; always in the same way. */
static int height_of(size_t dot)
{
    /* Steps of the golden section of 2^32: neighbours lie far apart, and no two for long alike. */
    return 10 + (int)((uint64_t)((uint32_t)dot * 2654435769u) * 50 >> 32);
}

void plot_ratios(FILE *to, const struct bench *bench, int number)
{
    const struct room *room = &ratio_room;
    const struct samples *ratios = bench_main_ratios(bench);
    const struct histogram histogram = statistics_histogram(ratios);
    const struct interval interval = statistics_of_median(ratios);
    const double end = histogram.from + (double)histogram.bins * histogram.width;
    const struct scale x = across(room, histogram.from, end);
    const int low = TENTHS * (room->height - room->bottom), high = TENTHS * room->top;
    char text[96], sentence[512];
    begin(to, room->width, room->height, number, "The ratio of each round");
    bench_describe_ratio(bench, sentence, sizeof sentence);
    plot_text(to, sentence);
    fputs(".</desc>", to);
    if (interval.known)
        fprintf(to, "<rect class=\"interval\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
                at(&x, interval.from), high, at(&x, interval.to) - at(&x, interval.from) + TENTHS,
                low - high);
    for (size_t i = 0; i < ratios->count && ratios->items[i] <= end; i++)
        fprintf(to, "<circle class=\"second\" cx=\"%d\" cy=\"%d\" r=\"26\"/>",
                at(&x, ratios->items[i]), low - TENTHS * height_of(i));
    const double median = samples_at(ratios, 0.5);
    snprintf(text, sizeof text, "median %.3f", median);
    line(to, "mark", at(&x, median), high - 8 * TENTHS, at(&x, median), low);
    label(to, at(&x, median) > TENTHS * room->width / 2 ? "end" : "start",
          at(&x, median) + (at(&x, median) > TENTHS * room->width / 2 ? -4 : 4) * TENTHS,
          high - 4 * TENTHS, text);
    snprintf(text, sizeof text, "times");
    if (histogram.beyond)
        snprintf(text, sizeof text, "times; %zu round%s further right, up to %.2f",
                 histogram.beyond, histogram.beyond == 1 ? "" : "s", samples_at(ratios, 1));
    axis_below(to, room, &x, 10, text);
    fputs("</svg>\n", to);
}
