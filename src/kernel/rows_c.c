/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_common.h"

#include "artifact/heads.h"
#include "kernel/exact.h"

/*
 * `rows`: [N, 6] of x, y, w, h, confidence, class. Left, top and size are normalised to the canvas.
 */
enum { X, Y, W, H, CONFIDENCE, CLASS, COLUMNS };

static struct rung__box box_of(const float row[COLUMNS], float width, float height)
{
    const float right = row[X] + row[W];
    const float bottom = row[Y] + row[H];
    return (struct rung__box){
        .left = row[X] * width,
        .right = right * width,
        .top = row[Y] * height,
        .bottom = bottom * height,
    };
}

void rung__decode_rows_c(const struct rung__decode_request *request, struct rung__decoded *decoded)
{
    const struct rung__values *output = &request->outputs[0];
    const float width = rung__decode_f32(request->canvas->width);
    const float height = rung__decode_f32(request->canvas->height);
    const bool logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0;
    const uint32_t rows = rung__decode_dim(output, 1);
    const float *row = output->data;
    rung__decode_start(decoded, 0);
    for (uint32_t n = 0; n < rows; n++, row += COLUMNS) {
        struct rung__candidate candidate;
        uint8_t class_id;
        if (!rung__decode_usable(row, COLUMNS, 1) || !rung__decode_class(row[CLASS], &class_id))
            continue;
        const uint16_t confidence = rung__decode_score(row[CONFIDENCE], logits);
        if (!rung__decode_may_pass(request->selection, confidence))
            continue;
        const struct rung__box box = box_of(row, width, height);
        if (rung__decode_candidate(request, &box, confidence, class_id, &candidate))
            rung__decode_keep(request, decoded, &candidate, n);
    }
}
