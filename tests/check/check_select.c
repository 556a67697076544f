/* SPDX-License-Identifier: Apache-2.0 */
/* Selection keeps the promises of targets.md at its borders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guard.h"
#include "kernel/cpu_flags.h"
#include "kernel/select.h"
#include "sweep.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct rung__cpu_level *level; /* of the kernels that are run */

/** Everything of a selection in memory that ends at guard pages. */
struct outcome {
    struct rung__selected selected;
    struct guarded order;
};

static struct outcome run_select(const struct rung__candidate *candidates, uint32_t count,
                                 const struct rung__selection *selection, uint32_t k)
{
    struct rung__select_kernels kernels;
    struct outcome outcome = {.order =
                                  guard_bytes(selection->max_targets * sizeof(uint32_t), 0xa5)};
    rung__select_init(&kernels, level->flags);
    struct guarded workspace = guard_bytes((size_t)kernels.workspace_bytes(selection, count), 0xa5);
    outcome.selected.order = (uint32_t *)outcome.order.bytes;
    kernels.run(candidates, count, selection, k, workspace.bytes, &outcome.selected);
    guard_free(&workspace);
    return outcome;
}

static struct rung__selection plain(uint32_t considered, uint32_t max_targets)
{
    return (struct rung__selection){.min_confidence = 1,
                                    .iou = 32768,
                                    .capacity = RUNG__CAPACITY_MAX,
                                    .considered = considered,
                                    .max_targets = max_targets};
}

static struct rung__candidate box(uint16_t x, uint16_t y, uint16_t w, uint16_t h)
{
    return (struct rung__candidate){x, y, w, h, 1000, 0, 1, 1, RUNG__NO_PAYLOAD};
}

/** What is emitted, in order. */
static void assert_selects(const struct rung__candidate *candidates, uint32_t count,
                           const struct rung__selection *selection, uint32_t k,
                           const uint32_t *expected, uint32_t expected_count)
{
    struct outcome outcome = run_select(candidates, count, selection, k);
    assert_int_equal(outcome.selected.count, expected_count);
    for (uint32_t i = 0; i < expected_count; i++)
        assert_int_equal(outcome.selected.order[i], expected[i]);
    guard_free(&outcome.order);
}

#define SELECTS(candidates, selection, k, ...)                                                     \
    assert_selects(candidates, COUNT(candidates), selection, k, (const uint32_t[]){__VA_ARGS__},   \
                   COUNT(((const uint32_t[]){__VA_ARGS__})))

/* ---- against a naive selection --------------------------------------------------------------- */

static const struct rung__candidate *sorting; /* what `compare` looks at */

static int by_fields(const void *left, const void *right)
{
    const uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
    const struct rung__candidate *a = &sorting[l], *b = &sorting[r];
    if (a->confidence != b->confidence)
        return a->confidence > b->confidence ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return l < r ? -1 : 1;
}

/** The shared area by the corners of both boxes. */
static uint64_t shared_area(const struct rung__candidate *a, const struct rung__candidate *b)
{
    const int64_t left = a->x > b->x ? a->x : b->x, top = a->y > b->y ? a->y : b->y;
    const int64_t ax = a->x + a->w, bx = b->x + b->w, ay = a->y + a->h, by = b->y + b->h;
    const int64_t width = (ax < bx ? ax : bx) - left, height = (ay < by ? ay : by) - top;
    return width > 0 && height > 0 ? (uint64_t)(width * height) : 0;
}

static bool naive_drops(const struct rung__candidate *kept, const struct rung__candidate *next,
                        const struct rung__selection *selection)
{
    const uint64_t shared = shared_area(kept, next), area = (uint64_t)next->w * next->h;
    const uint64_t together = (uint64_t)kept->w * kept->h + area - shared;
    const bool same = kept->class_id == next->class_id;
    if (!same && selection->flags & RUNG_SUPPRESS_PER_CLASS)
        return false;
    return (selection->flags & RUNG_SUPPRESS_CONTAINMENT && shared == area) ||
           (shared > 0 && shared * 65535 >= together * selection->iou);
}

static bool naive_admits(const struct rung__candidate *c, const struct rung__selection *s,
                         uint32_t k)
{
    const uint32_t size = (uint32_t)(c->w < c->h ? c->w : c->h) << k;
    const bool banded = s->band_confidence > 0 && size >= s->band_min && size < s->band_max &&
                        c->confidence >= s->band_confidence;
    return c->confidence > 0 && c->w > 0 && c->h > 0 &&
           (c->confidence >= s->min_confidence || banded);
}

