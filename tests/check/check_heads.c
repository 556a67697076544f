/* SPDX-License-Identifier: Apache-2.0 */
/* Heads that no test vector describes, against docs/heads.md written once more in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "artifact/heads.h"
#include "guard.h"
#include "kernel/decode.h"
#include "kernel/exact.h"
#include "sweep.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define ROUNDS   60u
#define CAPACITY 4096u
#define WIDTH    128u
#define HEIGHT   64u

/** What the double formula says of a row, in canvas pixels. */
struct expected {
    double left, right, top, bottom, score;
    uint32_t class_id;
    double points[10];
};

/** A canvas that shows a picture of twice its sides, so that a canvas pixel has 16 units. */
struct setting {
    struct rung__canvas canvas;
    struct rung__mapping mapping;
    struct rung__selection selection;
    struct rung__tensors tensors;
    struct rung__decode_request request;
    struct rung__decoded decoded;
    struct guarded candidates, points, rows;
    struct guarded data[RUNG__OUTPUTS_MAX];
    uint8_t values[RUNG__PARAMETERS_MAX][RUNG__PARAMETER_COUNT_MAX * 4];
};

static void start(struct setting *setting)
{
    const struct rung__placement placement = {{0, 0, 2 * WIDTH, 2 * HEIGHT}, WIDTH, HEIGHT, 0, 0};
    *setting = (struct setting){
        .canvas = {.width = WIDTH, .height = HEIGHT, .channels = 3},
        .selection = {.min_confidence = 1, .capacity = CAPACITY},
        .candidates = guard_bytes(CAPACITY * sizeof(struct rung__candidate), 0xa5),
        .points = guard_bytes((size_t)CAPACITY * 5 * 8, 0xa5),
        .rows = guard_bytes(CAPACITY * sizeof(uint32_t), 0xa5),
    };
    rung__mapping(&placement, 2 * WIDTH, 2 * HEIGHT, &setting->mapping);
    setting->request.canvas = &setting->canvas;
    setting->request.mapping = &setting->mapping;
    setting->request.selection = &setting->selection;
    setting->request.tensors = &setting->tensors;
    setting->decoded.candidates = (struct rung__candidate *)setting->candidates.bytes;
    setting->decoded.points = (int32_t *)setting->points.bytes;
    setting->decoded.rows = (uint32_t *)setting->rows.bytes;
}

static void finish(struct setting *setting)
{
    for (uint32_t i = 0; i < RUNG__OUTPUTS_MAX; i++)
        guard_free(&setting->data[i]);
    guard_free(&setting->rows);
    guard_free(&setting->points);
    guard_free(&setting->candidates);
}

static void set_parameter(struct setting *setting, uint32_t key, const uint32_t *values,
                          uint32_t count)
{
    struct rung__tensors *tensors = &setting->tensors;
    uint8_t *bytes = setting->values[tensors->parameter_count];
    for (uint32_t i = 0; i < count; i++)
        rung__put_u32(bytes + 4 * (size_t)i, values[i]);
    tensors->parameters[tensors->parameter_count++] = (struct rung__parameter){
        key, rung__parameter_kind_of(key)->type, count, {bytes, 4 * (size_t)count}};
}

static void set_flag(struct setting *setting, uint32_t key, bool on)
{
    set_parameter(setting, key, (const uint32_t[]){on}, 1);
}

/** An output of shape [1, dims…] that ends at a guard page. */
static float *set_output(struct setting *setting, uint32_t purpose, uint32_t rank,
                         const uint32_t *dims)
{
    struct rung__tensor *tensor = &setting->tensors.outputs[setting->tensors.output_count++];
    size_t count = 1;
    *tensor = (struct rung__tensor){
        .purpose = purpose, .dtype = RUNG_DTYPE_F32, .rank = rank + 1, .dims = {1}};
    memcpy(tensor->dims + 1, dims, rank * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++)
        count *= dims[i];
    setting->data[purpose] = guard_bytes(count * sizeof(float), 0);
    float *values = (float *)setting->data[purpose].bytes;
    setting->request.outputs[purpose] = (struct rung__values){values, tensor};
    return values;
}

/** A number in low..high. */
static float number(struct sweep *sweep, double low, double high)
{
    return (float)(low + (high - low) * (sweep_bits(sweep) >> 8) / 16777215.0);
}

