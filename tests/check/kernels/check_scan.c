/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of scan.h one by one, over random bits. */
#include "check_operations.h"

#include <stdio.h>
#include <string.h>

#include "kernel/decode.h"
#include "kernel/exact.h"

/** The level's kernels and the oracle's. */
struct both {
    struct rung__scan_kernels level, oracle;
};

static struct both both_of(const struct kernel_check *check)
{
    struct rung__decode_kernels level, oracle;
    rung__decode_init(&level, check->flags);
    rung__decode_init(&oracle, 0);
    return (struct both){level.scan, oracle.scan};
}

/** Any number at all, or one whose bits are near those of another one. */
static float random_number(struct sweep *sweep, float near)
{
    const uint32_t bits = sweep_bits(sweep);
    switch (sweep_range(sweep, 0, 3)) {
    case 0:
        return rung__f32_from_bits(bits);
    case 1:
        return rung__f32_from_bits(rung__f32_bits(near) + (bits & 7) - 3);
    case 2: /* the magnitudes around 2^32, and 0 and the least ones */
        return rung__f32_from_bits((bits & 0x80000000u) + (bits & 8 ? 0x4f800000u : 4) +
                                   (bits & 7) - 4);
    default:
        return (float)(int32_t)bits * 0x1p-28f;
    }
}

static void fill(struct sweep *sweep, float *values, size_t count, float near)
{
    for (size_t i = 0; i < count; i++)
        values[i] = random_number(sweep, near);
}

static struct rung__scan_range random_range(struct sweep *sweep, uint32_t i)
{
    return (struct rung__scan_range){(float)(int32_t)sweep_bits(sweep) * 0x1p-28f,
                                     rung__f32_from_bits(i % 3 ? 0x4f800000u : 0x7f800000u)};
}

/* ---- marks and confidences ----------------------------------------------------------------- */

void check_scan_mark(struct kernel_check *check)
{
    const struct both both = both_of(check);
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < 2000 * check->effort && !check->failed; i++) {
        const uint32_t count = sweep_range(sweep, 0, i % 4 ? 100 : RUNG__SCAN_BLOCK);
        const struct rung__scan_range range = random_range(sweep, i);
        struct guarded scores = guard_bytes(count * sizeof(float), 0);
        struct rung__scan_marks marks, expected;
        fill(sweep, (float *)scores.bytes, count, range.least);
        both.level.mark((const float *)scores.bytes, count, range, &marks);
        both.oracle.mark((const float *)scores.bytes, count, range, &expected);
        const size_t size = (size_t)expected.count * sizeof(float);
        kernel_check_same(check, &marks.count, &expected.count, sizeof marks.count,
                          "marks of %u scores from %a", count, (double)range.least);
        kernel_check_same(check, marks.positions, expected.positions, size,
                          "positions of %u scores from %a", count, (double)range.least);
        kernel_check_same(check, marks.scores, expected.scores, size, "%u scores from %a", count,
                          (double)range.least);
        guard_free(&scores);
    }
}

/** Usable scores, of which each is rated for itself; most logits where the sigmoid rises. */
static float random_usable(struct sweep *sweep)
{
    const float score = random_number(sweep, 0.5f);
    return rung__is_usable(score) ? score : (float)(int32_t)sweep_bits(sweep) * 0x1p-27f;
}

void check_scan_rate(struct kernel_check *check)
{
    const struct both both = both_of(check);
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < 2000 * check->effort && !check->failed; i++) {
        struct rung__scan_marks marks = {.count = RUNG__SCAN_BLOCK - sweep_range(sweep, 0, 20)};
        struct rung__scan_marks expected;
        const bool is_logit = i % 4 != 0;
        for (uint32_t k = 0; k < marks.count; k++)
            marks.scores[k] = random_usable(sweep);
        memcpy(&expected, &marks, sizeof expected);
        both.level.rate(is_logit, &marks);
        both.oracle.rate(is_logit, &expected);
        check->cases += marks.count;
        kernel_check_same(check, marks.confidences, expected.confidences,
                          marks.count * sizeof *marks.confidences, "confidences, logits: %d",
                          is_logit);
    }
}

