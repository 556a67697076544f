/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of random outputs of every head. */
#include "check_operations.h"

#include <stdio.h>

#include "decoding.h"

#define CASES 400u

/** A number of rows or columns up to `high`, of which small ones are as likely as large ones. */
static uint32_t size_up_to(struct sweep *sweep, uint32_t high)
{
    return sweep_range(sweep, 1, sweep_range(sweep, 1, high));
}

static bool coin(struct sweep *sweep)
{
    return sweep_bits(sweep) >> 31;
}

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
        const uint32_t anchors = size_up_to(sweep, 3000);
        const uint32_t classes = size_up_to(sweep, 90000 / anchors > 256 ? 256 : 90000 / anchors);
        struct decoding decoding;
        decoding_start(&decoding, sweep, RUNG_HEAD_YOLO, coin(sweep), 640, 480);
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
    decoding.selection = (struct rung__selection){.min_confidence = 16384};
    decoding.rarity = 0;
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
        const uint32_t queries = size_up_to(sweep, 900), classes = size_up_to(sweep, 256);
        struct decoding decoding;
        decoding_start(&decoding, sweep, RUNG_HEAD_DETR, true, 640, 480);
        make_detr(&decoding, sweep, queries, classes);
        decoding_compare(check, &decoding, queries * classes);
        decoding_free(&decoding);
    }
}

/** 300 queries of 91 classes: logits −10 to 2, of which those of a confidence and more count. */
static void time_detr(struct kernel_check *check, uint16_t least)
{
    struct sweep sweep = {1};
    struct decoding decoding;
    char what[80];
    decoding_start(&decoding, &sweep, RUNG_HEAD_DETR, true, 640, 640);
    decoding.selection = (struct rung__selection){.min_confidence = least};
    decoding.rarity = 0;
    make_detr(&decoding, &sweep, 300, 91);
    decoding_numbers(&decoding, &sweep, (float *)decoding.outputs[0].bytes, (size_t)300 * 91, 1,
                     -10, 2);
    snprintf(what, sizeof what, "300 x 91, confidence %u and more", least);
    decoding_time(check, &decoding, what);
    decoding_free(&decoding);
}

void time_decode_detr(struct kernel_check *check)
{
    time_detr(check, 32768);
    time_detr(check, 655);
    time_detr(check, 1);
}
