/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding drops what targets.md says it drops, and keeps the rest in row order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "artifact/heads.h"
#include "guard.h"
#include "kernel/decode_scan.h"
#include "kernel/exact.h"
#include "sweep.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const uint8_t stride_bytes[4] = {4, 0, 0, 0};

/** A canvas of 64 × 64 that shows a picture of 64 × 64: eight record units to a canvas pixel. */
struct setting {
    struct rung__canvas canvas;
    struct rung__mapping mapping;
    struct rung__selection selection;
    struct rung__tensors tensors;
    struct rung__decode_request request;
    struct rung__decoded decoded;
    struct guarded candidates, points, rows;
};

/** An output of shape [1, dims…]. */
static void set_output(struct setting *setting, uint32_t purpose, const float *data, uint32_t rank,
                       const uint32_t *dims)
{
    struct rung__tensor *tensor = &setting->tensors.outputs[purpose];
    *tensor = (struct rung__tensor){.purpose = purpose, .rank = rank + 1, .dims = {1}};
    memcpy(tensor->dims + 1, dims, rank * sizeof *dims);
    setting->request.outputs[purpose] = (struct rung__values){data, tensor};
}

static void start(struct setting *setting, uint32_t head, uint32_t capacity)
{
    const struct rung__placement placement = {{0, 0, 64, 64}, 64, 64, 0, 0};
    *setting = (struct setting){
        .canvas = {.width = 64, .height = 64, .channels = 3},
        .selection = {.min_confidence = 1, .capacity = capacity, .considered = 1, .max_targets = 1},
        .tensors = {.parameters = {{RUNG__PARAMETER_STRIDES,
                                    RUNG__PARAMETER_U32,
                                    1,
                                    {stride_bytes, sizeof stride_bytes}}},
                    .parameter_count = 1},
        .candidates = guard_bytes(capacity * sizeof(struct rung__candidate), 0),
        .points = guard_bytes((size_t)capacity * rung__head_points(head) * 8, 0),
        .rows = guard_bytes(capacity * sizeof(uint32_t), 0),
    };
    rung__mapping(&placement, 64, 64, &setting->mapping);
    setting->request.canvas = &setting->canvas;
    setting->request.mapping = &setting->mapping;
    setting->request.selection = &setting->selection;
    setting->request.tensors = &setting->tensors;
    setting->decoded.candidates = (struct rung__candidate *)setting->candidates.bytes;
    setting->decoded.points = (int32_t *)setting->points.bytes;
    setting->decoded.rows = (uint32_t *)setting->rows.bytes;
}

static void run_head(struct setting *setting, uint32_t head)
{
    struct rung__decode_kernels kernels;
    rung__decode_init(&kernels, 0);
    kernels.heads[head](&setting->request, &setting->decoded);
}

