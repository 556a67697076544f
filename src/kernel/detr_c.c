/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_common.h"

#include "kernel/exact.h"

/*
 * `detr`: logits [Q, C] and boxes [Q, 4] of centre and size, normalised to the canvas. A row is one
 * query as one class.
 */
enum { LOGITS, BOXES };
enum { CX, CY, W, H, COLUMNS };

static struct rung__box box_of(const struct rung__canvas *canvas, const float *values)
{
    const float width = rung__decode_f32(canvas->width), height = rung__decode_f32(canvas->height);
    struct rung__box box = rung__decode_centred(values[CX], values[CY], values[W], values[H]);
    box.left = box.left * width;
    box.right = box.right * width;
    box.top = box.top * height;
    box.bottom = box.bottom * height;
    return box;
}

void rung__decode_detr_c(const struct rung__decode_request *request, struct rung__decoded *decoded)
{
    const struct rung__values *logits = &request->outputs[LOGITS];
    const uint32_t queries = rung__decode_dim(logits, 1), classes = rung__decode_dim(logits, 0);
    rung__decode_start(decoded, 0);
    for (uint32_t q = 0; q < queries; q++) {
        const float *values = request->outputs[BOXES].data + (size_t)q * COLUMNS;
        const float *scores = logits->data + (size_t)q * classes;
        if (!rung__decode_usable(values, COLUMNS, 1))
            continue;
        const struct rung__box box = box_of(request->canvas, values);
        for (uint32_t c = 0; c < classes; c++) {
            struct rung__candidate candidate;
            const uint16_t confidence = rung__sigmoid_confidence(scores[c]);
            if (rung__is_usable(scores[c]) &&
                rung__decode_may_pass(request->selection, confidence) &&
                rung__decode_candidate(request, &box, confidence, (uint8_t)c, &candidate))
                rung__decode_keep(request, decoded, &candidate, q * classes + c);
        }
    }
}
