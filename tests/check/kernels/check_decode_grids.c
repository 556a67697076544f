/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of random outputs of the heads whose rows are the cells of grids. */
#include "check_operations.h"

#include <stdio.h>

#include "decoding.h"

#define CASES 400u

/* ---- centernet ----------------------------------------------------------------------------- */

static uint32_t make_centernet(struct decoding *decoding, struct sweep *sweep)
{
    static const uint32_t stride = 4, maps[] = {1, 2, 2, 10};
    const uint32_t width = decoding->canvas.width / stride;
    const uint32_t height = decoding->canvas.height / stride;
    const size_t plane = (size_t)width * height;
    float *values[4];
    decoding_parameter(decoding, RUNG__PARAMETER_STRIDES, &stride, 1);
    decoding_flag(decoding, RUNG__PARAMETER_LOGITS, decoding->logits);
    for (uint32_t i = 0; i < 4; i++)
        values[i] = decoding_output(decoding, i, 3, (const uint32_t[]){maps[i], height, width});
    decoding_scores(decoding, sweep, values[0], plane, 1);
    decoding_numbers(decoding, sweep, values[1], 2 * plane, 1, -1, 4);
    decoding_numbers(decoding, sweep, values[2], 2 * plane, 1, -0.5, 0.5);
    decoding_numbers(decoding, sweep, values[3], 10 * plane, 1, -0.2, 1.2);
    return (uint32_t)plane;
}

void check_decode_centernet(struct kernel_check *check)
{
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < CASES * check->effort && !check->failed; i++) {
        const uint32_t width = 4 * decoding_size(sweep, 90), height = 4 * decoding_size(sweep, 60);
        struct decoding decoding;
        decoding_start(&decoding, sweep, RUNG_HEAD_CENTERNET, decoding_coin(sweep), width, height);
        decoding_compare(check, &decoding, make_centernet(&decoding, sweep));
        decoding_free(&decoding);
    }
}

/** CenterFace at 640 × 640, with one cell in a hundred above the least confidence. */
void time_decode_centernet(struct kernel_check *check)
{
    struct sweep sweep = {1};
    struct decoding decoding;
    decoding_start(&decoding, &sweep, RUNG_HEAD_CENTERNET, false, 640, 640);
    decoding_calm(&decoding, 64880);
    make_centernet(&decoding, &sweep);
    decoding_numbers(&decoding, &sweep, (float *)decoding.outputs[0].bytes, (size_t)160 * 160, 1, 0,
                     1);
    decoding_time(check, &decoding, "160 x 160");
    decoding_free(&decoding);
}

/* ---- strided ------------------------------------------------------------------------------- */

static const uint32_t strides[] = {8, 16, 32};

/** Which form of the head it is. */
struct strided_form {
    bool distances, objectness, points;
    uint32_t strides, anchors;
};

static uint32_t make_strided(struct decoding *decoding, struct sweep *sweep,
                             const struct strided_form *form)
{
    const bool has[] = {true, form->objectness, true, form->points};
    static const uint32_t columns[] = {1, 1, 4, 10};
    uint32_t all = 0;
    decoding_parameter(decoding, RUNG__PARAMETER_STRIDES, strides, form->strides);
    decoding_flag(decoding, RUNG__PARAMETER_LOGITS, decoding->logits);
    decoding_flag(decoding, RUNG__PARAMETER_DISTANCES, form->distances);
    decoding_parameter(decoding, RUNG__PARAMETER_ANCHORS, &form->anchors, 1);
    for (uint32_t i = 0; i < form->strides; i++) {
        const uint32_t rows = decoding->canvas.width / strides[i] *
                              (decoding->canvas.height / strides[i]) * form->anchors;
        for (uint32_t part = 0; part < RUNG__STRIDED_PARTS; part++) {
            if (!has[part])
                continue;
            float *values = decoding_output(decoding, i * RUNG__STRIDED_PARTS + part, 2,
                                            (const uint32_t[]){rows, columns[part]});
            if (part < RUNG__STRIDED_BOX)
                decoding_scores(decoding, sweep, values, rows, 1);
            else
                decoding_numbers(decoding, sweep, values, (size_t)rows * columns[part], 1, -0.5, 2);
        }
        all += rows;
    }
    return all;
}

