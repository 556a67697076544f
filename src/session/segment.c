/* SPDX-License-Identifier: Apache-2.0 */
/* One frame to a mask: run, take the class of each pixel of the content, write. */
#include <rung/context.h>

#include "kernel/packet.h"
#include "session/run.h"
#include "stage/post/post.h"

static size_t size_of(const struct rung_context *context, const struct rung__run *run)
{
    (void)context;
    return sizeof(rung_packet_header) + sizeof(rung_mask) +
           (size_t)run->placement.width * run->placement.height;
}

static void write_place(const struct rung__placement *placement, uint8_t *to)
{
    const struct rung__crop *crop = &placement->crop;
    const uint32_t place[] = {crop->x,      crop->y,      crop->width,      crop->height,
                              placement->x, placement->y, placement->width, placement->height};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++)
        rung__put_u32(to + 4 * i, place[i]);
}

static rung_result write(struct rung_context *context, struct rung__lane *lane, rung_span packet,
                         size_t *needed)
{
    const struct rung__run *run = &lane->run;
    const struct rung__mask_request mask = {
        .values = lane->request.outputs[0].data,
        .form = context->mask,
        .min_confidence = context->selection.min_confidence,
        .canvas = &context->model->artifact.view.header.canvas,
        .placement = &run->placement,
    };
    uint8_t *to = packet.data;
    rung_packet_header head = rung__run_header(context, run, RUNG_SPACE_MASK);
    head.count = run->placement.height;
    head.stride = run->placement.width;
    head.total_size = size_of(context, run);
    rung__packet_header_write(&head, to);
    write_place(&run->placement, to + sizeof head);
    if (needed)
        *needed = (size_t)head.total_size;
    struct rung__post_request request = {
        .what = RUNG__POST_MASK, .mask = &mask, .classes = to + sizeof head + sizeof(rung_mask)};
    return rung__stage_run(&context->stages, RUNG__STAGE_POSTPROCESS, &request);
}

const struct rung__answer rung__answer_mask = {"rung_segment", RUNG_ROLE_SEGMENTER, size_of, write};

rung_result rung_segment(rung_context *context, const rung_frame *frame, rung_span packet,
                         size_t *needed, rung_run_info *info)
{
    return rung__run_frame(context, &rung__answer_mask, frame, packet, needed, info);
}
