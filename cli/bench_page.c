/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a benchmark: one file that asks nothing of a network, and has no script. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_plot.h"
#include "output.h"
#include "report.h"

static const char head[] =
    "<!doctype html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n"
    "<title>";

static const char style[] =
    "</title>\n"
    "<style>\n"
    ":root { --paper: #fbfbf9; --card: #ffffff; --ink: #1d2125; --soft: #5b636b; --rule: #dcdfe2;\n"
    "  --decode: #7d5fc4; --preprocess: #2f7ec4; --run: #d9730d; --postprocess: #15876a;\n"
    "  --between: #8a9099; --total: #4a5560; --first: #2f7ec4; --second: #d9730d; }\n"
    "@media (prefers-color-scheme: dark) { :root { --paper: #15181b; --card: #1d2125;\n"
    "  --ink: #e8eaec; --soft: #a2aab2; --rule: #363c42; --decode: #a994ea;\n"
    "  --preprocess: #6fb1ea; --run: #f0a04b; --postprocess: #4fc6a2; --between: #7d858d;\n"
    "  --total: #b6bec6; --first: #6fb1ea; --second: #f0a04b; } }\n"
    "body { margin: 0; background: var(--paper); color: var(--ink);\n"
    "  font: 16px/1.5 system-ui, sans-serif; }\n"
    "main { max-width: 800px; margin: 0 auto; padding: 24px 16px 48px; }\n"
    "h1 { font-size: 28px; line-height: 1.2; margin: 0 0 8px; overflow-wrap: anywhere; }\n"
    "h2 { font-size: 19px; margin: 32px 0 10px; }\n"
    "h3 { font-size: 15px; margin: 16px 0 6px; }\n"
    "p { margin: 6px 0; }\n"
    ".note { border-left: 4px solid var(--run); padding: 4px 12px; }\n"
    ".soft, dt { color: var(--soft); }\n"
    ".card { background: var(--card); border: 1px solid var(--rule); border-radius: 6px;\n"
    "  padding: 14px; }\n"
    ".card + .card { margin-top: 14px; } .pair .card { margin: 0; }\n"
    ".pair { display: grid; gap: 14px;\n"
    "  grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); }\n"
    "figure { margin: 0; } figcaption { font-size: 14px; color: var(--soft); }\n"
    ".plot { display: block; width: 100%; height: auto; overflow: visible; }\n"
    ".plot text { font-size: 110px; fill: var(--soft); stroke: var(--card); stroke-width: 40px;\n"
    "  stroke-linejoin: round; paint-order: stroke; }\n"
    ".axis, .grid { stroke: var(--rule); stroke-width: 10; }\n"
    ".mark { stroke: var(--ink); stroke-width: 12; }\n"
    ".interval { fill: var(--second); opacity: 0.22; }\n"
    "circle { opacity: 0.6; }\n"
    ".decode { fill: var(--decode); } .preprocess { fill: var(--preprocess); }\n"
    ".run { fill: var(--run); } .postprocess { fill: var(--postprocess); }\n"
    ".between { fill: var(--between); } .total { fill: var(--total); }\n"
    ".first { fill: var(--first); } .second { fill: var(--second); }\n"
    ".key { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 20px; margin: 8px 0 0;\n"
    "  padding: 0; font-size: 14px; }\n"
    ".key svg { width: 11px; height: 11px; margin-right: 6px; }\n"
    ".wide { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums;\n"
    "  width: 100%; }\n"
    "th, td { text-align: right; padding: 4px 8px; border-bottom: 1px solid var(--rule); }\n"
    "th:first-child { text-align: left; }\n"
    "thead th { color: var(--soft); font-weight: 600; }\n"
    "dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0;\n"
    "  font-size: 14px; } dd { margin: 0; overflow-wrap: anywhere; }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n"
    "<main>\n";

