/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plans.h"
#include "signals.h"

#define DURATION_S 3

#define WIDTH_DEFAULT  1280u
#define HEIGHT_DEFAULT 720u

/** The options of this command alone. */
static struct {
    struct bench_plan plan;
    const char *size, *compare, *compare_plan, *html;
} wanted = {.plan = {.warmup = 5, .contexts = 1}};

/* ---- what is asked for -------------------------------------------------------------------- */

static int refuse(const char *why)
{
    fprintf(stderr, "rung bench: %s; see rung bench --help\n", why);
    return EXIT_USAGE;
}

/** "1280x720". */
static bool parse_size(const char *text, uint32_t *width, uint32_t *height)
{
    uint32_t sides[2] = {0, 0};
    int at = 0, digits = 0;
    for (; *text; text++) {
        if (*text == 'x' && at == 0 && digits > 0) {
            at = 1;
            digits = 0;
            continue;
        }
        if (*text < '0' || *text > '9' || ++digits > 5)
            return false;
        sides[at] = sides[at] * 10 + (uint32_t)(*text - '0');
    }
    *width = sides[0];
    *height = sides[1];
    return at == 1 && sides[0] >= 1 && sides[1] >= 1 && sides[0] <= 65535 && sides[1] <= 65535 &&
           (uint64_t)sides[0] * sides[1] <= PHOTO_PIXELS_DEFAULT;
}

static int check_options(int count)
{
    if (!common.model) {
        fprintf(stderr, "rung bench: -m MODEL is missing; rung help models tells what it takes\n");
        return EXIT_USAGE;
    }
    if (wanted.plan.iterations && wanted.plan.duration_s)
        return refuse("--iterations and --duration both say when it ends; give one");
    if (wanted.size && count)
        return refuse("--size is for frames that are made, and pictures have a size of their own");
    return EXIT_DONE;
}

static void make_plan(struct bench *bench)
{
    struct bench_plan *plan = &bench->plan;
    *plan = wanted.plan;
    if (!plan->iterations && !plan->duration_s)
        plan->duration_s = DURATION_S;
    plan->threads = common.threads;
    if (!plan->threads) {
        plan->threads = rung_default_threads() / plan->contexts;
        plan->threads += plan->threads == 0;
    }
}

static int get_frames(struct bench *bench, int count, char **operands)
{
    uint32_t width = WIDTH_DEFAULT, height = HEIGHT_DEFAULT;
    if (count)
        return bench_frames_read(&bench->frames, count, operands);
    if (wanted.size && !parse_size(wanted.size, &width, &height)) {
        fprintf(stderr,
                "rung bench: --size takes WIDTHxHEIGHT in pixels, such as 1280x720, not \"%s\"\n",
                wanted.size);
        return EXIT_USAGE;
    }
    return bench_frames_make(&bench->frames, width, height);
}

/* ---- models ------------------------------------------------------------------------------- */

static uint64_t ns_since(double begin_ms)
{
    return (uint64_t)((job_now_ms() - begin_ms) * 1e6);
}

static int make_sessions(struct bench *bench, struct bench_side *side)
{
    const rung_context_options options = {
        .plan = side->plan,
        .flags = bench->plan.series ? RUNG_CONTEXT_SERIES : 0,
    };
    rung_result result = RUNG_OK;
    side->sessions = calloc(bench->plan.contexts, sizeof *side->sessions);
    if (!side->sessions)
        return fail_memory();
    for (uint32_t i = 0; i < bench->plan.contexts && result == RUNG_OK; i++) {
        const double begin = job_now_ms();
        result = role_session_init(&side->sessions[i], &side->model, &options);
        if (i == 0)
            side->context_ns = ns_since(begin);
    }
    return result == RUNG_OK ? EXIT_DONE : fail_with(result);
}