static void fill(struct sweep *sweep, float *values, size_t count, double low, double high)
{
    for (size_t i = 0; i < count; i++)
        values[i] = number(sweep, low, high);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double score(float value, bool is_logit)
{
    return is_logit ? sigmoid((double)value) : (double)value;
}

/* ---- comparing ---------------------------------------------------------------------------- */

static double units(double canvas, uint32_t side)
{
    const double unit = canvas * 16;
    return unit < 0 ? 0 : unit > 16.0 * side ? 16.0 * side : unit;
}

static void assert_near(double got, double wanted, double within)
{
    if (!(fabs(got - wanted) <= within))
        fail_msg("%.9g instead of %.9g, allowed %.3g", got, wanted, within);
}

/** Rounding to a unit is all that may lie between the two, with a little for f32. */
static void assert_record(const struct setting *setting, uint32_t index,
                          const struct expected *expected)
{
    const struct rung__candidate *record = &setting->decoded.candidates[index];
    const double unit = 0.51;
    assert_near(record->x, units(expected->left, WIDTH), unit);
    assert_near(record->x + record->w, units(expected->right, WIDTH), unit);
    assert_near(record->y, units(expected->top, HEIGHT), unit);
    assert_near(record->y + record->h, units(expected->bottom, HEIGHT), unit);
    assert_near(record->confidence, expected->score * 65535, 1.6);
    assert_int_equal(record->class_id, expected->class_id);
    for (uint32_t i = 0; i < 2 * setting->decoded.points_per; i++) {
        const int32_t q8 = setting->decoded.points[index * 10 + i];
        assert_near(q8 / 32.0, units(expected->points[i], i % 2 ? HEIGHT : WIDTH), unit);
    }
    assert_int_equal(record->payload, setting->decoded.points_per ? index : RUNG__NO_PAYLOAD);
}

/** True when the box surely keeps some extent on both axes inside the picture. */
static bool is_surely_kept(const struct expected *expected)
{
    return units(expected->right, WIDTH) - units(expected->left, WIDTH) > 2 &&
           units(expected->bottom, HEIGHT) - units(expected->top, HEIGHT) > 2;
}

/** Runs a head and compares all rows; boxes almost without extent may be there or not. */
static void check(struct setting *setting, uint32_t head, const struct expected *expected,
                  uint32_t rows)
{
    const struct rung__header header = {
        .role = RUNG_ROLE_DETECTOR, .head = head, .canvas = setting->canvas};
    struct rung__decode_kernels kernels;
    uint32_t index = 0;
    assert_int_equal(rung__head_contract(head)->check(&header, &setting->tensors), RUNG_OK);
    rung__decode_init(&kernels, 0);
    kernels.heads[head](&setting->request, &setting->decoded);
    assert_int_equal(setting->decoded.count, setting->decoded.survivors);
    for (uint32_t row = 0; row < rows; row++) {
        const bool is_there = index < setting->decoded.count && setting->decoded.rows[index] == row;
        if (is_surely_kept(&expected[row]))
            assert_true(is_there);
        if (is_there)
            assert_record(setting, index++, &expected[row]);
    }
    assert_int_equal(index, setting->decoded.count);
}

/* ---- strided ------------------------------------------------------------------------------ */

/** Which form of the head a round has. */
struct strided_form {
    bool logits, distances, objectness, points;
    uint32_t anchors;
};

static struct strided_form strided_form(uint32_t round)
{
    return (struct strided_form){
        .logits = (round & 1) != 0,
        .distances = (round & 2) != 0,
        .objectness = (round & 4) != 0,
        .points = (round & 8) != 0,
        .anchors = 1 + round % 3,
    };
}

static void expect_strided(const struct strided_form *form, double stride, double x, double y,
                           const float *const tables[RUNG__STRIDED_PARTS], size_t row,
                           struct expected *out)
{
    const float *box = tables[RUNG__STRIDED_BOX] + 4 * row;
    *out = (struct expected){.score = score(tables[RUNG__STRIDED_SCORE][row], form->logits)};
    if (form->objectness)
        out->score *= score(tables[RUNG__STRIDED_OBJECTNESS][row], form->logits);
    if (form->distances) {
        out->left = (x - (double)box[0]) * stride;
        out->top = (y - (double)box[1]) * stride;
        out->right = (x + (double)box[2]) * stride;
        out->bottom = (y + (double)box[3]) * stride;
    } else {
        const double w = exp((double)box[2]) * stride, h = exp((double)box[3]) * stride;
        out->left = (x + (double)box[0]) * stride - w / 2;
        out->top = (y + (double)box[1]) * stride - h / 2;
        out->right = out->left + w;
        out->bottom = out->top + h;
    }
    for (size_t i = 0; form->points && i < 10; i++)
        out->points[i] =
            ((i % 2 ? y : x) + (double)tables[RUNG__STRIDED_POINTS][10 * row + i]) * stride;
}

/** The tables of a stride, filled, and what they mean. Returns the rows. */
static uint32_t make_level(struct setting *setting, struct sweep *sweep,
                           const struct strided_form *form, uint32_t level, uint32_t stride,
                           struct expected *expected)
{
    const uint32_t width = WIDTH / stride, height = HEIGHT / stride;
    const uint32_t rows = width * height * form->anchors;
    const bool has[] = {true, form->objectness, true, form->points};
    static const uint32_t columns[] = {1, 1, 4, 10};
    float *tables[RUNG__STRIDED_PARTS] = {NULL};
    for (uint32_t part = 0; part < RUNG__STRIDED_PARTS; part++) {
        if (!has[part])
            continue;
        const bool is_score = part < RUNG__STRIDED_BOX;
        tables[part] = set_output(setting, level * RUNG__STRIDED_PARTS + part, 2,
                                  (const uint32_t[]){rows, columns[part]});
        fill(sweep, tables[part], (size_t)rows * columns[part],
             is_score && !form->logits ? 0.05 : -2, is_score && !form->logits ? 1 : 2);
    }
    for (uint32_t row = 0; row < rows; row++) {
        const uint32_t cell = row / form->anchors, y = cell / width;
        expect_strided(form, stride, cell % width, y, (const float *const *)tables, row,
                       &expected[row]);
    }
    return rows;
}

static void strided_follows_its_formula(void **state)
{
    static const uint32_t strides[] = {8, 32, 16};
    static struct expected expected[CAPACITY];
    struct sweep sweep = sweep_start("strided");
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const struct strided_form form = strided_form(round);
        const uint32_t levels = 1 + round % COUNT(strides);
        struct setting setting;
        uint32_t rows = 0;
        start(&setting);
        set_parameter(&setting, RUNG__PARAMETER_STRIDES, strides, levels);
        set_parameter(&setting, RUNG__PARAMETER_ANCHORS, &form.anchors, form.anchors > 1);
        set_flag(&setting, RUNG__PARAMETER_LOGITS, form.logits);
        set_flag(&setting, RUNG__PARAMETER_DISTANCES, form.distances);
        for (uint32_t i = 0; i < levels; i++)
            rows += make_level(&setting, &sweep, &form, i, strides[i], expected + rows);
        check(&setting, RUNG_HEAD_STRIDED, expected, rows);
        finish(&setting);
    }
}

