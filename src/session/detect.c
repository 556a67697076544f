/* SPDX-License-Identifier: Apache-2.0 */
/* One frame to targets: run, decode, select, write. */
#include <rung/context.h>

#include "kernel/packet.h"
#include "session/run.h"
#include "stage/post/post.h"

static rung_result find_targets(struct rung_context *context, struct rung__lane *lane)
{
    lane->request.mapping = &lane->run.mapping;
    struct rung__post_request request = {
        .what = RUNG__POST_TARGETS,
        .decode = &lane->request,
        .decoded = &lane->decoded,
        .selected = &lane->selected,
    };
    return rung__stage_run(&context->stages, RUNG__STAGE_POSTPROCESS, &request);
}

static rung_result write(struct rung_context *context, struct rung__lane *lane, rung_span packet,
                         size_t *needed)
{
    rung_result result = find_targets(context, lane);
    if (result != RUNG_OK)
        return result;
    const rung_frame *frame = &lane->run.frame;
    const struct rung__decoded *decoded = &lane->decoded;
    const struct rung__packet_request request = {
        .candidates = decoded->candidates,
        .selected = &lane->selected,
        .points = {.pairs = decoded->points,
                   .per = decoded->points_per,
                   .count = decoded->points_per ? decoded->count : 0},
        .k = lane->run.mapping.k,
        .left_out = decoded->survivors > decoded->count,
        .capabilities = context->model->capabilities,
        .display_id = frame->display_id,
        .space = RUNG_SPACE_SOURCE,
        .frame_id = frame->frame_id,
        .model_epoch = context->loss.rebuilt,
        .session_epoch = frame->session_epoch,
        .transform_epoch = frame->transform_epoch,
        .topology_epoch = frame->topology_epoch,
        .source_id = frame->source_id,
    };
    size_t size = 0;
    result = rung__packet_write(&request, packet.data, packet.size, &size);
    if (needed)
        *needed = size;
    return result;
}

const struct rung__answer rung__answer_targets = {"rung_detect", RUNG_ROLE_DETECTOR, NULL, write};

rung_result rung_detect(rung_context *context, const rung_frame *frame, rung_span packet,
                        size_t *needed, rung_run_info *info)
{
    return rung__run_frame(context, &rung__answer_targets, frame, packet, needed, info);
}
