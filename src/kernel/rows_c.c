/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_scan.h"
#include "kernel/decode_six.h"

/*
 * `rows`: [N, 6] of x, y, w, h, confidence, class. Left, top and size are normalised to the canvas.
 */
enum { X, Y, W, H };

static struct rung__box box_of(const float *row, const struct rung__canvas *canvas)
{
    const float width = rung__decode_f32(canvas->width);
    const float height = rung__decode_f32(canvas->height);
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
    rung__decode_six(request, decoded, box_of);
}

void rung__decode_rows_scan(const struct rung__decode_request *request,
                            struct rung__decoded *decoded)
{
    rung__decode_six_scan(request, decoded, box_of);
}