/* ---- ssd ---------------------------------------------------------------------------------- */

enum { SSD_ROWS = 8 * 4 * 2 + 3 * 2 * 1 };
static const uint32_t ssd_maps[] = {8, 4, 3, 2}, ssd_map_boxes[] = {2, 1};
static const uint32_t ssd_sides[] = {10, 40, 100}; /* the last is higher than the canvas */

/** Centre and size of the prior of a row, by counting through the maps. */
static void prior_of(uint32_t row, double prior[4])
{
    const bool is_second = row >= 64;
    const uint32_t columns = is_second ? 3 : 8;
    const uint32_t cell = is_second ? row - 64 : row / 2;
    const uint32_t x = cell % columns, y = cell / columns;
    const double side = is_second ? 100 : ssd_sides[row % 2];
    prior[0] = (x + 0.5) / columns;
    prior[1] = (y + 0.5) / (is_second ? 2 : 4);
    prior[2] = fmin(side / WIDTH, 1);
    prior[3] = fmin(side / HEIGHT, 1);
}

static void expect_ssd(const float *scores, uint32_t classes, bool logits, struct expected *out)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < classes; c++)
        if (scores[1 + c] > scores[1 + best])
            best = c;
    out->class_id = best;
    out->score = score(scores[1 + best], logits);
}

static void expect_prior(const float *box, uint32_t row, struct expected *out)
{
    double prior[4];
    prior_of(row, prior);
    const double cx = prior[0] + (double)box[0] * 0.1 * prior[2];
    const double cy = prior[1] + (double)box[1] * 0.1 * prior[3];
    const double w = prior[2] * exp((double)box[2] * 0.2), h = prior[3] * exp((double)box[3] * 0.2);
    out->left = (cx - w / 2) * WIDTH;
    out->right = (cx + w / 2) * WIDTH;
    out->top = (cy - h / 2) * HEIGHT;
    out->bottom = (cy + h / 2) * HEIGHT;
}

static void expect_corners(const float *box, struct expected *out)
{
    out->left = (double)box[0] * WIDTH;
    out->top = (double)box[1] * HEIGHT;
    out->right = (double)box[2] * WIDTH;
    out->bottom = (double)box[3] * HEIGHT;
}

