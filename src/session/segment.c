/* SPDX-License-Identifier: Apache-2.0 */
/* One frame to a mask: run, take the class of each pixel of the content, write. */
#include <rung/context.h>

#include "kernel/packet.h"
#include "session/run.h"

static void write_place(const struct rung__placement *placement, uint8_t *to)
{
    const struct rung__crop *crop = &placement->crop;
    const uint32_t place[] = {crop->x,      crop->y,      crop->width,      crop->height,
                              placement->x, placement->y, placement->width, placement->height};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++)
        rung__put_u32(to + 4 * i, place[i]);
}

static void write_packet(const struct rung_context *context, const struct rung__run *run,
                         size_t size, uint8_t *to)
{
    const struct rung__header *header = &context->model->artifact.view.header;
    const struct rung__mask_request request = {
        .values = context->request.outputs[0].data,
        .form = context->mask,
        .min_confidence = context->selection.min_confidence,
        .canvas = &header->canvas,
        .placement = &run->placement,
    };
    rung_packet_header head = rung__run_header(run, RUNG_SPACE_MASK);
    head.count = run->placement.height;
    head.stride = run->placement.width;
    head.total_size = size;
    rung__packet_header_write(&head, to);
    write_place(&run->placement, to + sizeof head);
    context->model->mask.run(&request, to + sizeof head + sizeof(rung_mask));
}

rung_result rung_segment(rung_context *context, const rung_frame *frame, rung_span packet,
                         size_t *needed, rung_run_info *info)
{
    struct rung__run run;
    rung_result result =
        rung__run_begin(context, frame, packet, "rung_segment", RUNG_ROLE_SEGMENTER, &run);
    if (result != RUNG_OK)
        return result;
    const size_t size = sizeof(rung_packet_header) + sizeof(rung_mask) +
                        (size_t)run.placement.width * run.placement.height;
    result = rung__run_check_room(packet, size, needed);
    if (result == RUNG_OK)
        result = rung__run_model(context, &run);
    if (result != RUNG_OK)
        return result;
    write_packet(context, &run, size, packet.data);
    return rung__run_end(context, &run, info);
}