static void finish(struct setting *setting)
{
    guard_free(&setting->rows);
    guard_free(&setting->points);
    guard_free(&setting->candidates);
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef float row[6];

static const row good = {0.25f, 0.5f, 0.25f, 0.125f, 0.5f, 3.0f};

static uint64_t survivors_of(const row *rows, uint32_t count, uint32_t capacity, uint32_t *kept)
{
    struct setting setting;
    start(&setting, RUNG_HEAD_ROWS, capacity);
    set_output(&setting, 0, rows ? rows[0] : NULL, 2, (const uint32_t[]){count, 6});
    run_head(&setting, RUNG_HEAD_ROWS);
    const uint64_t survivors = setting.decoded.survivors;
    *kept = setting.decoded.count;
    finish(&setting);
    return survivors;
}

static bool survives(const row values)
{
    uint32_t kept;
    return survivors_of((const row *)values, 1, 1, &kept) == 1;
}

static void a_row_becomes_one_record(void **state)
{
    const struct rung__candidate expected = {128, 256, 128, 64, 32768, 3, 1, 1, RUNG__NO_PAYLOAD};
    struct setting setting;
    (void)state;
    start(&setting, RUNG_HEAD_ROWS, 1);
    set_output(&setting, 0, good, 2, (const uint32_t[]){1, 6});
    run_head(&setting, RUNG_HEAD_ROWS);
    assert_int_equal(setting.decoded.count, 1);
    assert_memory_equal(setting.decoded.candidates, &expected, sizeof expected);
    finish(&setting);
}

static void no_rows_give_no_candidates(void **state)
{
    uint32_t kept = 1;
    (void)state;
    assert_int_equal(survivors_of(NULL, 0, 4, &kept), 0);
    assert_int_equal(kept, 0);
}

static void a_value_that_is_not_usable_drops_its_row(void **state)
{
    static const uint32_t bits[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
                                    0x4f800000, 0xcf800000, 0x7f7fffff};
    (void)state;
    assert_true(survives(good));
    for (size_t column = 0; column < 6; column++)
        for (size_t i = 0; i < COUNT(bits); i++) {
            row bad;
            memcpy(bad, good, sizeof bad);
            bad[column] = rung__f32_from_bits(bits[i]);
            assert_false(survives(bad));
        }
}

static void only_whole_classes_up_to_255_count(void **state)
{
    const float yes[] = {0.0f, -0.0f, 1.0f, 255.0f};
    const float no[] = {-1.0f,  0.5f, 254.99998f, 255.00002f, 256.0f, rung__f32_from_bits(1),
                        -0.25f, 1e9f};
    row values;
    (void)state;
    memcpy(values, good, sizeof values);
    for (size_t i = 0; i < COUNT(yes); i++) {
        values[5] = yes[i];
        assert_true(survives(values));
    }
    for (size_t i = 0; i < COUNT(no); i++) {
        values[5] = no[i];
        assert_false(survives(values));
    }
}

static void boxes_without_extent_are_dropped(void **state)
{
    const row flat = {0.25f, 0.5f, 0.25f, 0.0f, 0.5f, 0.0f};
    const row negative = {0.25f, 0.5f, -0.25f, 0.25f, 0.5f, 0.0f};
    const row outside = {1.5f, 0.5f, 0.25f, 0.25f, 0.5f, 0.0f};
    const row unused = {0.25f, 0.5f, 0.25f, 0.25f, 0.0f, 0.0f};
    (void)state;
    assert_false(survives(flat));
    assert_false(survives(negative));
    assert_false(survives(outside)); /* clamped to the crop's edge */
    assert_false(survives(unused));
}

static void the_first_rows_up_to_the_capacity_are_kept(void **state)
{
    row rows[5];
    (void)state;
    for (size_t i = 0; i < 5; i++)
        memcpy(rows[i], good, sizeof good);
    rows[1][4] = 0.0f; /* no survivor: four are left */
    for (uint32_t capacity = 3; capacity <= 5; capacity++) {
        uint32_t kept;
        assert_int_equal(survivors_of((const row *)rows, 5, capacity, &kept), 4);
        assert_int_equal(kept, capacity < 4 ? capacity : 4);
    }
}

/* ---- centernet ------------------------------------------------------------------------------- */

/** All maps of a size with the same value in each cell: heat 1, boxes of one stride, no offsets. */
static float *make_maps(struct setting *setting, uint32_t height, uint32_t width)
{
    static const uint32_t maps[] = {1, 2, 2, 10};
    const size_t plane = (size_t)height * width;
    float *values = calloc(15 * plane, sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < plane; i++)
        values[i] = 1.0f;
    const float *at = values;
    for (uint32_t purpose = 0; purpose < 4; purpose++) {
        set_output(setting, purpose, at, 3, (const uint32_t[]){maps[purpose], height, width});
        at += maps[purpose] * plane;
    }
    return values;
}

static void a_cell_becomes_one_record_with_five_points(void **state)
{
    const struct rung__candidate expected = {32, 0, 32, 32, 65535, 0, 1, 1, 1};
    struct setting setting;
    (void)state;
    start(&setting, RUNG_HEAD_CENTERNET, 4);
    float *maps = make_maps(&setting, 2, 2);
    run_head(&setting, RUNG_HEAD_CENTERNET);
    assert_int_equal(setting.decoded.count, 4);
    assert_int_equal(setting.decoded.points_per, 5);
    assert_memory_equal(&setting.decoded.candidates[1], &expected, sizeof expected);
    for (size_t i = 0; i < 5; i++) { /* at the box's corner: 4, 0 in pixels */
        assert_int_equal(setting.decoded.points[2 * (5 + i)], 4 * 256);
        assert_int_equal(setting.decoded.points[2 * (5 + i) + 1], 0);
    }
    free(maps);
    finish(&setting);
}

static void any_value_of_a_cell_can_drop_it(void **state)
{
    (void)state;
    for (size_t map = 0; map < 15; map++) {
        struct setting setting;
        start(&setting, RUNG_HEAD_CENTERNET, 4);
        float *maps = make_maps(&setting, 2, 2);
        maps[map * 4 + 2] = rung__f32_from_bits(0x7f800000);
        run_head(&setting, RUNG_HEAD_CENTERNET);
        assert_int_equal(setting.decoded.count, 3);
        assert_int_equal(setting.decoded.rows[2], 3);
        free(maps);
        finish(&setting);
    }
}

/** 65,535 stands for no payload, so the candidate of that number has none. */
static void the_last_of_65536_candidates_has_no_points(void **state)
{
    struct setting setting;
    (void)state;
    start(&setting, RUNG_HEAD_CENTERNET, RUNG__CAPACITY_MAX);
    setting.canvas.width = setting.canvas.height = 1028;
    const struct rung__placement placement = {{0, 0, 1028, 1028}, 1028, 1028, 0, 0};
    rung__mapping(&placement, 1028, 1028, &setting.mapping);
    float *maps = make_maps(&setting, 257, 257);
    run_head(&setting, RUNG_HEAD_CENTERNET);
    assert_int_equal(setting.decoded.survivors, 257 * 257);
    assert_int_equal(setting.decoded.count, RUNG__CAPACITY_MAX);
    for (uint32_t i = 0; i < RUNG__CAPACITY_MAX; i++)
        assert_int_equal(setting.decoded.candidates[i].payload, i);
    free(maps);
    finish(&setting);
}

/* ---- the range of scores ------------------------------------------------------------------ */

/** Ends the test when a score has a confidence but is not in the range of that confidence. */
static void assert_in_range_of(float score, bool is_logit, const float *least)
{
    const uint16_t confidence =
        is_logit ? rung__sigmoid_confidence(score) : rung__confidence(score);
    if (confidence && !(score >= least[confidence]))
        fail_msg("%.9g has confidence %u, but the range begins at %.9g", (double)score, confidence,
                 (double)least[confidence]);
}

/** Scores of every size in steps of some 2^`bits` next ones. */
static void assert_no_score_is_missed(bool is_logit, struct sweep *sweep, uint32_t bits)
{
    static float least[65536];
    for (uint32_t confidence = 1; confidence <= 65535; confidence++) {
        const struct rung__scan_range range = rung__decode_range((uint16_t)confidence, is_logit);
        least[confidence] = range.least;
        assert_true(range.below == 0x1p32f);
        /* It is no looser than it says: a step of 1/128 where the sigmoid is steepest. */
        const uint16_t lower =
            is_logit ? rung__sigmoid_confidence(range.least) : rung__confidence(range.least);
        assert_in_range(lower + (is_logit ? 129 : 1), confidence, 65535 + 129);
    }
    for (uint32_t at = 0; at < 0x4f800000u; at += sweep_range(sweep, 1, 2u << bits)) {
        assert_in_range_of(rung__f32_from_bits(at), is_logit, least);
        assert_in_range_of(rung__f32_from_bits(0x80000000u | at), is_logit, least);
    }
}

static void the_range_of_a_confidence_misses_no_score(void **state)
{
    struct sweep sweep = sweep_start("range");
    (void)state;
    assert_no_score_is_missed(false, &sweep, 8);
    assert_no_score_is_missed(true, &sweep, 8);
}

static void every_head_but_none_has_a_decoder(void **state)
{
    struct rung__decode_kernels kernels;
    (void)state;
    memset(&kernels, 0xa5, sizeof kernels);
    rung__decode_init(&kernels, UINT64_MAX);
    assert_null(kernels.heads[RUNG_HEAD_NONE]);
    for (uint32_t head = RUNG_HEAD_ROWS; head <= RUNG_HEAD_FASTESTDET; head++)
        assert_non_null(kernels.heads[head]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_becomes_one_record),
        cmocka_unit_test(no_rows_give_no_candidates),
        cmocka_unit_test(a_value_that_is_not_usable_drops_its_row),
        cmocka_unit_test(only_whole_classes_up_to_255_count),
        cmocka_unit_test(boxes_without_extent_are_dropped),
        cmocka_unit_test(the_first_rows_up_to_the_capacity_are_kept),
        cmocka_unit_test(a_cell_becomes_one_record_with_five_points),
        cmocka_unit_test(any_value_of_a_cell_can_drop_it),
        cmocka_unit_test(the_last_of_65536_candidates_has_no_points),
        cmocka_unit_test(the_range_of_a_confidence_misses_no_score),
        cmocka_unit_test(every_head_but_none_has_a_decoder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