void check_decode_strided(struct kernel_check *check)
{
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < CASES * check->effort && !check->failed; i++) {
        const uint32_t width = 32 * decoding_size(sweep, 9), height = 32 * decoding_size(sweep, 7);
        const struct strided_form form = {
            .distances = decoding_coin(sweep),
            .objectness = decoding_coin(sweep),
            .points = decoding_coin(sweep),
            .strides = sweep_range(sweep, 1, 3),
            .anchors = sweep_range(sweep, 1, 3),
        };
        struct decoding decoding;
        decoding_start(&decoding, sweep, RUNG_HEAD_STRIDED, decoding_coin(sweep), width, height);
        decoding_compare(check, &decoding, make_strided(&decoding, sweep, &form));
        decoding_free(&decoding);
    }
}

/** At 640 × 640 with few rows above the least confidence. */
static void time_form(struct kernel_check *check, const struct strided_form *form, const char *what)
{
    struct sweep sweep = {1};
    struct decoding decoding;
    decoding_start(&decoding, &sweep, RUNG_HEAD_STRIDED, false, 640, 640);
    decoding_calm(&decoding, 64880);
    make_strided(&decoding, &sweep, form);
    decoding_time(check, &decoding, what);
    decoding_free(&decoding);
}

void time_decode_strided(struct kernel_check *check)
{
    time_form(check, &(struct strided_form){true, false, true, 3, 2}, "like SCRFD, 16,800 rows");
    time_form(check, &(struct strided_form){false, true, true, 3, 1}, "like YuNet, 8,400 rows");
}

/* ---- ssd ----------------------------------------------------------------------------------- */

/** Maps of priors with random sides, or none. */
struct ssd_form {
    bool has_priors;
    uint32_t rows, classes; /**< rows: without priors */
    uint32_t maps[4], map_boxes[2];
};

static uint32_t make_ssd(struct decoding *decoding, struct sweep *sweep,
                         const struct ssd_form *form)
{
    static const uint32_t variances[] = {0x3dcccccd, 0x3e4ccccd}; /* 0.1, 0.2 */
    const uint32_t *maps = form->maps, *boxes = form->map_boxes;
    const bool priors = form->has_priors;
    uint32_t sides[8], rows = form->rows;
    decoding_flag(decoding, RUNG__PARAMETER_LOGITS, decoding->logits);
    if (priors) {
        for (uint32_t i = 0; i < boxes[0] + boxes[1]; i++)
            sides[i] = sweep_range(sweep, 1, 700);
        rows = maps[0] * maps[1] * boxes[0] + maps[2] * maps[3] * boxes[1];
        decoding_parameter(decoding, RUNG__PARAMETER_MAPS, maps, 4);
        decoding_parameter(decoding, RUNG__PARAMETER_MAP_BOXES, boxes, 2);
        decoding_parameter(decoding, RUNG__PARAMETER_BOX_SIDES, sides, boxes[0] + boxes[1]);
        decoding_parameter(decoding, RUNG__PARAMETER_VARIANCES, variances, 2);
    }
    const size_t score_count = (size_t)rows * (1 + form->classes);
    float *scores = decoding_output(decoding, 0, 2, (const uint32_t[]){rows, 1 + form->classes});
    decoding_scores(decoding, sweep, scores, score_count, 1);
    float *values = decoding_output(decoding, 1, 2, (const uint32_t[]){rows, 4});
    decoding_numbers(decoding, sweep, values, (size_t)rows * 4, 1, priors ? -3 : -0.1,
                     priors ? 3 : 1.1);
    return rows;
}

