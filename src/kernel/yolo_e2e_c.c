/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_scan.h"
#include "kernel/decode_six.h"

/* `yolo-e2e`: [N, 6] of left, top, right, bottom in canvas pixels, score, class. */
enum { LEFT, TOP, RIGHT, BOTTOM };

static struct rung__box box_of(const float *row, const struct rung__canvas *canvas)
{
    (void)canvas;
    return (struct rung__box){row[LEFT], row[RIGHT], row[TOP], row[BOTTOM]};
}

void rung__decode_yolo_e2e_c(const struct rung__decode_request *request,
                             struct rung__decoded *decoded)
{
    rung__decode_six(request, decoded, box_of);
}

void rung__decode_yolo_e2e_scan(const struct rung__decode_request *request,
                                struct rung__decoded *decoded)
{
    rung__decode_six_scan(request, decoded, box_of);
}
