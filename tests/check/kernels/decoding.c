/* SPDX-License-Identifier: Apache-2.0 */
#include "decoding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/exact.h"
#include "kernel/select.h"

static const uint32_t specials[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x7f800000, 0xff800000, 0x7fc00000,
    0xffc00001, 0x7f800001, 0x4f800000, 0xcf800000, 0x4f7fffff, 0xcf7fffff, 0x7f7fffff, 0xff7fffff,
};

/** Low to high, both included, in f32. */
static float number(struct sweep *sweep, double low, double high)
{
    return (float)(low + (high - low) * sweep_bits(sweep) / 4294967295.0);
}

/** The number of an order in which floats are whole numbers. */
static float float_at(int64_t rank)
{
    return rung__f32_from_bits(rank < 0 ? 0x80000000u | (uint32_t)-rank : (uint32_t)rank);
}

static uint16_t confidence_of(const struct decoding *decoding, float score)
{
    return decoding->logits ? rung__sigmoid_confidence(score) : rung__confidence(score);
}

/** A least score whose confidence is that. */
static float border_of(const struct decoding *decoding, uint16_t confidence)
{
    int64_t below = -0x41800000, from = 0x41800000; /* ∓16 */
    while (from - below > 1) {
        const int64_t middle = (below + from) / 2;
        if (confidence_of(decoding, float_at(middle)) >= confidence)
            from = middle;
        else
            below = middle;
    }
    return float_at(from);
}

static uint16_t random_confidence(struct sweep *sweep)
{
    const uint32_t kind = sweep_range(sweep, 0, 7);
    if (kind < 2)
        return kind ? 65535 : 1;
    return (uint16_t)sweep_range(sweep, 1, 65535);
}

static struct rung__selection random_selection(struct sweep *sweep)
{
    struct rung__selection selection = {.min_confidence = random_confidence(sweep),
                                        .capacity = 1u << sweep_range(sweep, 0, 13)};
    if (sweep_range(sweep, 0, 2) == 0) {
        selection.band_confidence = (uint16_t)sweep_range(sweep, 1, selection.min_confidence);
        selection.band_min = (uint16_t)sweep_range(sweep, 0, 3000);
        selection.band_max = (uint16_t)(selection.band_min + sweep_range(sweep, 1, 3000));
    }
    return selection;
}

void decoding_start(struct decoding *decoding, struct sweep *sweep, uint32_t head, bool logits,
                    uint32_t canvas_width, uint32_t canvas_height)
{
    const uint32_t width = sweep_range(sweep, 1, 3000), height = sweep_range(sweep, 1, 20000);
    struct rung__placement placement;
    *decoding = (struct decoding){
        .head = head,
        .canvas = {.width = canvas_width,
                   .height = canvas_height,
                   .channels = 3,
                   .fit = (uint8_t)sweep_range(sweep, RUNG_FIT_STRETCH, RUNG_FIT_COVER)},
        .selection = random_selection(sweep),
        .scores = (enum scores)sweep_range(sweep, 0, SCORES_KINDS - 1),
        .logits = logits,
    };
    const uint32_t rarities[] = {0, 0, 20, 1000, 30000};
    decoding->rarity = rarities[sweep_range(sweep, 0, 4)];
    const uint16_t band = decoding->selection.band_confidence;
    decoding->border = border_of(decoding, band ? band : decoding->selection.min_confidence);
    rung__fit(&decoding->canvas, &(struct rung__crop){0, 0, width, height}, &placement);
    rung__mapping(&placement, width, height, &decoding->mapping);
}

void decoding_free(struct decoding *decoding)
{
    for (uint32_t i = 0; i < RUNG__OUTPUTS_MAX; i++)
        if (decoding->outputs[i].mapping)
            guard_free(&decoding->outputs[i]);
}

void decoding_calm(struct decoding *decoding, uint16_t least)
{
    const uint32_t width = decoding->canvas.width, height = decoding->canvas.height;
    const struct rung__placement whole = {{0, 0, width, height}, width, height, 0, 0};
    rung__mapping(&whole, width, height, &decoding->mapping);
    decoding->selection = (struct rung__selection){.min_confidence = least};
    decoding->scores = SCORES_SPREAD;
    decoding->rarity = 0;
}

uint32_t decoding_size(struct sweep *sweep, uint32_t high)
{
    return sweep_range(sweep, 1, sweep_range(sweep, 1, high));
}

bool decoding_coin(struct sweep *sweep)
{
    return sweep_bits(sweep) >> 31;
}