void check_decode_ssd(struct kernel_check *check)
{
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < CASES * check->effort && !check->failed; i++) {
        struct ssd_form form = {
            .has_priors = decoding_coin(sweep),
            .rows = decoding_size(sweep, 1500),
            .classes = decoding_size(sweep, 90),
            .map_boxes = {sweep_range(sweep, 1, 4), sweep_range(sweep, 1, 4)},
        };
        struct decoding decoding;
        for (uint32_t side = 0; side < 4; side++)
            form.maps[side] = decoding_size(sweep, 20);
        decoding_start(&decoding, sweep, RUNG_HEAD_SSD, decoding_coin(sweep), 320, 240);
        decoding_compare(check, &decoding, make_ssd(&decoding, sweep, &form));
        decoding_free(&decoding);
    }
}

static void time_ssd(struct kernel_check *check, const struct ssd_form *form)
{
    struct sweep sweep = {1};
    struct decoding decoding;
    char what[80];
    decoding_start(&decoding, &sweep, RUNG_HEAD_SSD, false, 320, 240);
    decoding_calm(&decoding, 64880);
    const uint32_t rows = make_ssd(&decoding, &sweep, form);
    decoding_numbers(&decoding, &sweep, (float *)decoding.outputs[0].bytes,
                     (size_t)rows * (1 + form->classes), 1, 0, 0.98);
    for (uint32_t row = 0; row < rows; row += 100)
        ((float *)decoding.outputs[0].bytes)[row * (1 + form->classes) + 1] = 1;
    snprintf(what, sizeof what, "%u x %u", rows, 1 + form->classes);
    decoding_time(check, &decoding, what);
    decoding_free(&decoding);
}

void time_decode_ssd(struct kernel_check *check)
{
    /* UltraFace's two largest maps, and COCO's classes. */
    time_ssd(check, &(struct ssd_form){true, 0, 1, {40, 30, 20, 15}, {3, 2}});
    time_ssd(check, &(struct ssd_form){false, 1917, 90, {0}, {0}});
}

/* ---- fastestdet ---------------------------------------------------------------------------- */

static uint32_t make_fastestdet(struct decoding *decoding, struct sweep *sweep, uint32_t classes)
{
    static const uint32_t stride = 16;
    const uint32_t width = decoding->canvas.width / stride;
    const uint32_t height = decoding->canvas.height / stride;
    const size_t plane = (size_t)width * height;
    decoding_parameter(decoding, RUNG__PARAMETER_STRIDES, &stride, 1);
    decoding_flag(decoding, RUNG__PARAMETER_LOGITS, decoding->logits);
    float *values = decoding_output(decoding, 0, 3, (const uint32_t[]){5 + classes, height, width});
    decoding_scores(decoding, sweep, values, plane, 1);
    decoding_numbers(decoding, sweep, values + plane, 4 * plane, 1, -4, 4);
    decoding_scores(decoding, sweep, values + 5 * plane, classes * plane, 1);
    return (uint32_t)plane;
}

void check_decode_fastestdet(struct kernel_check *check)
{
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < CASES * check->effort && !check->failed; i++) {
        const uint32_t width = 16 * decoding_size(sweep, 40);
        const uint32_t height = 16 * decoding_size(sweep, 30);
        struct decoding decoding;
        decoding_start(&decoding, sweep, RUNG_HEAD_FASTESTDET, decoding_coin(sweep), width, height);
        decoding_compare(check, &decoding,
                         make_fastestdet(&decoding, sweep, decoding_size(sweep, 90)));
        decoding_free(&decoding);
    }
}

/** COCO at 352 × 352. */
void time_decode_fastestdet(struct kernel_check *check)
{
    struct sweep sweep = {1};
    struct decoding decoding;
    decoding_start(&decoding, &sweep, RUNG_HEAD_FASTESTDET, false, 352, 352);
    decoding_calm(&decoding, 58982);
    make_fastestdet(&decoding, &sweep, 80);
    decoding_time(check, &decoding, "85 x 22 x 22");
    decoding_free(&decoding);
}
