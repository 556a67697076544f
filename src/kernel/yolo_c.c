/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_common.h"

#include "artifact/heads.h"

/*
 * `yolo`: [4 + C, A], a plane for each of centre x, centre y, width, height in canvas pixels and of
 * the C classes.
 */
enum { CX, CY, W, H, CLASSES };

void rung__decode_yolo_c(const struct rung__decode_request *request, struct rung__decoded *decoded)
{
    const struct rung__values *output = &request->outputs[0];
    const uint32_t planes = rung__decode_dim(output, 1), anchors = rung__decode_dim(output, 0);
    const bool logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0;
    const size_t step = anchors;
    rung__decode_start(decoded, 0);
    for (uint32_t a = 0; a < anchors; a++) {
        const float *column = output->data + a, *scores = column + CLASSES * step;
        struct rung__candidate candidate;
        if (!rung__decode_usable(column, planes, step))
            continue;
        const uint32_t best = rung__decode_best(scores, planes - CLASSES, step);
        const uint16_t confidence = rung__decode_score(scores[best * step], logits);
        if (!rung__decode_may_pass(request->selection, confidence))
            continue;
        const struct rung__box box = rung__decode_centred(column[CX * step], column[CY * step],
                                                          column[W * step], column[H * step]);
        if (rung__decode_candidate(request, &box, confidence, (uint8_t)best, &candidate))
            rung__decode_keep(request, decoded, &candidate, a);
    }
}