static void ssd_follows_its_formula(void **state)
{
    static struct expected expected[SSD_ROWS];
    const uint32_t variances[] = {rung__f32_bits(0.1f), rung__f32_bits(0.2f)};
    struct sweep sweep = sweep_start("ssd");
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const bool logits = (round & 1) != 0, has_priors = (round & 2) != 0;
        const uint32_t classes = 1 + round % 5;
        struct setting setting;
        start(&setting);
        set_flag(&setting, RUNG__PARAMETER_LOGITS, logits);
        if (has_priors) {
            set_parameter(&setting, RUNG__PARAMETER_MAPS, ssd_maps, COUNT(ssd_maps));
            set_parameter(&setting, RUNG__PARAMETER_MAP_BOXES, ssd_map_boxes, 2);
            set_parameter(&setting, RUNG__PARAMETER_BOX_SIDES, ssd_sides, 3);
            set_parameter(&setting, RUNG__PARAMETER_VARIANCES, variances, 2);
        }
        float *scores = set_output(&setting, 0, 2, (const uint32_t[]){SSD_ROWS, classes + 1});
        float *boxes = set_output(&setting, 1, 2, (const uint32_t[]){SSD_ROWS, 4});
        fill(&sweep, scores, (size_t)SSD_ROWS * (classes + 1), logits ? -4 : 0.01, logits ? 4 : 1);
        fill(&sweep, boxes, (size_t)SSD_ROWS * 4, has_priors ? -3 : -0.2, has_priors ? 3 : 1.2);
        for (uint32_t row = 0; row < SSD_ROWS; row++) {
            expect_ssd(scores + (size_t)row * (classes + 1), classes, logits, &expected[row]);
            if (has_priors)
                expect_prior(boxes + 4 * (size_t)row, row, &expected[row]);
            else
                expect_corners(boxes + 4 * (size_t)row, &expected[row]);
        }
        check(&setting, RUNG_HEAD_SSD, expected, SSD_ROWS);
        finish(&setting);
    }
}

/* ---- fastestdet --------------------------------------------------------------------------- */

#define FAST_STRIDE 16u
#define FAST_CELLS  ((size_t)(WIDTH / FAST_STRIDE) * (HEIGHT / FAST_STRIDE))

static void expect_fastestdet(const float *maps, uint32_t classes, uint32_t cell, bool logits,
                              struct expected *out)
{
    const uint32_t x = cell % (WIDTH / FAST_STRIDE), y = cell / (WIDTH / FAST_STRIDE);
    const double cx = (x + tanh((double)maps[FAST_CELLS + cell])) * FAST_STRIDE;
    const double cy = (y + tanh((double)maps[2 * FAST_CELLS + cell])) * FAST_STRIDE;
    const double w = sigmoid((double)maps[3 * FAST_CELLS + cell]) * WIDTH;
    const double h = sigmoid((double)maps[4 * FAST_CELLS + cell]) * HEIGHT;
    const float *scores = maps + 5 * FAST_CELLS + cell;
    uint32_t best = 0;
    for (uint32_t c = 1; c < classes; c++)
        if (scores[c * FAST_CELLS] > scores[best * FAST_CELLS])
            best = c;
    *out = (struct expected){cx - w / 2, cx + w / 2, cy - h / 2, cy + h / 2, 0, best, {0}};
    out->score =
        pow(score(maps[cell], logits), 0.6) * pow(score(scores[best * FAST_CELLS], logits), 0.4);
}

static void fastestdet_follows_its_formula(void **state)
{
    static struct expected expected[FAST_CELLS];
    const uint32_t stride = FAST_STRIDE;
    struct sweep sweep = sweep_start("fastestdet");
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const bool logits = (round & 1) != 0;
        const uint32_t classes = 1 + round % 7;
        struct setting setting;
        start(&setting);
        set_parameter(&setting, RUNG__PARAMETER_STRIDES, &stride, 1);
        set_flag(&setting, RUNG__PARAMETER_LOGITS, logits);
        float *maps =
            set_output(&setting, 0, 3,
                       (const uint32_t[]){5 + classes, HEIGHT / FAST_STRIDE, WIDTH / FAST_STRIDE});
        fill(&sweep, maps, (5 + classes) * FAST_CELLS, -3, 3);
        if (!logits) { /* the blend is steep near 0 */
            fill(&sweep, maps, FAST_CELLS, 0.05, 1);
            fill(&sweep, maps + 5 * FAST_CELLS, classes * FAST_CELLS, 0.05, 1);
        }
        for (uint32_t cell = 0; cell < FAST_CELLS; cell++)
            expect_fastestdet(maps, classes, cell, logits, &expected[cell]);
        check(&setting, RUNG_HEAD_FASTESTDET, expected, FAST_CELLS);
        finish(&setting);
    }
}