/** A page on its way. */
struct page {
    FILE *to;
    const struct bench *bench;
    int plots; /**< so far: their numbers make ids */
};

static void text(const struct page *page, const char *content)
{
    plot_text(page->to, content);
}

static void print_title(const struct page *page)
{
    const struct bench *bench = page->bench;
    text(page, bench->sides[0].model.info.identity);
    fputs(" on ", page->to);
    text(page, bench->sides[0].name);
    if (bench->side_count > 1) {
        fputs(" and ", page->to);
        text(page, bench->sides[1].name);
    }
}

static void print_sentence(const struct page *page, const char *class, const char *sentence)
{
    fprintf(page->to, "<p class=\"%s\">", class);
    text(page, sentence);
    fputs(".</p>\n", page->to);
}

static void print_summary(const struct page *page)
{
    const struct bench *bench = page->bench;
    char sentence[512];
    for (size_t i = 0; i < bench->side_count; i++) {
        const struct bench_side *side = &bench->sides[i];
        const struct statistics *total = &side->figures[BENCH_TOTAL];
        snprintf(
            sentence, sizeof sentence,
            "%s: half of the runs took at most %.*f ms, 99 of 100 at most %.*f ms; %.1f runs a "
            "second",
            side->name, bench_decimals(total->p50 / 1e6), total->p50 / 1e6,
            bench_decimals(total->p99 / 1e6), total->p99 / 1e6, bench_rate(side));
        print_sentence(page, "lead", sentence);
    }
    bench_warn_of_load(bench, sentence, sizeof sentence);
    if (*sentence) {
        fputs("<p class=\"note\">The machine was busy: ", page->to);
        text(page, sentence);
        fputs(".</p>\n", page->to);
    }
    if (bench->interrupted)
        print_sentence(page, "note", "It was interrupted: this is what was measured so far");
}

/* ---- plots -------------------------------------------------------------------------------- */

static void print_key(const struct page *page, const char *class, const char *name)
{
    fprintf(page->to,
            "<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"%s\" width=\"10\" "
            "height=\"10\" rx=\"2\"/></svg>",
            class);
    text(page, name);
}

static void print_share(const struct page *page, const char *class, double ns, double all)
{
    print_key(page, class, class);
    fprintf(page->to, " %.*f ms, %.1f %%</li>\n", bench_decimals(ns / 1e6), ns / 1e6,
            100 * ns / all);
}

static void print_shares(struct page *page)
{
    const struct bench *bench = page->bench;
    fputs("<h2>Where the time goes</h2>\n", page->to);
    for (size_t i = 0; i < bench->side_count; i++) {
        const struct bench_side *side = &bench->sides[i];
        const double all = side->figures[BENCH_TOTAL].mean;
        if (all <= 0)
            continue;
        fputs("<figure class=\"card\"><figcaption>The mean run on ", page->to);
        text(page, side->name);
        fputs("</figcaption>\n", page->to);
        plot_shares(page->to, bench, i, page->plots++);
        fputs("<ul class=\"key\">\n", page->to);
        for (int stage = bench_first_stage(bench); stage < BENCH_TOTAL; stage++)
            print_share(page, bench_stage_names[stage], side->figures[stage].mean, all);
        print_share(page, "between", bench_between(side), all);
        fputs("</ul></figure>\n", page->to);
    }
}

static void print_distribution(struct page *page, size_t side, enum bench_stage stage)
{
    fprintf(page->to, "<figure class=\"card\"><figcaption>%s</figcaption>\n",
            bench_stage_names[stage]);
    plot_histogram(page->to, page->bench, side, stage, page->plots++);
    fputs("</figure>\n", page->to);
}

