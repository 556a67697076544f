/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of random outputs of the heads whose rows are boxes of a list. */
#include "check_operations.h"

#include <stdio.h>

#include "decoding.h"

#define CASES 400u

/* ---- yolo ---------------------------------------------------------------------------------- */

static void make_yolo(struct decoding *decoding, struct sweep *sweep, uint32_t anchors,
                      uint32_t classes)
{
    const double width = decoding->canvas.width, height = decoding->canvas.height;
    const size_t plane = anchors;
    decoding_flag(decoding, RUNG__PARAMETER_LOGITS, decoding->logits);
    float *values = decoding_output(decoding, 0, 2, (const uint32_t[]){4 + classes, anchors});
    decoding_numbers(decoding, sweep, values, plane, 1, -10, width + 10);
    decoding_numbers(decoding, sweep, values + plane, plane, 1, -10, height + 10);
    decoding_numbers(decoding, sweep, values + 2 * plane, plane, 1, -1, width / 3);
    decoding_numbers(decoding, sweep, values + 3 * plane, plane, 1, -1, height / 3);
    decoding_scores(decoding, sweep, values + 4 * plane, classes * plane, 1);
}

void check_decode_yolo(struct kernel_check *check)
{
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < CASES * check->effort && !check->failed; i++) {
        const uint32_t anchors = decoding_size(sweep, 3000);
        const uint32_t classes =
            decoding_size(sweep, 90000 / anchors > 256 ? 256 : 90000 / anchors);
        struct decoding decoding;
        decoding_start(&decoding, sweep, RUNG_HEAD_YOLO, decoding_coin(sweep), 640, 480);
        make_yolo(&decoding, sweep, anchors, classes);
        decoding_compare(check, &decoding, anchors);
        decoding_free(&decoding);
    }
}

/** 8,400 anchors of 80 classes at 640 × 640, so many of them above a quarter, where 0.5 can be. */
static void time_yolo(struct kernel_check *check, uint32_t live)
{
    enum { ANCHORS = 8400, CLASSES = 80 };
    struct sweep sweep = {live};
    struct decoding decoding;
    char what[80];
    decoding_start(&decoding, &sweep, RUNG_HEAD_YOLO, false, 640, 640);
    decoding_calm(&decoding, 16384);
    make_yolo(&decoding, &sweep, ANCHORS, CLASSES);
    float *scores = (float *)decoding.outputs[0].bytes + (size_t)4 * ANCHORS;
    decoding_numbers(&decoding, &sweep, scores, (size_t)CLASSES * ANCHORS, 1, 0, 0.1);
    for (uint32_t i = 0; i < live; i++) {
        const size_t anchor = (size_t)i * ANCHORS / live;
        scores[sweep_range(&sweep, 0, CLASSES - 1) * (size_t)ANCHORS + anchor] = 0.5f;
    }
    snprintf(what, sizeof what, "84 x 8400, %u live", live);
    decoding_time(check, &decoding, what);
    decoding_free(&decoding);
}

void time_decode_yolo(struct kernel_check *check)
{
    time_yolo(check, 100);
    time_yolo(check, 1000);
    time_yolo(check, 8400);
}

/* ---- detr ---------------------------------------------------------------------------------- */

static void make_detr(struct decoding *decoding, struct sweep *sweep, uint32_t queries,
                      uint32_t classes)
{
    float *logits = decoding_output(decoding, 0, 2, (const uint32_t[]){queries, classes});
    float *boxes = decoding_output(decoding, 1, 2, (const uint32_t[]){queries, 4});
    decoding_scores(decoding, sweep, logits, (size_t)queries * classes, 1);
    for (uint32_t part = 0; part < 4; part++)
        decoding_numbers(decoding, sweep, boxes + part, queries, 4, -0.02, part < 2 ? 1.02 : 0.3);
}

void check_decode_detr(struct kernel_check *check)
{
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < CASES * check->effort && !check->failed; i++) {
        const uint32_t queries = decoding_size(sweep, 900), classes = decoding_size(sweep, 256);
        struct decoding decoding;
        decoding_start(&decoding, sweep, RUNG_HEAD_DETR, true, 640, 480);
        make_detr(&decoding, sweep, queries, classes);
        decoding_compare(check, &decoding, queries * classes);
        decoding_free(&decoding);
    }
}