static void assert_naive(const struct rung__candidate *candidates, uint32_t count,
                         const struct rung__selection *selection, uint32_t k)
{
    uint32_t *order = malloc(((size_t)count + 1) * sizeof *order);
    uint32_t admitted = 0, accepted = 0;
    assert_non_null(order);
    for (uint32_t i = 0; i < count; i++)
        if (naive_admits(&candidates[i], selection, k))
            order[admitted++] = i;
    sorting = candidates;
    qsort(order, admitted, sizeof *order, by_fields);
    const uint32_t considered = admitted < selection->considered ? admitted : selection->considered;
    for (uint32_t i = 0; i < considered; i++) {
        bool drop = false;
        for (uint32_t j = 0; selection->flags & RUNG_SUPPRESS && j < accepted && !drop; j++)
            drop = naive_drops(&candidates[order[j]], &candidates[order[i]], selection);
        if (!drop)
            order[accepted++] = order[i];
    }
    const uint32_t emitted = accepted < selection->max_targets ? accepted : selection->max_targets;
    struct outcome outcome = run_select(candidates, count, selection, k);
    assert_int_equal(outcome.selected.admitted, admitted);
    assert_int_equal(outcome.selected.accepted, accepted);
    assert_int_equal(outcome.selected.incomplete, admitted > considered || accepted > emitted);
    assert_int_equal(outcome.selected.count, emitted);
    assert_memory_equal(outcome.selected.order, order, emitted * sizeof *order);
    guard_free(&outcome.order);
    free(order);
}

/** Candidates with many equal fields, some of them 0. */
static struct rung__candidate *make_candidates(struct sweep *sweep, uint32_t count)
{
    struct rung__candidate *candidates = calloc((size_t)count + 1, sizeof *candidates);
    const uint32_t spread = sweep_bits(sweep) & 1 ? 6 : 2000;
    assert_non_null(candidates);
    for (uint32_t i = 0; i < count; i++)
        candidates[i] = (struct rung__candidate){
            .x = (uint16_t)sweep_range(sweep, 0, spread),
            .y = (uint16_t)sweep_range(sweep, 0, spread),
            .w = (uint16_t)sweep_range(sweep, 0, spread),
            .h = (uint16_t)sweep_range(sweep, 0, spread),
            .confidence = (uint16_t)sweep_range(sweep, 0, spread * 2),
            .class_id = (uint8_t)sweep_range(sweep, 0, 3),
        };
    return candidates;
}

static void every_number_of_candidates_is_selected_like_the_naive_way(void **state)
{
    static const uint32_t counts[] = {0, 1, 2, 255, 256, 257, 777, 65535, 65536};
    struct sweep sweep = sweep_start("select");
    (void)state;
    for (size_t i = 0; i < 8 * COUNT(counts); i++) {
        const uint32_t count = counts[i % COUNT(counts)];
        struct rung__candidate *candidates = make_candidates(&sweep, count);
        struct rung__selection selection = plain(sweep_range(&sweep, 1, 600), 1);
        selection.max_targets = sweep_range(&sweep, 1, selection.considered);
        selection.flags = (uint16_t)sweep_range(&sweep, 0, 7);
        selection.iou = (uint16_t)sweep_bits(&sweep);
        selection.min_confidence = (uint16_t)sweep_range(&sweep, 0, 8);
        if (sweep_bits(&sweep) & 1 && selection.min_confidence > 0) {
            selection.band_confidence = (uint16_t)sweep_range(&sweep, 1, selection.min_confidence);
            selection.band_min = 2;
            selection.band_max = 5;
        }
        assert_naive(candidates, count, &selection, sweep_range(&sweep, 0, 4));
        free(candidates);
    }
}

static void all_equal_candidates_come_in_their_own_order(void **state)
{
    struct rung__candidate *candidates = calloc(65536, sizeof *candidates);
    const struct rung__selection selection = plain(10000, 10000);
    (void)state;
    assert_non_null(candidates);
    for (uint32_t i = 0; i < 65536; i++)
        candidates[i] = box(7, 7, 9, 9);
    struct outcome outcome = run_select(candidates, 65536, &selection, 0);
    assert_int_equal(outcome.selected.count, 10000);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(outcome.selected.order[i], i);
    guard_free(&outcome.order);
    free(candidates);
}

static void rejected_candidates_leave_nothing(void **state)
{
    struct rung__candidate candidates[4] = {box(1, 1, 0, 5), box(1, 1, 5, 0), box(1, 1, 5, 5),
                                            box(1, 1, 5, 5)};
    struct rung__selection selection = plain(4, 4);
    (void)state;
    candidates[2].confidence = 0;
    selection.min_confidence = 1001;
    struct outcome outcome = run_select(candidates, 4, &selection, 0);
    assert_int_equal(outcome.selected.admitted, 0);
    assert_int_equal(outcome.selected.count, 0);
    assert_false(outcome.selected.incomplete);
    guard_free(&outcome.order);
    selection.min_confidence = 0; /* confidence 0 is an unused row all the same */
    SELECTS(candidates, &selection, 0, 3);
}