static void print_distributions(struct page *page)
{
    const struct bench *bench = page->bench;
    fputs("<h2>How long it takes, how often</h2>\n", page->to);
    for (size_t i = 0; i < bench->side_count; i++) {
        if (bench->side_count > 1) {
            fputs("<h3>", page->to);
            text(page, bench->sides[i].name);
            fputs("</h3>\n", page->to);
        }
        fputs("<div class=\"pair\">\n", page->to);
        print_distribution(page, i, BENCH_TOTAL);
        for (int stage = bench_first_stage(bench); stage < BENCH_TOTAL; stage++)
            print_distribution(page, i, (enum bench_stage)stage);
        fputs("</div>\n", page->to);
    }
}

static void print_series(struct page *page)
{
    const struct bench *bench = page->bench;
    fputs("<h2>Over time</h2>\n<figure class=\"card\"><figcaption>Each run, all of its parts "
          "together</figcaption>\n",
          page->to);
    plot_series(page->to, bench, page->plots++);
    if (bench->side_count > 1) {
        fputs("<ul class=\"key\">\n", page->to);
        for (size_t i = 0; i < bench->side_count; i++) {
            print_key(page, plot_side_class(i), bench->sides[i].name);
            fputs("</li>\n", page->to);
        }
        fputs("</ul>", page->to);
    }
    fputs("</figure>\n", page->to);
}

static void print_ratio_table(const struct page *page)
{
    fputs("<div class=\"card wide\"><table>\n<thead><tr><th scope=\"col\">ratio</th><th "
          "scope=\"col\">median</th><th scope=\"col\">from</th><th "
          "scope=\"col\">to</th></tr></thead>\n<tbody>\n",
          page->to);
    for (int i = 0; i < BENCH_RATIOS; i++) {
        const struct samples *ratios = &page->bench->ratios[i];
        const struct interval interval = statistics_of_median(ratios);
        fprintf(page->to, "<tr><th scope=\"row\">%s</th><td>%.3f</td>", bench_ratio_names[i],
                samples_at(ratios, 0.5));
        if (interval.known)
            fprintf(page->to, "<td>%.3f</td><td>%.3f</td></tr>\n", interval.from, interval.to);
        else
            fputs("<td>–</td><td>–</td></tr>\n", page->to);
    }
    fputs("</tbody></table></div>\n", page->to);
}

static void print_ratio(struct page *page)
{
    char sentence[512];
    bench_describe_ratio(page->bench, sentence, sizeof sentence);
    fputs("<h2>Against each other</h2>\n", page->to);
    print_sentence(page, "lead", sentence);
    if (bench_main_ratios(page->bench)->count == 0)
        return;
    fputs("<figure class=\"card\"><figcaption>The time of the second by that of the first, "
          "of each round; the band holds the true median with 95 % "
          "confidence</figcaption>\n",
          page->to);
    plot_ratios(page->to, page->bench, page->plots++);
    fputs("</figure>\n", page->to);
    print_ratio_table(page);
}

/* ---- figures ------------------------------------------------------------------------------ */

static void print_row(const struct page *page, const char *name, const struct statistics *figures)
{
    const double cells[] = {figures->mean, figures->deviation, figures->least, figures->p50,
                            figures->p90,  figures->p95,       figures->p99,   figures->most};
    fprintf(page->to, "<tr><th scope=\"row\">%s</th>", name);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        fprintf(page->to, "<td>%.*f</td>", bench_decimals(cells[i] / 1e6), cells[i] / 1e6);
    fputs("</tr>\n", page->to);
}

