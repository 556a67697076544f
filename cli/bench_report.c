/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a benchmark, for programs and for people. */
#include <stdio.h>

#include "bench.h"
#include "colour.h"

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *ms_json(double ns)
{
    return json_real(ns / 1e6);
}

static json_t *integer_json(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *figures_json(const struct statistics *figures, bool *complete)
{
    json_t *object = json_object();
    set_member(object, "mean", ms_json(figures->mean), complete);
    set_member(object, "deviation", ms_json(figures->deviation), complete);
    set_member(object, "min", ms_json(figures->least), complete);
    set_member(object, "p50", ms_json(figures->p50), complete);
    set_member(object, "p90", ms_json(figures->p90), complete);
    set_member(object, "p95", ms_json(figures->p95), complete);
    set_member(object, "p99", ms_json(figures->p99), complete);
    set_member(object, "max", ms_json(figures->most), complete);
    return object;
}

static json_t *stages_json(const struct bench *bench, const struct bench_side *side, bool *complete)
{
    json_t *object = json_object();
    for (int stage = bench_first_stage(bench); stage < BENCH_STAGES; stage++)
        set_member(object, bench_stage_names[stage], figures_json(&side->figures[stage], complete),
                   complete);
    return object;
}

/** In the order in which they began. */
static json_t *samples_json(const struct bench *bench, const struct bench_side *side,
                            bool *complete)
{
    json_t *object = json_object();
    const struct bench_runs *runs = &side->runs;
    for (int stage = bench_first_stage(bench); stage < BENCH_STAGES; stage++) {
        json_t *array = json_array();
        for (size_t i = 0; i < runs->count; i++)
            append_item(array, integer_json(runs->items[i].ns[stage]), complete);
        set_member(object, bench_stage_names[stage], array, complete);
    }
    json_t *begins = json_array();
    for (size_t i = 0; i < runs->count; i++)
        append_item(begins, integer_json(runs->items[i].begin_ns - runs->items[0].begin_ns),
                    complete);
    set_member(object, "begin", begins, complete);
    return object;
}

static json_t *side_json(const struct bench *bench, const struct bench_side *side, bool *complete)
{
    const rung_model_info *info = &side->model.info;
    json_t *object = role_settings(&side->model, info->identity, complete);
    set_member(object, "runtime", json_string(side->runtime), complete);
    set_member(object, "why", json_string(info->reason), complete);
    set_member(object, "threads", json_integer(info->threads), complete);
    set_member(object, "stages", json_deep_copy(json_object_get(side->metadata, "stages")),
               complete);
    set_member(object, "open_ms", ms_json((double)side->open_ns), complete);
    set_member(object, "context_ms", ms_json((double)side->context_ns), complete);
    set_member(object, "first_ms", ms_json((double)side->first.ns[BENCH_TOTAL]), complete);
    set_member(object, "runs", integer_json(side->runs.count), complete);
    set_member(object, "seconds", json_real((double)side->busy_ns / 1e9), complete);
    set_member(object, "per_second", json_real(bench_rate(side)), complete);
    set_member(object, "ms", stages_json(bench, side, complete), complete);
    set_member(object, "samples_ns", samples_json(bench, side, complete), complete);
    return object;
}

static json_t *ratio_json(const struct samples *ratios, bool *complete)
{
    const struct interval interval = statistics_of_median(ratios);
    json_t *object = json_object(), *array = json_array();
    for (size_t i = 0; i < ratios->count; i++)
        append_item(array, json_real(ratios->items[i]), complete);
    set_member(object, "rounds", integer_json(ratios->count), complete);
    set_member(object, "median", ratios->count ? json_real(samples_at(ratios, 0.5)) : json_null(),
               complete);
    set_member(object, "from", interval.known ? json_real(interval.from) : json_null(), complete);
    set_member(object, "to", interval.known ? json_real(interval.to) : json_null(), complete);
    set_member(object, "sorted", array, complete);
    return object;
}

static json_t *ratios_json(const struct bench *bench, bool *complete)
{
    json_t *object = json_object();
    for (int i = 0; i < BENCH_RATIOS; i++)
        set_member(object, bench_ratio_names[i], ratio_json(&bench->ratios[i], complete), complete);
    return object;
}

static json_t *machine_json(const struct bench *bench, bool *complete)
{
    const struct load *load = &bench->load;
    const json_t *device = json_object_get(bench->explanation, "device");
    const json_t *cpu = json_object_get(device, "cpu");
    json_t *object = json_object();
    set_member(object, "cpu", json_string(text_of(cpu, "model")), complete);
    set_member(object, "usable",
               integer_json((uint64_t)json_integer_value(json_object_get(cpu, "usable"))),
               complete);
    set_member(object, "kernel", json_string(text_of(device, "kernel")), complete);
    set_member(object, "fingerprint", json_string(text_of(bench->explanation, "fingerprint")),
               complete);
    set_member(object, "peak_bytes", integer_json(bench->peak_bytes), complete);
    set_member(object, "own", load->known ? json_real(load->own) : json_null(), complete);
    set_member(object, "others", load->known ? json_real(load->others) : json_null(), complete);
    set_member(object, "stolen", load->known ? json_real(load->stolen) : json_null(), complete);
    return object;
}

static json_t *plan_json(const struct bench *bench, bool *complete)
{
    const struct bench_plan *plan = &bench->plan;
    const struct bench_frames *frames = &bench->frames;
    json_t *object = json_object();
    set_member(object, "warmup", json_integer(plan->warmup), complete);
    set_member(object, "iterations",
               plan->iterations ? json_integer(plan->iterations) : json_null(), complete);
    set_member(object, "duration_s",
               plan->iterations ? json_null() : json_integer(plan->duration_s), complete);
    set_member(object, "contexts", json_integer(plan->contexts), complete);
    set_member(object, "series", json_boolean(plan->series), complete);
    set_member(object, "pictures", integer_json(frames->sources.count), complete);
    if (!bench_frames_decode(frames))
        set_member(object, "size",
                   json_pack("[i,i]", (int)frames->made[0].width, (int)frames->made[0].height),
                   complete);
    return object;
}

json_t *bench_report(const struct bench *bench)
{
    bool complete = true;
    const rung_model_info *info = &bench->sides[0].model.info;
    json_t *report = json_object(), *results = json_array();
    set_member(report, "schema", json_integer(1), &complete);
    set_member(report, "version", json_string(rung_version()), &complete);
    set_member(report, "model", json_string(info->name), &complete);
    set_member(report, "role", json_string(role_name(info->role)), &complete);
    set_member(report, "plan", plan_json(bench, &complete), &complete);
    set_member(report, "machine", machine_json(bench, &complete), &complete);
    set_member(report, "interrupted", json_boolean(bench->interrupted), &complete);
    for (size_t i = 0; i < bench->side_count; i++)
        append_item(results, side_json(bench, &bench->sides[i], &complete), &complete);
    set_member(report, "results", results, &complete);
    if (bench->side_count > 1)
        set_member(report, "ratios", ratios_json(bench, &complete), &complete);
    return json_if(report, complete);
}

/* ---- for people --------------------------------------------------------------------------- */

static void print_figures(const char *name, const struct statistics *figures, double share)
{
    const double columns[] = {figures->mean, figures->deviation, figures->least, figures->p50,
                              figures->p90,  figures->p95,       figures->p99,   figures->most};
    printf("%-11s", name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        printf(" %7.*f", bench_decimals(columns[i] / 1e6), columns[i] / 1e6);
    printf(" %5.1f %%\n", 100 * share);
}

static void print_side(const struct bench *bench, const struct bench_side *side)
{
    const rung_model_info *info = &side->model.info;
    const double all = side->figures[BENCH_TOTAL].mean;
    char text[256];
    printf("\n%-11s%s in %s, %s, %u × %u thread%s%s\n", info->rung, info->identity, info->precision,
           side->runtime, bench->plan.contexts, info->threads, info->threads == 1 ? "" : "s",
           bench->plan.series ? ", in series" : "");
    bench_describe_stages(side, text, sizeof text);
    printf("%-11s%s\n", "stages", text);
    printf("%-11sin %.1f ms, its first context in %.1f ms, the first run in %.1f ms\n", "opened",
           (double)side->open_ns / 1e6, (double)side->context_ns / 1e6,
           (double)side->first.ns[BENCH_TOTAL] / 1e6);
    printf("%-11s%zu in %.2f s, %.1f a second\n\n", "runs", side->runs.count,
           (double)side->busy_ns / 1e9, bench_rate(side));
    snprintf(text, sizeof text, "%-11s %7s %7s %7s %7s %7s %7s %7s %7s %7s", "MS", "MEAN", "DEV",
             "MIN", "P50", "P90", "P95", "P99", "MAX", "SHARE");
    colour_print_head(text);
    for (int stage = bench_first_stage(bench); stage < BENCH_STAGES; stage++)
        print_figures(bench_stage_names[stage], &side->figures[stage],
                      all > 0 ? side->figures[stage].mean / all : 0);
}

/** The ratios of the parts, and in a sentence that of the whole. */
static void print_ratios(const struct bench *bench)
{
    char text[512];
    snprintf(text, sizeof text, "\n%-11s %7s %7s %7s", "RATIO", "MEDIAN", "FROM", "TO");
    colour_print_head(text);
    for (int i = 0; i < BENCH_RATIOS; i++) {
        const struct samples *ratios = &bench->ratios[i];
        const struct interval interval = statistics_of_median(ratios);
        printf("%-11s %7.3f", bench_ratio_names[i], samples_at(ratios, 0.5));
        if (interval.known)
            printf(" %7.3f %7.3f\n", interval.from, interval.to);
        else
            printf(" %7s %7s\n", "-", "-");
    }
    bench_describe_ratio(bench, text, sizeof text);
    printf("\n%-11s%s\n", "ratio", text);
}

void bench_print(const struct bench *bench)
{
    const json_t *cpu = json_object_get(json_object_get(bench->explanation, "device"), "cpu");
    char text[512];
    printf("%-11s%s, artifact %.16s…\n", "model", bench->sides[0].model.info.name,
           bench->sides[0].model.info.artifact);
    bench_describe_frames(bench, text, sizeof text);
    printf("%-11s%s\n", "input", text);
    printf("%-11s%s, %d usable\n", "machine", text_of(cpu, "model"),
           (int)json_integer_value(json_object_get(cpu, "usable")));
    bench_describe_load(bench, text, sizeof text);
    printf("%-11s%s\n", "load", text);
    for (size_t i = 0; i < bench->side_count; i++)
        print_side(bench, &bench->sides[i]);
    if (bench->side_count > 1)
        print_ratios(bench);
    bench_warn_of_load(bench, text, sizeof text);
    if (*text)
        printf("\n%-11s%s\n", "busy", text);
    if (bench->interrupted)
        printf("\n%-11sit was interrupted: this is what was measured so far\n", "note");
}