static void ties_are_broken_by_confidence_y_x_and_number(void **state)
{
    struct rung__candidate candidates[] = {box(5, 5, 9, 9), box(5, 5, 9, 9), box(4, 5, 9, 9),
                                           box(9, 4, 9, 9), box(9, 9, 9, 9)};
    const struct rung__selection selection = plain(5, 5);
    (void)state;
    candidates[4].confidence = 1001;
    SELECTS(candidates, &selection, 0, 4, 3, 2, 0, 1);
}

static void the_band_includes_its_start_and_not_its_end(void **state)
{
    const struct rung__candidate sizes[] = {box(0, 0, 15, 99), box(0, 1, 99, 16), box(0, 2, 31, 31),
                                            box(0, 3, 32, 32)};
    const struct rung__candidate doubled[] = {box(0, 0, 7, 99), box(0, 1, 8, 99), box(0, 2, 15, 15),
                                              box(0, 3, 16, 16)};
    struct rung__selection selection = plain(4, 4);
    (void)state;
    selection.min_confidence = 2000;
    selection.band_min = 16;
    selection.band_max = 32;
    selection.band_confidence = 1000;
    SELECTS(sizes, &selection, 0, 1, 2);
    SELECTS(doubled, &selection, 1, 1, 2);
    selection.band_confidence = 1001;
    struct outcome outcome = run_select(sizes, 4, &selection, 0);
    assert_int_equal(outcome.selected.count, 0);
    guard_free(&outcome.order);
}

static void touching_edges_do_not_suppress(void **state)
{
    const struct rung__candidate candidates[] = {box(10, 10, 10, 10), box(20, 10, 10, 10),
                                                 box(10, 20, 10, 10), box(20, 20, 10, 10)};
    struct rung__selection selection = plain(4, 4);
    (void)state;
    selection.flags = RUNG_SUPPRESS | RUNG_SUPPRESS_CONTAINMENT;
    selection.iou = 0;
    SELECTS(candidates, &selection, 0, 0, 1, 2, 3);
}

static void equal_boxes_are_duplicates_at_the_highest_threshold(void **state)
{
    struct rung__candidate candidates[] = {box(10, 10, 60000, 60000), box(10, 10, 60000, 60000),
                                           box(10, 10, 60000, 59999)};
    struct rung__selection selection = plain(3, 3);
    (void)state;
    selection.flags = RUNG_SUPPRESS;
    selection.iou = 65535;
    SELECTS(candidates, &selection, 0, 0, 2);
    selection.flags |= RUNG_SUPPRESS_PER_CLASS;
    candidates[1].class_id = 1;
    SELECTS(candidates, &selection, 0, 0, 1, 2);
}

/** Containment drops what lies inside a higher one, not what lies around it. */
static void nesting_counts_one_way(void **state)
{
    struct rung__candidate candidates[] = {box(10, 10, 100, 100), box(20, 20, 5, 5)};
    struct rung__selection selection = plain(2, 2);
    (void)state;
    selection.flags = RUNG_SUPPRESS | RUNG_SUPPRESS_CONTAINMENT;
    SELECTS(candidates, &selection, 0, 0);
    candidates[1].confidence = 2000;
    SELECTS(candidates, &selection, 0, 1, 0);
    selection.flags = RUNG_SUPPRESS_CONTAINMENT; /* suppression is off */
    SELECTS(candidates, &selection, 0, 1, 0);
}

static void what_is_left_out_sets_incomplete(void **state)
{
    struct rung__candidate candidates[10];
    (void)state;
    for (uint16_t i = 0; i < 10; i++)
        candidates[i] = box((uint16_t)(i * 20), 0, 10, 10);
    for (uint32_t considered = 9; considered <= 11; considered++)
        for (uint32_t max = 9; max <= considered; max++) {
            const struct rung__selection selection = plain(considered, max);
            struct outcome outcome = run_select(candidates, 10, &selection, 0);
            assert_int_equal(outcome.selected.incomplete, considered < 10 || max < 10);
            assert_int_equal(outcome.selected.count, max < 10 ? max : 10);
            guard_free(&outcome.order);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_candidates_is_selected_like_the_naive_way),
        cmocka_unit_test(all_equal_candidates_come_in_their_own_order),
        cmocka_unit_test(rejected_candidates_leave_nothing),
        cmocka_unit_test(ties_are_broken_by_confidence_y_x_and_number),
        cmocka_unit_test(the_band_includes_its_start_and_not_its_end),
        cmocka_unit_test(touching_edges_do_not_suppress),
        cmocka_unit_test(equal_boxes_are_duplicates_at_the_highest_threshold),
        cmocka_unit_test(nesting_counts_one_way),
        cmocka_unit_test(what_is_left_out_sets_incomplete),
    };
    int failed = 0;
    for (size_t i = 0; (level = rung__cpu_level(i)); i++)
        failed += cmocka_run_group_tests_name(level->name, tests, NULL, NULL);
    return failed;
}