/** On a rung that is named it is measured also where it would not serve. */
static int open_side(struct bench *bench, rung_instance *instance, const char *rung,
                     const char *plan)
{
    struct bench_side *side = &bench->sides[bench->side_count++];
    const int status = plan ? plan_read(plan, &side->plan) : EXIT_DONE;
    if (status != EXIT_DONE)
        return status;
    const double begin = job_now_ms();
    const rung_result result =
        role_open_on(instance, common.model, rung, rung ? RUNG_MODEL_ANY_PRECISION : 0,
                     bench->plan.threads, &side->model);
    side->open_ns = ns_since(begin);
    return result == RUNG_OK ? make_sessions(bench, side) : fail_with(result);
}

static int open_sides(struct bench *bench, rung_instance *instance)
{
    int status = plan_take();
    if (status == EXIT_DONE)
        status = open_side(bench, instance, common.rung, NULL);
    if (status == EXIT_DONE && (wanted.compare || wanted.compare_plan))
        status = open_side(bench, instance, wanted.compare ? wanted.compare : common.rung,
                           wanted.compare_plan);
    return status;
}

static void close_side(const struct bench *bench, struct bench_side *side)
{
    for (uint32_t i = 0; side->sessions && i < bench->plan.contexts; i++)
        role_session_finish(&side->sessions[i]);
    free(side->sessions);
    free(side->plan);
    json_decref(side->metadata);
    role_close(&side->model);
    bench_runs_finish(&side->runs);
    samples_finish(&side->turns);
    for (int stage = 0; stage < BENCH_STAGES; stage++)
        samples_finish(&side->sorted[stage]);
}

/* ---- the command -------------------------------------------------------------------------- */

static rung_result write_explanation(void *instance, rung_span to, size_t *needed)
{
    return rung_instance_explain(instance, to, needed);
}

static rung_result write_metadata(void *context, rung_span to, size_t *needed)
{
    return rung_context_metadata(context, to, needed);
}

static int tell(struct bench *bench)
{
    json_t *report = NULL;
    int status = EXIT_DONE;
    if (!bench_summarise(bench))
        return fail_memory();
    if (!common.json)
        bench_print(bench);
    else if (!print_json(report = bench_report(bench)))
        status = fail_memory();
    json_decref(report);
    if (status == EXIT_DONE && wanted.html)
        status = bench_write_page(bench, wanted.html);
    return status;
}

static bool has_runs(const struct bench *bench)
{
    bool has = true;
    for (size_t i = 0; i < bench->side_count; i++)
        has = has && bench->sides[i].runs.count > 0;
    return has;
}

/** What there is to know of the machine is asked for after the measurement: it loads libraries. */
static int run_bench(struct bench *bench, rung_instance *instance)
{
    int status = open_sides(bench, instance);
    if (status == EXIT_DONE)
        status = bench_measure(bench);
    if (status == EXIT_DONE && bench->interrupted && !has_runs(bench)) {
        fprintf(stderr, "rung: interrupted before anything was measured\n");
        return EXIT_INTERRUPTED;
    }
    for (size_t i = 0; i < bench->side_count && status == EXIT_DONE; i++)
        status = read_json(write_metadata, bench->sides[i].sessions[0].context,
                           &bench->sides[i].metadata);
    if (status == EXIT_DONE)
        status = read_json(write_explanation, instance, &bench->explanation);
    if (status == EXIT_DONE)
        status = tell(bench);
    return status == EXIT_DONE && bench->interrupted ? EXIT_INTERRUPTED : status;
}

static int run(int count, char **operands)
{
    struct bench bench = {0};
    rung_instance *instance = NULL;
    int status = check_options(count);
    if (status != EXIT_DONE)
        return status;
    signals_catch();
    common.probe = probe_policies[0]; /* off: a probe in the background would be measured too */
    make_plan(&bench);
    status = get_frames(&bench, count, operands);
    if (status == EXIT_DONE) {
        const rung_result result = open_instance(&instance);
        status = result == RUNG_OK ? run_bench(&bench, instance) : fail_with(result);
    }
    for (size_t i = 0; i < bench.side_count; i++)
        close_side(&bench, &bench.sides[i]);
    rung_instance_destroy(instance);
    json_decref(bench.explanation);
    for (int i = 0; i < BENCH_RATIOS; i++)
        samples_finish(&bench.ratios[i]);
    bench_frames_finish(&bench.frames);
    return status;
}