/** Rules of which most leave much out: a low threshold, and fewer considered than there are. */
static struct rung__selection few_considered(struct sweep *sweep, const struct rung__selection *of,
                                             uint32_t rows)
{
    struct rung__selection rules = *of;
    static const uint32_t considered[] = {6, 600, 4000};
    rules.capacity = decoding_coin(sweep) ? rows : decoding_size(sweep, rows);
    rules.considered = decoding_size(sweep, considered[sweep_range(sweep, 0, 2)]);
    if (rules.considered > rules.capacity)
        rules.considered = rules.capacity;
    rules.max_targets = decoding_size(sweep, rules.considered);
    rules.iou = (uint16_t)sweep_range(sweep, 1, 65535);
    rules.flags = decoding_coin(sweep) ? RUNG_SUPPRESS : 0;
    if (decoding_coin(sweep))
        rules.min_confidence = (uint16_t)decoding_size(sweep, 2000);
    if (rules.band_confidence > rules.min_confidence)
        rules.band_confidence = 1;
    return rules;
}

/** Logits so near that some differ by less than their confidences do, and many empty boxes. */
static void crowd_detr(struct decoding *decoding, struct sweep *sweep, uint32_t queries,
                       uint32_t classes)
{
    const double middle = (double)sweep_range(sweep, 0, 16) - 8;
    float *boxes = (float *)decoding->outputs[1].bytes;
    decoding_numbers(decoding, sweep, (float *)decoding->outputs[0].bytes,
                     (size_t)queries * classes, 1, middle, middle + 0.03);
    decoding_numbers(decoding, sweep, boxes + 2, queries, 4, -0.3, 0.3);
}

void check_decode_considered(struct kernel_check *check)
{
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < CASES * check->effort && !check->failed; i++) {
        const uint32_t queries = decoding_size(sweep, 600), classes = decoding_size(sweep, 100);
        struct decoding decoding;
        decoding_start(&decoding, sweep, RUNG_HEAD_DETR, true, 640, 480);
        decoding.selection = few_considered(sweep, &decoding.selection, queries * classes);
        make_detr(&decoding, sweep, queries, classes);
        if (sweep_range(sweep, 0, 2) == 0)
            crowd_detr(&decoding, sweep, queries, classes);
        decoding_compare_considered(check, &decoding, queries * classes);
        decoding_free(&decoding);
    }
}

/**
 * Queries of 91 classes: logits −10 to 2, of which those of a confidence and more count, and so
 * many are considered; 0: all.
 */
static void time_detr(struct kernel_check *check, uint32_t queries, uint16_t least,
                      uint32_t considered)
{
    struct sweep sweep = {1};
    struct decoding decoding;
    char what[80];
    decoding_start(&decoding, &sweep, RUNG_HEAD_DETR, true, 640, 640);
    decoding_calm(&decoding, least);
    make_detr(&decoding, &sweep, queries, 91);
    decoding_numbers(&decoding, &sweep, (float *)decoding.outputs[0].bytes, (size_t)queries * 91, 1,
                     -10, 2);
    decoding.selection.considered = decoding.selection.max_targets = considered;
    snprintf(what, sizeof what, "%u x 91, confidence %u and more, first %u", queries, least,
             considered);
    decoding_time(check, &decoding, what);
    decoding_free(&decoding);
}

void time_decode_detr(struct kernel_check *check)
{
    time_detr(check, 300, 32768, 0);
    time_detr(check, 300, 655, 0);
    time_detr(check, 300, 1, 0);
}

void time_decode_considered(struct kernel_check *check)
{
    time_detr(check, 300, 57000, 300);
    time_detr(check, 300, 1, 300);
    time_detr(check, 100, 1, 100);
    time_detr(check, 900, 655, 900);
}

/* ---- rows, yolo-e2e ------------------------------------------------------------------------ */

static void make_six(struct decoding *decoding, struct sweep *sweep, uint32_t rows, double width,
                     double height)
{
    decoding_flag(decoding, RUNG__PARAMETER_LOGITS, decoding->logits);
    float *values = decoding_output(decoding, 0, 2, (const uint32_t[]){rows, 6});
    for (uint32_t part = 0; part < 4; part++)
        decoding_numbers(decoding, sweep, values + part, rows, 6, 0, part % 2 ? height : width);
    decoding_scores(decoding, sweep, values + 4, rows, 6);
    for (uint32_t row = 0; row < rows; row++) /* now and then not whole, or too high */
        values[6 * row + 5] = (float)sweep_range(sweep, 0, 2080) / (row % 8 ? 1.0f : 8.0f);
}

static void check_six(struct kernel_check *check, uint32_t head, double width, double height)
{
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < CASES * check->effort && !check->failed; i++) {
        const uint32_t rows = decoding_size(sweep, 3000);
        struct decoding decoding;
        decoding_start(&decoding, sweep, head, decoding_coin(sweep), 640, 480);
        make_six(&decoding, sweep, rows, width, height);
        decoding_compare(check, &decoding, rows);
        decoding_free(&decoding);
    }
}