void check_scan_count(struct kernel_check *check)
{
    const struct both both = both_of(check);
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < 2000 * check->effort && !check->failed; i++) {
        const uint32_t count = sweep_range(sweep, 0, i % 4 ? 100 : RUNG__SCAN_BLOCK);
        const struct rung__scan_range range = random_range(sweep, i);
        struct guarded scores = guard_bytes(count * sizeof(float), 0);
        fill(sweep, (float *)scores.bytes, count, range.least);
        const uint32_t in = both.level.count_in((const float *)scores.bytes, count, range);
        const uint32_t expected = both.oracle.count_in((const float *)scores.bytes, count, range);
        kernel_check_same(check, &in, &expected, sizeof in, "%u of %u scores from %a to %a",
                          expected, count, (double)range.least, (double)range.below);
        guard_free(&scores);
    }
}

void check_scan_fold(struct kernel_check *check)
{
    const struct both both = both_of(check);
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < 500 * check->effort && !check->failed; i++) {
        const uint32_t count = sweep_range(sweep, 0, 3 * RUNG__SCAN_FOLD_MAX);
        const uint32_t width = RUNG__SCAN_FOLD_MIN << sweep_range(sweep, 0, 2);
        struct guarded scores = guard_bytes(count * sizeof(float), 0);
        struct guarded actual = guard_bytes(width * sizeof(float), 0xa5);
        struct guarded expected = guard_bytes(width * sizeof(float), 0xa5);
        fill(sweep, (float *)scores.bytes, count, 1.0f);
        both.level.fold((const float *)scores.bytes, count, width, (float *)actual.bytes);
        both.oracle.fold((const float *)scores.bytes, count, width, (float *)expected.bytes);
        kernel_check_same(check, actual.bytes, expected.bytes, actual.size, "%u scores to %u",
                          count, width);
        guard_free(&expected);
        guard_free(&actual);
        guard_free(&scores);
    }
}

/* ---- best scores --------------------------------------------------------------------------- */

/** Of −0 and 0 either may be the best. */
static void merge_zeros(float *scores, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        scores[i] += 0.0f;
}

/** Rows in planes or in a table, mostly without values that are not usable. */
static void check_best(struct kernel_check *check, bool planes)
{
    const struct both both = both_of(check);
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < 1000 * check->effort && !check->failed; i++) {
        const uint32_t count = sweep_range(sweep, 1, i % 8 ? 70 : RUNG__SCAN_BLOCK);
        const uint32_t others = sweep_range(sweep, 0, 9), classes = sweep_range(sweep, 1, 40);
        const uint32_t first = sweep_range(sweep, 0, 20);
        const size_t cells = (size_t)(first + count) * (others + classes);
        struct guarded values = guard_bytes(cells * sizeof(float), 0);
        struct guarded actual = guard_bytes(count * sizeof(float), 0xa5);
        struct guarded expected = guard_bytes(count * sizeof(float), 0xa5);
        const struct rung__scan_rows rows = {(const float *)values.bytes,
                                             planes ? first + count : others + classes, others,
                                             classes};
        for (size_t k = 0; k < cells; k++)
            ((float *)values.bytes)[k] = (float)(int32_t)sweep_bits(sweep) * 0x1p-28f;
        for (size_t k = sweep_range(sweep, 0, 300); k < cells; k += sweep_range(sweep, 1, 300))
            ((float *)values.bytes)[k] = random_number(sweep, 1.0f);
        (planes ? both.level.best_of_planes : both.level.best_of_table)(&rows, first, count,
                                                                        (float *)actual.bytes);
        (planes ? both.oracle.best_of_planes : both.oracle.best_of_table)(&rows, first, count,
                                                                          (float *)expected.bytes);
        merge_zeros((float *)actual.bytes, count);
        merge_zeros((float *)expected.bytes, count);
        kernel_check_same(check, actual.bytes, expected.bytes, actual.size,
                          "%u rows from %u of %u + %u values", count, first, others, classes);
        guard_free(&expected);
        guard_free(&actual);
        guard_free(&values);
    }
}

