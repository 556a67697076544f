/* SPDX-License-Identifier: Apache-2.0 */
/* One frame to targets: run, decode, select, write. */
#include <rung/context.h>

#include "kernel/packet.h"
#include "session/run.h"

static void decode_and_select(struct rung_context *context, const struct rung__mapping *mapping)
{
    const struct rung_model *model = context->model;
    context->request.mapping = mapping;
    model->decode.heads[model->artifact.view.header.head](&context->request, &context->decoded);
    model->select.run(context->decoded.candidates, context->decoded.count, &context->selection,
                      mapping->k, context->select_workspace, &context->selected);
}

static rung_result write_packet(const struct rung_context *context, const rung_frame *frame,
                                const struct rung__mapping *mapping, rung_span packet,
                                size_t *needed)
{
    const struct rung__decoded *decoded = &context->decoded;
    const struct rung__packet_request request = {
        .candidates = decoded->candidates,
        .selected = &context->selected,
        .points = {.pairs = decoded->points,
                   .per = decoded->points_per,
                   .count = decoded->points_per ? decoded->count : 0},
        .k = mapping->k,
        .left_out = decoded->survivors > decoded->count,
        .capabilities = context->model->capabilities,
        .display_id = frame->display_id,
        .space = RUNG_SPACE_SOURCE,
        .frame_id = frame->frame_id,
        .session_epoch = frame->session_epoch,
        .transform_epoch = frame->transform_epoch,
        .topology_epoch = frame->topology_epoch,
        .source_id = frame->source_id,
    };
    size_t size = 0;
    rung_result result = rung__packet_write(&request, packet.data, packet.size, &size);
    if (needed)
        *needed = size;
    return result;
}

rung_result rung_detect(rung_context *context, const rung_frame *frame, rung_span packet,
                        size_t *needed, rung_run_info *info)
{
    struct rung__run run;
    struct rung__mapping mapping;
    rung_result result =
        rung__run_begin(context, frame, packet, "rung_detect", RUNG_ROLE_DETECTOR, &run);
    if (result != RUNG_OK)
        return result;
    rung__mapping(&run.placement, run.surface.width, run.surface.height, &mapping);
    result = rung__run_model(context, &run);
    if (result != RUNG_OK)
        return result;
    decode_and_select(context, &mapping);
    result = write_packet(context, &run.frame, &mapping, packet, needed);
    return result == RUNG_OK ? rung__run_end(context, &run, info) : result;
}