/* ---- rows that are dropped ---------------------------------------------------------------- */

static uint32_t count_of(struct setting *setting, uint32_t head)
{
    struct rung__decode_kernels kernels;
    rung__decode_init(&kernels, 0);
    kernels.heads[head](&setting->request, &setting->decoded);
    return setting->decoded.count;
}

/** Each value of each output in turn is infinite: just the rows that hold it are gone. */
static void assert_each_value_drops(struct setting *setting, uint32_t head, uint32_t rows)
{
    assert_int_equal(count_of(setting, head), rows);
    for (uint32_t i = 0; i < RUNG__OUTPUTS_MAX; i++) {
        float *values = (float *)setting->data[i].bytes;
        for (size_t v = 0; v < setting->data[i].size / sizeof *values; v++) {
            const float before = values[v];
            values[v] = rung__f32_from_bits(0x4f800000);
            assert_int_equal(count_of(setting, head), rows - 1);
            values[v] = before;
        }
    }
}

static void any_value_of_a_row_can_drop_it(void **state)
{
    const uint32_t stride = 32;
    struct sweep sweep = sweep_start("drop");
    struct setting setting;
    (void)state;

    start(&setting);
    set_parameter(&setting, RUNG__PARAMETER_STRIDES, &stride, 1);
    for (uint32_t part = 0; part < RUNG__STRIDED_PARTS; part++) {
        static const uint32_t columns[] = {1, 1, 4, 10};
        float *values = set_output(&setting, part, 2, (const uint32_t[]){8, columns[part]});
        fill(&sweep, values, (size_t)8 * columns[part], 0.3, 0.6);
    }
    assert_each_value_drops(&setting, RUNG_HEAD_STRIDED, 8);
    finish(&setting);

    start(&setting);
    fill(&sweep, set_output(&setting, 0, 2, (const uint32_t[]){6, 3}), 18, 0.3, 0.6);
    float *corners = set_output(&setting, 1, 2, (const uint32_t[]){6, 4});
    for (size_t i = 0; i < 24; i++)
        corners[i] = i % 4 < 2 ? 0.25f : 0.75f;
    assert_each_value_drops(&setting, RUNG_HEAD_SSD, 6);
    finish(&setting);

    start(&setting);
    set_parameter(&setting, RUNG__PARAMETER_STRIDES, &stride, 1);
    fill(&sweep, set_output(&setting, 0, 3, (const uint32_t[]){8, 2, 4}), 64, 0.3, 0.6);
    assert_each_value_drops(&setting, RUNG_HEAD_FASTESTDET, 8);
    finish(&setting);
}

/** Scores tie as the integers of their bits do: 0 and −0 are one, a subnormal is more. */
static void equal_scores_take_the_lower_class(void **state)
{
    static const struct {
        uint32_t first, second;
        uint32_t best;
    } cases[] = {{0x3f000000, 0x3f000000, 0}, {0x3f000000, 0x3f000001, 1},
                 {0xbf000000, 0xbf000001, 0}, {0xbf000001, 0xbf000000, 1},
                 {0x80000000, 0x00000000, 0}, {0x00000000, 0x80000000, 0},
                 {0x00000000, 0x00000001, 1}, {0x80000001, 0x80000000, 1}};
    static const float box[] = {0.25f, 0.25f, 0.75f, 0.75f};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct setting setting;
        start(&setting);
        set_flag(&setting, RUNG__PARAMETER_LOGITS, true);
        float *scores = set_output(&setting, 0, 2, (const uint32_t[]){1, 3});
        scores[0] = 100.0f; /* the background, which is no class */
        scores[1] = rung__f32_from_bits(cases[i].first);
        scores[2] = rung__f32_from_bits(cases[i].second);
        memcpy(set_output(&setting, 1, 2, (const uint32_t[]){1, 4}), box, sizeof box);
        assert_int_equal(count_of(&setting, RUNG_HEAD_SSD), 1);
        assert_int_equal(setting.decoded.candidates[0].class_id, cases[i].best);
        finish(&setting);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strided_follows_its_formula),
        cmocka_unit_test(ssd_follows_its_formula),
        cmocka_unit_test(fastestdet_follows_its_formula),
        cmocka_unit_test(any_value_of_a_row_can_drop_it),
        cmocka_unit_test(equal_scores_take_the_lower_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