void decoding_parameter(struct decoding *decoding, uint32_t key, const uint32_t *values,
                        uint32_t count)
{
    struct rung__tensors *tensors = &decoding->tensors;
    uint8_t *bytes = decoding->values[tensors->parameter_count];
    for (uint32_t i = 0; i < count; i++)
        rung__put_u32(bytes + 4 * (size_t)i, values[i]);
    tensors->parameters[tensors->parameter_count++] = (struct rung__parameter){
        key, rung__parameter_kind_of(key)->type, count, {bytes, 4 * (size_t)count}};
}

void decoding_flag(struct decoding *decoding, uint32_t key, bool on)
{
    decoding_parameter(decoding, key, (const uint32_t[]){on}, 1);
}

float *decoding_output(struct decoding *decoding, uint32_t purpose, uint32_t rank,
                       const uint32_t *dims)
{
    struct rung__tensor *tensor = &decoding->tensors.outputs[decoding->tensors.output_count++];
    size_t count = 1;
    *tensor = (struct rung__tensor){
        .purpose = purpose, .dtype = RUNG_DTYPE_F32, .rank = rank + 1, .dims = {1}};
    memcpy(tensor->dims + 1, dims, rank * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++)
        count *= dims[i];
    decoding->outputs[purpose] = guard_bytes(count * sizeof(float), 0);
    return (float *)decoding->outputs[purpose].bytes;
}

/* ---- values -------------------------------------------------------------------------------- */

static float random_score(const struct decoding *decoding, struct sweep *sweep)
{
    const double low = decoding->logits ? -20 : -0.1, high = decoding->logits ? 20 : 1.1;
    const uint32_t bits = rung__f32_bits(decoding->border);
    switch (decoding->scores) {
    case SCORES_RARE:
        return number(sweep, low, sweep_range(sweep, 0, 999) ? low * 0.6 : high);
    case SCORES_TIED:
        return (float)(low + (high - low) * sweep_range(sweep, 0, 12) / 12);
    case SCORES_BORDERLINE:
        return rung__f32_from_bits((bits < 8 ? 8 : bits) + sweep_range(sweep, 0, 8) - 4);
    default:
        return number(sweep, low, high);
    }
}

static bool is_special(const struct decoding *decoding, struct sweep *sweep)
{
    return decoding->rarity && sweep_range(sweep, 1, decoding->rarity) == 1;
}

static float special(struct sweep *sweep)
{
    return rung__f32_from_bits(
        specials[sweep_range(sweep, 0, sizeof specials / sizeof *specials - 1)]);
}

void decoding_scores(const struct decoding *decoding, struct sweep *sweep, float *values,
                     size_t count, size_t step)
{
    for (size_t i = 0; i < count; i++)
        values[i * step] =
            is_special(decoding, sweep) ? special(sweep) : random_score(decoding, sweep);
}

void decoding_numbers(const struct decoding *decoding, struct sweep *sweep, float *values,
                      size_t count, size_t step, double low, double high)
{
    for (size_t i = 0; i < count; i++)
        values[i * step] = is_special(decoding, sweep) ? special(sweep) : number(sweep, low, high);
}

/* ---- running ------------------------------------------------------------------------------- */

/** What decoding writes, each in front of a guard page. */
struct result {
    struct rung__decoded decoded;
    struct guarded candidates, points, rows;
};

static struct result result_make(const struct decoding *decoding)
{
    const uint32_t capacity = decoding->selection.capacity;
    const size_t points = (size_t)capacity * rung__head_points(decoding->head);
    struct result result = {
        .candidates = guard_bytes(capacity * sizeof(struct rung__candidate), 0xa5),
        .points = guard_bytes(points * sizeof(int32_t[2]), 0xa5),
        .rows = guard_bytes(capacity * sizeof(uint32_t), 0xa5),
    };
    result.decoded = (struct rung__decoded){
        .candidates = (struct rung__candidate *)result.candidates.bytes,
        .points = (int32_t *)result.points.bytes,
        .rows = (uint32_t *)result.rows.bytes,
    };
    return result;
}

static void result_free(struct result *result)
{
    guard_free(&result->rows);
    guard_free(&result->points);
    guard_free(&result->candidates);
}

static void run(const struct decoding *decoding, uint64_t flags, bool considered_only,
                struct result *result)
{
    struct rung__decode_kernels kernels;
    struct rung__decode_request request = {.canvas = &decoding->canvas,
                                           .mapping = &decoding->mapping,
                                           .selection = &decoding->selection,
                                           .tensors = &decoding->tensors,
                                           .scan = &kernels.scan,
                                           .considered_only = considered_only};
    rung__decode_init(&kernels, flags);
    for (uint32_t i = 0; i < decoding->tensors.output_count; i++) {
        const struct rung__tensor *tensor = &decoding->tensors.outputs[i];
        request.outputs[tensor->purpose] =
            (struct rung__values){(const float *)decoding->outputs[tensor->purpose].bytes, tensor};
    }
    kernels.heads[decoding->head](&request, &result->decoded);
}