void check_scan_planes(struct kernel_check *check)
{
    check_best(check, true);
}

void check_scan_table(struct kernel_check *check)
{
    check_best(check, false);
}

/* ---- times --------------------------------------------------------------------------------- */

/** From a plane to the next one: no multiple of what a cache holds. */
#define PLANE 8400u

struct timing {
    struct both both;
    const struct rung__scan_rows *rows;
    struct rung__scan_marks marks;
    float scores[RUNG__SCAN_FOLD_MAX];
};

static const struct rung__scan_kernels *kernels_of(const struct timing *timing, uint64_t flags)
{
    return flags ? &timing->both.level : &timing->both.oracle;
}

static void run_mark(void *user, uint64_t flags)
{
    struct timing *timing = user;
    const struct rung__scan_range range = {1.9f, 0x1p32f};
    kernels_of(timing, flags)->mark(timing->scores, RUNG__SCAN_BLOCK, range, &timing->marks);
}

static void run_rate(void *user, uint64_t flags)
{
    struct timing *timing = user;
    kernels_of(timing, flags)->rate(true, &timing->marks);
}

static void run_planes(void *user, uint64_t flags)
{
    struct timing *timing = user;
    kernels_of(timing, flags)->best_of_planes(timing->rows, 0, RUNG__SCAN_BLOCK, timing->scores);
}

static void run_table(void *user, uint64_t flags)
{
    struct timing *timing = user;
    kernels_of(timing, flags)->best_of_table(timing->rows, 0, RUNG__SCAN_BLOCK, timing->scores);
}

static void run_count(void *user, uint64_t flags)
{
    struct timing *timing = user;
    const struct rung__scan_range range = {0.0f, 0x1p32f};
    kernels_of(timing, flags)->count_in(timing->rows->values, 84 * PLANE, range);
}

static void run_fold(void *user, uint64_t flags)
{
    struct timing *timing = user;
    kernels_of(timing, flags)
        ->fold(timing->rows->values, 84 * PLANE, RUNG__SCAN_FOLD_MIN, timing->scores);
}

static void time_block(struct kernel_check *check, const char *what, void (*run)(void *, uint64_t),
                       const struct rung__scan_rows *rows)
{
    struct sweep sweep = {1};
    struct timing timing = {.both = both_of(check), .rows = rows};
    timing.marks.count = RUNG__SCAN_BLOCK;
    for (uint32_t i = 0; i < RUNG__SCAN_BLOCK; i++)
        timing.scores[i] = timing.marks.scores[i] = (float)(int32_t)sweep_bits(&sweep) * 0x1p-30f;
    kernel_check_time(check, what, run, &timing);
}

void time_scan_mark(struct kernel_check *check)
{
    time_block(check, "1,024 scores, one in 40 marked", run_mark, NULL);
}

void time_scan_rate(struct kernel_check *check)
{
    time_block(check, "1,024 logits", run_rate, NULL);
}

/** A block of 84 values a row. */
static void time_best(struct kernel_check *check, const char *what, void (*run)(void *, uint64_t),
                      size_t step)
{
    struct guarded values = guard_bytes((size_t)PLANE * 84 * sizeof(float), 0x3c);
    const struct rung__scan_rows rows = {(const float *)values.bytes, step, 4, 80};
    time_block(check, what, run, &rows);
    guard_free(&values);
}

void time_scan_planes(struct kernel_check *check)
{
    time_best(check, "84 planes of 1,024", run_planes, PLANE);
}

void time_scan_count(struct kernel_check *check)
{
    time_best(check, "84 x 8,400 scores", run_count, PLANE);
}

void time_scan_fold(struct kernel_check *check)
{
    time_best(check, "84 x 8,400 scores", run_fold, PLANE);
}

void time_scan_table(struct kernel_check *check)
{
    time_best(check, "1,024 rows of 84", run_table, 84);
}
