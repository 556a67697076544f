/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_six.h"

#include "artifact/heads.h"
#include "kernel/decode_scan.h"

enum { SCORE = 4, CLASS, COLUMNS };

static void decode_row(const struct rung__decode_request *request, uint32_t number,
                       uint16_t confidence, rung__box_fn *box_of, struct rung__decoded *decoded)
{
    const float *row = request->outputs[0].data + (size_t)number * COLUMNS;
    struct rung__candidate candidate;
    uint8_t class_id;
    if (!rung__decode_may_pass(request->selection, confidence) ||
        !rung__decode_usable(row, COLUMNS, 1) || !rung__decode_class(row[CLASS], &class_id))
        return;
    const struct rung__box box = box_of(row, request->canvas);
    if (rung__decode_candidate(request, &box, confidence, class_id, &candidate))
        rung__decode_keep(request, decoded, &candidate, number);
}

void rung__decode_six(const struct rung__decode_request *request, struct rung__decoded *decoded,
                      rung__box_fn *box_of)
{
    const struct rung__values *output = &request->outputs[0];
    const bool logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0;
    const uint32_t rows = rung__decode_dim(output, 1);
    rung__decode_start(decoded, 0);
    for (uint32_t n = 0; n < rows; n++) {
        const float score = output->data[(size_t)n * COLUMNS + SCORE];
        decode_row(request, n, rung__decode_score(score, logits), box_of, decoded);
    }
}

void rung__decode_six_scan(const struct rung__decode_request *request,
                           struct rung__decoded *decoded, rung__box_fn *box_of)
{
    const struct rung__values *output = &request->outputs[0];
    const bool logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0;
    const uint32_t count = rung__decode_dim(output, 1);
    const struct rung__scan_rows rows = {output->data + SCORE, COLUMNS, 0, 1};
    const struct rung__scan_range range =
        rung__decode_range(rung__decode_least(request->selection), logits);
    struct rung__scan_marks marks;
    float scores[RUNG__SCAN_BLOCK];
    rung__decode_start(decoded, 0);
    for (uint32_t first = 0, size; first < count; first += size) {
        size = rung__scan_block(first, count);
        request->scan->best_of_table(&rows, first, size, scores);
        request->scan->mark(scores, size, range, &marks);
        request->scan->rate(logits, &marks);
        for (uint32_t i = 0; i < marks.count; i++)
            decode_row(request, first + marks.positions[i], marks.confidences[i], box_of, decoded);
    }
}
