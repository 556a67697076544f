/* SPDX-License-Identifier: Apache-2.0 */
/* What the runs of a benchmark say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* Of the machine's time; below it others are no reason for anything. */
#define LOAD_WORTH_TELLING 0.05

const char *const bench_stage_names[BENCH_STAGES] = {"decode", "preprocess", "run", "postprocess",
                                                     "total"};
const char *const bench_ratio_names[BENCH_RATIOS] = {"preprocess", "run", "postprocess", "answer",
                                                     "elapsed"};

/* ---- runs ---------------------------------------------------------------------------------- */

bool bench_runs_add(struct bench_runs *runs, const struct bench_run *run)
{
    if (runs->count == runs->capacity) {
        const size_t capacity = runs->capacity ? 2 * runs->capacity : 1024;
        struct bench_run *items = realloc(runs->items, capacity * sizeof *items);
        if (!items)
            return false;
        runs->items = items;
        runs->capacity = capacity;
    }
    runs->items[runs->count++] = *run;
    return true;
}

void bench_runs_finish(struct bench_runs *runs)
{
    free(runs->items);
    *runs = (struct bench_runs){0};
}

/* ---- figures ------------------------------------------------------------------------------ */

static void find_runtime(const json_t *explanation, struct bench_side *side)
{
    const json_t *item, *provider = NULL;
    size_t i;
    json_array_foreach(json_object_get(explanation, "rungs"), i, item)
    {
        if (strcmp(text_of(item, "rung"), side->model.info.rung) == 0)
            provider = json_object_get(item, "provider");
    }
    const char *name = json_string_value(provider);
    snprintf(side->runtime, sizeof side->runtime, "%s", name ? name : "");
    json_array_foreach(json_object_get(explanation, "loaded"), i, item)
    {
        const char *loaded = text_of(item, "name");
        /* ONNX Runtime's provider is "ort". */
        if (name && (strcmp(loaded, name) == 0 ||
                     (strcmp(name, "ort") == 0 && strcmp(loaded, "onnxruntime") == 0)))
            snprintf(side->runtime, sizeof side->runtime, "%s %s", text_of(item, "text"),
                     text_of(item, "version"));
    }
}

const char *bench_implementation(const struct bench_side *side, const char *stage)
{
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(side->metadata, "stages"), i, item)
    {
        if (strcmp(text_of(item, "stage"), stage) == 0)
            return text_of(item, "effective");
    }
    return "";
}

void bench_describe_stages(const struct bench_side *side, char *to, size_t size)
{
    const json_t *item;
    size_t i, length = 0;
    to[0] = '\0';
    json_array_foreach(json_object_get(side->metadata, "stages"), i, item)
    {
        if (length < size)
            length += (size_t)snprintf(to + length, size - length, "%s%s %s", i ? ", " : "",
                                       text_of(item, "stage"), text_of(item, "effective"));
    }
}

static bool summarise_side(struct bench_side *side)
{
    bool complete = true;
    for (int stage = 0; stage < BENCH_STAGES; stage++) {
        struct samples *sorted = &side->sorted[stage];
        for (size_t i = 0; i < side->runs.count && complete; i++)
            complete = samples_add(sorted, (double)side->runs.items[i].ns[stage]);
        samples_sort(sorted);
        side->figures[stage] = statistics_of(sorted);
    }
    return complete;
}

/* ---- two sides ---------------------------------------------------------------------------- */

/** Adds a round's runs from `*at` on, which it leaves behind. */
static size_t sum_round(const struct bench_side *side, uint32_t round, size_t *at,
                        double sums[BENCH_RATIOS])
{
    const struct bench_runs *runs = &side->runs;
    size_t count = 0;
    memset(sums, 0, BENCH_RATIOS * sizeof *sums);
    for (; *at < runs->count && runs->items[*at].round == round; ++*at, count++) {
        const uint64_t *ns = runs->items[*at].ns;
        sums[BENCH_OF_PREPROCESS] += (double)ns[BENCH_PREPROCESS];
        sums[BENCH_OF_RUN] += (double)ns[BENCH_RUN];
        sums[BENCH_OF_POSTPROCESS] += (double)ns[BENCH_POSTPROCESS];
        sums[BENCH_OF_ANSWER] += (double)(ns[BENCH_TOTAL] - ns[BENCH_DECODE]);
    }
    sums[BENCH_OF_ELAPSED] = side->turns.items[round];
    return count;
}

/** A round that was interrupted counts for nothing. */
static bool find_ratios(struct bench *bench)
{
    const struct bench_side *first = &bench->sides[0], *second = &bench->sides[1];
    size_t at_first = 0, at_second = 0;
    double firsts[BENCH_RATIOS], seconds[BENCH_RATIOS];
    bool complete = true;
    for (uint32_t round = 0; at_first < first->runs.count && at_second < second->runs.count;
         round++) {
        const size_t count = sum_round(first, round, &at_first, firsts);
        const bool is_whole = sum_round(second, round, &at_second, seconds) == count;
        for (int i = 0; i < BENCH_RATIOS && is_whole; i++)
            if (firsts[i] > 0)
                complete = complete && samples_add(&bench->ratios[i], seconds[i] / firsts[i]);
    }
    for (int i = 0; i < BENCH_RATIOS; i++)
        samples_sort(&bench->ratios[i]);
    return complete;
}