static void print_table(const struct page *page, const struct bench_side *side)
{
    fputs("<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">", page->to);
    text(page, side->name);
    fputs(", ms</th><th scope=\"col\">mean</th><th scope=\"col\">deviation</th><th "
          "scope=\"col\">min</th><th scope=\"col\">p50</th><th scope=\"col\">p90</th><th "
          "scope=\"col\">p95</th><th scope=\"col\">p99</th><th "
          "scope=\"col\">max</th></tr></thead>\n<tbody>\n",
          page->to);
    for (int stage = bench_first_stage(page->bench); stage < BENCH_STAGES; stage++)
        print_row(page, bench_stage_names[stage], &side->figures[stage]);
    fputs("</tbody></table></div>\n", page->to);
}

static void print_fact(const struct page *page, const char *name, const char *value)
{
    fprintf(page->to, "<dt>%s</dt><dd>", name);
    text(page, value);
    fputs("</dd>\n", page->to);
}

static void print_side_facts(const struct page *page, const struct bench_side *side)
{
    const rung_model_info *info = &side->model.info;
    char value[512];
    snprintf(value, sizeof value, "%s in %s, %s", info->rung, info->precision, side->runtime);
    print_fact(page, "rung", value);
    print_fact(page, "why", info->reason);
    bench_describe_stages(side, value, sizeof value);
    print_fact(page, "stages", value);
    snprintf(value, sizeof value,
             "opened in %.1f ms, its first context in %.1f ms, the first run in %.1f ms",
             (double)side->open_ns / 1e6, (double)side->context_ns / 1e6,
             (double)side->first.ns[BENCH_TOTAL] / 1e6);
    print_fact(page, "start", value);
    snprintf(value, sizeof value, "%zu in %.2f s, %.1f a second", side->runs.count,
             (double)side->busy_ns / 1e9, bench_rate(side));
    print_fact(page, "runs", value);
}

static void print_facts(const struct page *page)
{
    const struct bench *bench = page->bench;
    const rung_model_info *info = &bench->sides[0].model.info;
    const json_t *device = json_object_get(bench->explanation, "device");
    char value[512];
    fputs("<h2>What ran</h2>\n<dl class=\"card\">\n", page->to);
    print_fact(page, "model", info->identity);
    print_fact(page, "artifact", info->artifact);
    bench_describe_frames(bench, value, sizeof value);
    print_fact(page, "input", value);
    snprintf(value, sizeof value, "%u × %u thread%s%s, %u runs each to warm up",
             bench->plan.contexts, info->threads, info->threads == 1 ? "" : "s",
             bench->plan.series ? ", in series" : "", bench->plan.warmup);
    print_fact(page, "contexts", value);
    for (size_t i = 0; i < bench->side_count; i++)
        print_side_facts(page, &bench->sides[i]);
    print_fact(page, "machine", text_of(json_object_get(device, "cpu"), "model"));
    print_fact(page, "kernel", text_of(device, "kernel"));
    bench_describe_load(bench, value, sizeof value);
    print_fact(page, "load", value);
    print_fact(page, "rung version", rung_version());
    fputs("</dl>\n", page->to);
}

static void print_page(struct page *page)
{
    fputs(head, page->to);
    print_title(page);
    fputs(style, page->to);
    fputs("<h1>", page->to);
    print_title(page);
    fputs("</h1>\n", page->to);
    print_summary(page);
    print_shares(page);
    if (page->bench->side_count > 1)
        print_ratio(page);
    print_distributions(page);
    print_series(page);
    fputs("<h2>Figures</h2>\n<div class=\"card\">\n", page->to);
    for (size_t i = 0; i < page->bench->side_count; i++)
        print_table(page, &page->bench->sides[i]);
    fputs("</div>\n", page->to);
    print_facts(page);
    fputs("</main>\n</body>\n</html>\n", page->to);
}

int bench_write_page(const struct bench *bench, const char *path)
{
    char *data = NULL, why[512];
    size_t size = 0;
    struct page page = {.to = open_memstream(&data, &size), .bench = bench, .plots = 1};
    if (!page.to)
        return fail_memory();
    print_page(&page);
    const bool complete = !ferror(page.to);
    if (fclose(page.to) != 0 || !complete) {
        free(data);
        return fail_memory();
    }
    const bool written = output_write(path, data, size, why, sizeof why);
    free(data);
    if (written)
        return EXIT_DONE;
    fprintf(stderr, "rung: %s\n", why);
    return EXIT_IO;
}