static const struct option_row options[] = {
    ROW_MODEL,
    {.name = "size",
     .argument = "WxH",
     .text = "without pictures: make frames of this size, in pixels (default: 1280x720)",
     .target = &wanted.size,
     .kind = OPTION_TEXT},
    {.name = "warmup",
     .argument = "N",
     .text = "runs of each context before anything counts (default: 5)",
     .kind = OPTION_NUMBER,
     .target = &wanted.plan.warmup,
     .least = 0,
     .most = BENCH_RUNS_MOST},
    {.name = "iterations",
     .argument = "N",
     .text = "measure this many runs, of all contexts together",
     .kind = OPTION_NUMBER,
     .target = &wanted.plan.iterations,
     .least = 1,
     .most = BENCH_RUNS_MOST},
    {.name = "duration",
     .argument = "SECONDS",
     .text = "measure for this long, and at most a million runs (default: 3)",
     .kind = OPTION_NUMBER,
     .target = &wanted.plan.duration_s,
     .least = 1,
     .most = 86400},
    {.name = "contexts",
     .argument = "N",
     .text = "run this many contexts side by side (default: 1)",
     .kind = OPTION_NUMBER,
     .target = &wanted.plan.contexts,
     .least = 1,
     .most = 256},
    ROW_THREADS(
        "threads of one run (default: the physical cores that may be used, shared among the "
        "contexts)"),
    {.name = "rung",
     .argument = "RUNG",
     .text = "measure on this rung (default: the one that serves the model)",
     .kind = OPTION_TEXT,
     .value = VALUE_RUNG,
     .target = &common.rung},
    {.name = "compare",
     .argument = "RUNG",
     .text = "measure on this rung too, in turns, and tell the ratios",
     .kind = OPTION_TEXT,
     .value = VALUE_RUNG,
     .target = &wanted.compare},
    {.name = "series",
     .text = "give each context its frames as a series, whose stages may overlap",
     .target = &wanted.plan.series},
    ROW_PLAN,
    {.name = "compare-plan",
     .argument = "PLAN",
     .text = "measure with this plan too, in turns, and tell the ratios",
     .kind = OPTION_TEXT,
     .value = VALUE_FILE,
     .target = &wanted.compare_plan},
    ROW_JSON,
    {.name = "html",
     .argument = "FILE",
     .text = "also write a page with plots",
     .kind = OPTION_TEXT,
     .value = VALUE_FILE,
     .target = &wanted.html},
    ROW_LADDER,
    ROWS_INSTANCE,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung bench -m centerface", "How long its parts take here, on frames that are made."},
    {"rung bench -m centerface --html bench.html photos",
     "The same of photographs, with decoding, and a page with plots."},
    {"rung bench -m centerface --contexts 2 --threads 1", "What two side by side get through."},
    {"rung bench -m centerface --compare tract", "Two rungs in turns, and how they compare."},
    {"rung bench -m centerface --plan '{\"preprocessor\": \"base\"}' --compare-plan '{}'",
     "What is gained by the implementations that serve here."},
    {NULL, NULL},
};

const struct command command_bench = {
    .name = "bench",
    .operands = "[PICTURE…]",
    .operand = VALUE_PATH,
    .text = "Measure how long a model takes here, part by part",
    .more = "A run is decoding (of pictures), preprocessing, the model and postprocessing. Of each "
            "and of the whole the mean, the standard deviation and percentiles are told, and the "
            "runs a second. Opening the model and the very first run are told apart, and runs for "
            "warming up count nowhere.\n\n"
            "A picture may be a folder of them, or - for a list on standard input. Ctrl-C ends the "
            "measurement, and what was measured so far is told. How busy others kept the machine "
            "is told where it matters.",
    .options = options,
    .examples = examples,
    .see = (const char *const[]){"plan", "probe", "gate", NULL},
    .run = run,
    .least_operands = 0,
    .most_operands = -1,
};