static void append_name(struct bench_side *side, const char *link, const char *stage)
{
    const size_t length = strlen(side->name);
    snprintf(side->name + length, BENCH_NAME_BYTES - length, "%s%s %s", link, stage,
             bench_implementation(side, stage));
}

/** The sides are called by their rungs, where these are alike by the implementations that are not.
 */
static void name_sides(struct bench *bench)
{
    struct bench_side *const first = &bench->sides[0], *const second = &bench->sides[1];
    const char *link = " with ";
    const json_t *item;
    size_t i;
    for (i = 0; i < bench->side_count; i++)
        snprintf(bench->sides[i].name, BENCH_NAME_BYTES, "%s", bench->sides[i].model.info.rung);
    if (bench->side_count == 1 || strcmp(first->name, second->name) != 0)
        return;
    json_array_foreach(json_object_get(first->metadata, "stages"), i, item)
    {
        const char *stage = text_of(item, "stage");
        if (strcmp(bench_implementation(first, stage), bench_implementation(second, stage)) == 0)
            continue;
        append_name(first, link, stage);
        append_name(second, link, stage);
        link = ", ";
    }
}

bool bench_summarise(struct bench *bench)
{
    bool complete = true;
    for (size_t i = 0; i < bench->side_count; i++) {
        find_runtime(bench->explanation, &bench->sides[i]);
        complete = summarise_side(&bench->sides[i]) && complete;
    }
    name_sides(bench);
    return complete && (bench->side_count == 1 || find_ratios(bench));
}

/* ------------------------------------------------------------------------------------------- */

double bench_between(const struct bench_side *side)
{
    double rest = side->figures[BENCH_TOTAL].mean;
    for (int stage = 0; stage < BENCH_TOTAL; stage++)
        rest -= side->figures[stage].mean;
    return rest > 0 ? rest : 0;
}

double bench_rate(const struct bench_side *side)
{
    return side->busy_ns ? (double)side->runs.count * 1e9 / (double)side->busy_ns : 0;
}

enum bench_stage bench_first_stage(const struct bench *bench)
{
    return bench_frames_decode(&bench->frames) ? BENCH_DECODE : BENCH_PREPROCESS;
}

int bench_decimals(double ms)
{
    return ms < 0.01 ? 5 : ms < 1 ? 4 : ms < 10 ? 3 : ms < 100 ? 2 : ms < 1000 ? 1 : 0;
}

/* ---- sentences ---------------------------------------------------------------------------- */

void bench_describe_load(const struct bench *bench, char *to, size_t size)
{
    const struct load *load = &bench->load;
    const int length =
        snprintf(to, size, "%.1f MB of memory at most", (double)bench->peak_bytes / 1e6);
    if (load->known && length > 0 && (size_t)length < size)
        snprintf(to + length, size - (size_t)length,
                 "; of the processors' time %.0f %% by this, %.0f %% by others", 100 * load->own,
                 100 * load->others);
}

void bench_warn_of_load(const struct bench *bench, char *to, size_t size)
{
    to[0] = '\0';
    if (bench->load.known && bench->load.others > LOAD_WORTH_TELLING)
        snprintf(to, size,
                 "others took %.0f %% of the processors' time: measure again when they "
                 "are idle",
                 100 * bench->load.others);
}

void bench_describe_frames(const struct bench *bench, char *to, size_t size)
{
    const struct bench_frames *frames = &bench->frames;
    if (bench_frames_decode(frames))
        snprintf(to, size, "%zu picture%s, decoded for each run", frames->count,
                 frames->count == 1 ? "" : "s");
    else
        snprintf(to, size, "made-up frames of %u × %u pixels", frames->made[0].width,
                 frames->made[0].height);
}

const struct samples *bench_main_ratios(const struct bench *bench)
{
    const bool is_alone = bench->plan.contexts == 1 && !bench->plan.series;
    return &bench->ratios[is_alone ? BENCH_OF_ANSWER : BENCH_OF_ELAPSED];
}

void bench_describe_ratio(const struct bench *bench, char *to, size_t size)
{
    const struct samples *ratios = bench_main_ratios(bench);
    const struct interval interval = statistics_of_median(ratios);
    const size_t rounds = ratios->count;
    const int length = snprintf(to, size, "%s takes %.3f × the time of %s", bench->sides[1].name,
                                samples_at(ratios, 0.5), bench->sides[0].name);
    if (length < 0 || (size_t)length >= size)
        return;
    to += length;
    size -= (size_t)length;
    if (!interval.known)
        snprintf(to, size, ", from %zu round%s, which are too few to tell how sure that is", rounds,
                 rounds == 1 ? "" : "s");
    else
        snprintf(to, size, " (%.3f to %.3f with 95 %% confidence, %zu rounds)%s", interval.from,
                 interval.to, rounds,
                 interval.from <= 1 && interval.to >= 1 ? ": no difference is proven" : "");
}
