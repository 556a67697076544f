/* SPDX-License-Identifier: Apache-2.0 */
#include "session/reserve.h"

#include <assert.h>

#include "base/error.h"
#include "stage/pre/pre.h"

/* What a frame needs grows with its content on the canvas, and for one content with the crop that
 * is scaled to it. A smaller frame of another shape may therefore need more than the largest. */

static rung_result reserve_placement(struct rung_context *context,
                                     const struct rung__placement *placement)
{
    const struct rung__pre_request request = {
        .canvas = &context->model->artifact.view.header.canvas, .placement = placement};
    return rung__stage_reserve(&context->stages, RUNG__STAGE_PREPROCESS, &request);
}

/** The most samples that n content pixels come of where `content` come of `samples` at most: a
 * rounded content is less than a pixel off. */
static uint32_t most_samples(uint32_t n, uint32_t samples, uint32_t content, uint32_t limit)
{
    assert(content > 0); /* no canvas is empty */
    const uint64_t most = ((uint64_t)n + 1) * samples / content + 1;
    return most < limit ? (uint32_t)most : limit;
}

/** Each content that fills one side of the canvas, the largest ones first. */
static rung_result reserve_letterboxes(struct rung_context *context, const struct rung__crop *most)
{
    const struct rung__canvas *canvas = &context->model->artifact.view.header.canvas;
    rung_result result = RUNG_OK;
    for (uint32_t height = canvas->height; height > 0 && result == RUNG_OK; height--) {
        const uint32_t rows = most_samples(height, most->width, canvas->width, most->height);
        result = reserve_placement(
            context,
            &(struct rung__placement){{0, 0, most->width, rows}, canvas->width, height, 0, 0});
    }
    for (uint32_t width = canvas->width; width > 0 && result == RUNG_OK; width--) {
        const uint32_t columns = most_samples(width, most->height, canvas->height, most->width);
        result = reserve_placement(
            context,
            &(struct rung__placement){{0, 0, columns, most->height}, width, canvas->height, 0, 0});
    }
    return result;
}

static rung_result reserve_all(struct rung_context *context, const struct rung__crop *most)
{
    const struct rung__canvas *canvas = &context->model->artifact.view.header.canvas;
    const struct rung__buffer_request buffer = {.bytes = context->lanes[0].memory.input_bytes};
    const bool fills_canvas = canvas->fit == RUNG_FIT_STRETCH || canvas->fit == RUNG_FIT_COVER;
    rung_result result =
        fills_canvas ? reserve_placement(context, &(struct rung__placement){*most, canvas->width,
                                                                            canvas->height, 0, 0})
                     : reserve_letterboxes(context, most);
    return result == RUNG_OK ? rung__stage_reserve(&context->stages, RUNG__STAGE_BUFFER, &buffer)
                             : result;
}

rung_result rung__reserve(struct rung_context *context, uint32_t width, uint32_t height)
{
    const struct rung__canvas *canvas = &context->model->artifact.view.header.canvas;
    struct rung__crop most = {0, 0, width, height};
    if (!width && !height)
        most = (struct rung__crop){0, 0, canvas->width, canvas->height};
    if (!most.width || !most.height || most.width > RUNG__FRAME_SIDE_MAX ||
        most.height > RUNG__FRAME_SIDE_MAX)
        return rung__fail(
            RUNG_INVALID_ARGUMENT,
            "rung_context_options: the largest frame is %u × %u; both 0, or both 1..%u", most.width,
            most.height, RUNG__FRAME_SIDE_MAX);
    return reserve_all(context, &most);
}
