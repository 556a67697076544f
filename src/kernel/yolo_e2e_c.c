/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_common.h"

#include "artifact/heads.h"

/* `yolo-e2e`: [N, 6] of left, top, right, bottom in canvas pixels, score, class. */
enum { LEFT, TOP, RIGHT, BOTTOM, SCORE, CLASS, COLUMNS };

void rung__decode_yolo_e2e_c(const struct rung__decode_request *request,
                             struct rung__decoded *decoded)
{
    const struct rung__values *output = &request->outputs[0];
    const bool logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0;
    const uint32_t rows = rung__decode_dim(output, 1);
    const float *row = output->data;
    rung__decode_start(decoded, 0);
    for (uint32_t n = 0; n < rows; n++, row += COLUMNS) {
        struct rung__candidate candidate;
        uint8_t class_id;
        if (!rung__decode_usable(row, COLUMNS, 1) || !rung__decode_class(row[CLASS], &class_id))
            continue;
        const uint16_t confidence = rung__decode_score(row[SCORE], logits);
        if (!rung__decode_may_pass(request->selection, confidence))
            continue;
        const struct rung__box box = {row[LEFT], row[RIGHT], row[TOP], row[BOTTOM]};
        if (rung__decode_candidate(request, &box, confidence, class_id, &candidate))
            rung__decode_keep(request, decoded, &candidate, n);
    }
}