void decoding_compare(struct kernel_check *check, const struct decoding *decoding, uint32_t rows)
{
    const struct rung__selection *selection = &decoding->selection;
    struct result actual = result_make(decoding);
    struct result expected = result_make(decoding);
    run(decoding, check->flags, false, &actual);
    run(decoding, 0, false, &expected);
    const uint64_t counts[] = {actual.decoded.survivors, actual.decoded.count,
                               actual.decoded.points_per};
    const uint64_t counts_expected[] = {expected.decoded.survivors, expected.decoded.count,
                                        expected.decoded.points_per};
    const struct {
        const char *what;
        const void *actual, *expected;
        size_t size;
    } parts[] = {
        {"survivors, count, points", counts, counts_expected, sizeof counts},
        {"rows", actual.rows.bytes, expected.rows.bytes, actual.rows.size},
        {"candidates", actual.candidates.bytes, expected.candidates.bytes, actual.candidates.size},
        {"points", actual.points.bytes, expected.points.bytes, actual.points.size},
    };
    check->cases += rows;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        kernel_check_same(check, parts[i].actual, parts[i].expected, parts[i].size,
                          "%s of %u rows, %" PRIu64 " survivors, capacity %u, confidence %u, "
                          "band %u at %u to %u, scores %d, logits %d, one special of %u",
                          parts[i].what, rows, expected.decoded.survivors, selection->capacity,
                          selection->min_confidence, selection->band_confidence,
                          selection->band_min, selection->band_max, (int)decoding->scores,
                          decoding->logits, decoding->rarity);
    result_free(&expected);
    result_free(&actual);
}

/** What the first candidates are, and whether any was left out. */
struct selection {
    struct rung__candidate *candidates;
    struct {
        uint32_t count, accepted, left_out;
    } told;
};

static struct selection select_of(const struct decoding *decoding,
                                  const struct rung__decoded *decoded)
{
    const struct rung__selection *rules = &decoding->selection;
    struct rung__select_kernels kernels;
    struct selection selection = {.candidates =
                                      calloc(rules->max_targets, sizeof *selection.candidates)};
    rung__select_init(&kernels, 0);
    void *workspace = malloc((size_t)kernels.workspace_bytes(rules, decoded->count) + 1);
    struct rung__selected selected = {.order = calloc(rules->max_targets, sizeof(uint32_t))};
    if (!workspace || !selected.order || !selection.candidates)
        abort();
    kernels.run(decoded->candidates, decoded->count, rules, decoding->mapping.k, workspace,
                &selected);
    for (uint32_t i = 0; i < selected.count; i++)
        selection.candidates[i] = decoded->candidates[selected.order[i]];
    selection.told.count = selected.count;
    selection.told.accepted = selected.accepted;
    selection.told.left_out = selected.incomplete || decoded->survivors > decoded->count;
    free(selected.order);
    free(workspace);
    return selection;
}

void decoding_compare_considered(struct kernel_check *check, const struct decoding *decoding,
                                 uint32_t rows)
{
    const struct rung__selection *rules = &decoding->selection;
    struct result considered = result_make(decoding);
    struct result all = result_make(decoding);
    run(decoding, check->flags, true, &considered);
    run(decoding, 0, false, &all);
    const struct selection actual = select_of(decoding, &considered.decoded);
    const struct selection expected = select_of(decoding, &all.decoded);
    check->cases += rows;
    kernel_check_same(
        check, &actual.told, &expected.told, sizeof actual.told,
        "selected, accepted, left out of %u rows, %u of %u decoded, capacity %u, %u considered",
        rows, considered.decoded.count, all.decoded.count, rules->capacity, rules->considered);
    kernel_check_same(check, actual.candidates, expected.candidates,
                      rules->max_targets * sizeof *actual.candidates,
                      "%u selected of %u rows, %u of %u decoded, capacity %u, %u considered",
                      expected.told.count, rows, considered.decoded.count, all.decoded.count,
                      rules->capacity, rules->considered);
    free(expected.candidates);
    free(actual.candidates);
    result_free(&all);
    result_free(&considered);
}

struct timing {
    const struct decoding *decoding;
    bool considered_only;
    struct result result;
};

static void run_timing(void *user, uint64_t flags)
{
    struct timing *timing = user;
    run(timing->decoding, flags, timing->considered_only, &timing->result);
}

void decoding_time(const struct kernel_check *check, struct decoding *decoding, const char *what)
{
    decoding->selection.capacity = RUNG__CAPACITY_MAX;
    const bool considered_only = decoding->selection.considered > 0;
    struct timing timing = {decoding, considered_only, result_make(decoding)};
    kernel_check_time(check, what, run_timing, &timing);
    result_free(&timing.result);
}