/** One row in twenty above the least confidence. */
static void time_six(struct kernel_check *check, uint32_t head, uint32_t rows)
{
    struct sweep sweep = {1};
    struct decoding decoding;
    char what[80];
    decoding_start(&decoding, &sweep, head, false, 640, 640);
    decoding_calm(&decoding, 62258);
    make_six(&decoding, &sweep, rows, 640, 640);
    decoding_numbers(&decoding, &sweep, (float *)decoding.outputs[0].bytes + 4, rows, 6, 0, 1);
    snprintf(what, sizeof what, "%u x 6", rows);
    decoding_time(check, &decoding, what);
    decoding_free(&decoding);
}

void check_decode_rows(struct kernel_check *check)
{
    check_six(check, RUNG_HEAD_ROWS, 0.7, 0.7);
}

void time_decode_rows(struct kernel_check *check)
{
    time_six(check, RUNG_HEAD_ROWS, 1000);
}

void check_decode_yolo_e2e(struct kernel_check *check)
{
    check_six(check, RUNG_HEAD_YOLO_E2E, 640, 480);
}

void time_decode_yolo_e2e(struct kernel_check *check)
{
    time_six(check, RUNG_HEAD_YOLO_E2E, 300);
}

/* ---- yolo-obj ------------------------------------------------------------------------------ */

/** On grids of the strides when there are any, else boxes of `rows`. Returns the rows. */
static uint32_t make_yolo_obj(struct decoding *decoding, struct sweep *sweep,
                              const uint32_t *strides, uint32_t stride_count, uint32_t rows,
                              uint32_t classes)
{
    const bool raw = stride_count > 0;
    const double width = decoding->canvas.width, height = decoding->canvas.height;
    const uint32_t columns = 5 + classes;
    decoding_flag(decoding, RUNG__PARAMETER_LOGITS, decoding->logits);
    decoding_flag(decoding, RUNG__PARAMETER_RAW, raw);
    if (raw) {
        decoding_parameter(decoding, RUNG__PARAMETER_STRIDES, strides, stride_count);
        rows = 0;
        for (uint32_t i = 0; i < stride_count; i++)
            rows += decoding->canvas.width / strides[i] * (decoding->canvas.height / strides[i]);
    }
    float *values = decoding_output(decoding, 0, 2, (const uint32_t[]){rows, columns});
    decoding_numbers(decoding, sweep, values, rows, columns, raw ? -2 : -10, raw ? 2 : width);
    decoding_numbers(decoding, sweep, values + 1, rows, columns, raw ? -2 : -10, raw ? 2 : height);
    decoding_numbers(decoding, sweep, values + 2, rows, columns, -1, raw ? 3 : width / 3);
    decoding_numbers(decoding, sweep, values + 3, rows, columns, -1, raw ? 3 : height / 3);
    for (uint32_t row = 0; row < rows; row++)
        decoding_scores(decoding, sweep, values + (size_t)row * columns + 4, 1 + classes, 1);
    return rows;
}

void check_decode_yolo_obj(struct kernel_check *check)
{
    static const uint32_t strides[] = {8, 16, 32};
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < CASES * check->effort && !check->failed; i++) {
        const uint32_t width = 32 * decoding_size(sweep, 8), height = 32 * decoding_size(sweep, 6);
        struct decoding decoding;
        decoding_start(&decoding, sweep, RUNG_HEAD_YOLO_OBJ, decoding_coin(sweep), width, height);
        const uint32_t rows = make_yolo_obj(&decoding, sweep, strides, sweep_range(sweep, 0, 3),
                                            decoding_size(sweep, 1500), decoding_size(sweep, 90));
        decoding_compare(check, &decoding, rows);
        decoding_free(&decoding);
    }
}

/** YOLOX's grids at 640 × 640, of which so many rows have an objectness that counts. */
static void time_yolo_obj(struct kernel_check *check, uint32_t live)
{
    static const uint32_t strides[] = {8, 16, 32};
    struct sweep sweep = {live};
    struct decoding decoding;
    char what[80];
    decoding_start(&decoding, &sweep, RUNG_HEAD_YOLO_OBJ, false, 640, 640);
    decoding_calm(&decoding, 16384);
    const uint32_t rows = make_yolo_obj(&decoding, &sweep, strides, 3, 0, 80);
    float *values = (float *)decoding.outputs[0].bytes;
    for (uint32_t row = 0; row < rows; row++)
        decoding_numbers(&decoding, &sweep, values + (size_t)85 * row + 4, 81, 1, 0, 0.1);
    for (uint32_t i = 0; i < live; i++) {
        float *row = values + (size_t)85 * i * rows / live;
        row[4] = 0.9f;
        row[5 + sweep_range(&sweep, 0, 79)] = 0.9f;
    }
    snprintf(what, sizeof what, "%u x 85, %u live", rows, live);
    decoding_time(check, &decoding, what);
    decoding_free(&decoding);
}

void time_decode_yolo_obj(struct kernel_check *check)
{
    time_yolo_obj(check, 100);
    time_yolo_obj(check, 1000);
}
