/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_scan.h"

#include "artifact/heads.h"

/*
 * `yolo`: [4 + C, A], a plane for each of centre x, centre y, width, height in canvas pixels and of
 * the C classes.
 */
enum { CX, CY, W, H, CLASSES };

static void decode_anchor(const struct rung__decode_request *request, const float *column,
                          size_t step, uint32_t anchor, uint32_t class_id, uint16_t confidence,
                          struct rung__decoded *decoded)
{
    const struct rung__box box = rung__decode_centred(column[CX * step], column[CY * step],
                                                      column[W * step], column[H * step]);
    struct rung__candidate candidate;
    if (rung__decode_candidate(request, &box, confidence, (uint8_t)class_id, &candidate))
        rung__decode_keep(request, decoded, &candidate, anchor);
}

void rung__decode_yolo_c(const struct rung__decode_request *request, struct rung__decoded *decoded)
{
    const struct rung__values *output = &request->outputs[0];
    const uint32_t planes = rung__decode_dim(output, 1), anchors = rung__decode_dim(output, 0);
    const bool logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0;
    const size_t step = anchors;
    rung__decode_start(decoded, 0);
    for (uint32_t a = 0; a < anchors; a++) {
        const float *column = output->data + a, *scores = column + CLASSES * step;
        if (!rung__decode_usable(column, planes, step))
            continue;
        const uint32_t best = rung__decode_best(scores, planes - CLASSES, step);
        const uint16_t confidence = rung__decode_score(scores[best * step], logits);
        if (rung__decode_may_pass(request->selection, confidence))
            decode_anchor(request, column, step, a, best, confidence, decoded);
    }
}

void rung__decode_yolo_scan(const struct rung__decode_request *request,
                            struct rung__decoded *decoded)
{
    const struct rung__values *output = &request->outputs[0];
    const uint32_t planes = rung__decode_dim(output, 1), anchors = rung__decode_dim(output, 0);
    const bool logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0;
    const uint16_t least = rung__decode_least(request->selection);
    const struct rung__scan_range range = rung__decode_range(least, logits);
    const struct rung__scan_rows rows = {output->data, anchors, CLASSES, planes - CLASSES};
    struct rung__scan_marks marks;
    float best[RUNG__SCAN_BLOCK];
    rung__decode_start(decoded, 0);
    for (uint32_t first = 0, count; first < anchors; first += count) {
        count = rung__scan_block(first, anchors);
        request->scan->best_of_planes(&rows, first, count, best);
        request->scan->mark(best, count, range, &marks);
        request->scan->rate(logits, &marks);
        for (uint32_t i = 0; i < marks.count; i++) {
            const uint32_t anchor = first + marks.positions[i];
            const float *column = output->data + anchor;
            if (marks.confidences[i] < least)
                continue;
            const uint32_t class_id = rung__decode_find(column + CLASSES * rows.step, rows.classes,
                                                        rows.step, marks.scores[i]);
            decode_anchor(request, column, rows.step, anchor, class_id, marks.confidences[i],
                          decoded);
        }
    }
}
