/* SPDX-License-Identifier: Apache-2.0 */
/* One frame on the caller's thread: preprocess, run, decode, select, write. */
#include <string.h>

#include <rung/context.h>

#include "base/clock.h"
#include "base/error.h"
#include "kernel/exact.h"
#include "kernel/packet.h"
#include "session/context.h"
#include "session/structure.h"

static rung_result read_frame(const rung_frame *caller_frame, rung_frame *frame,
                              struct rung__surface *surface, struct rung__crop *crop)
{
    rung_result result = rung__structure_read(frame, sizeof *frame, caller_frame, "rung_frame");
    if (result != RUNG_OK)
        return result;
    *surface = (struct rung__surface){
        .pixels = frame->pixels,
        .stride = frame->stride,
        .width = frame->width,
        .height = frame->height,
        .format = (uint32_t)frame->format,
    };
    if (surface->stride == 0)
        surface->stride = (uint64_t)frame->width * rung__pixel_bytes(surface->format);
    *crop =
        (struct rung__crop){frame->crop.x, frame->crop.y, frame->crop.width, frame->crop.height};
    if (!crop->x && !crop->y && !crop->width && !crop->height)
        *crop = (struct rung__crop){0, 0, frame->width, frame->height};
    return rung__surface_check(surface, crop);
}

/** Outputs of other types become f32, exactly. */
static void widen_outputs(const struct rung_context *context)
{
    const struct rung__model_report *report = &context->model->report;
    for (uint32_t i = 0; i < report->output_count; i++) {
        float *to = context->widened[i];
        uint64_t bytes = context->memory.output_bytes[i];
        const uint8_t *from = context->memory.outputs[i];
        if (!to)
            continue;
        switch (report->outputs[i].dtype) {
        case RUNG_DTYPE_F16:
            for (uint64_t n = 0; n < bytes / 2; n++)
                to[n] = rung__f16_to_f32(rung__get_u16(from + 2 * n));
            break;
        case RUNG_DTYPE_I8:
            for (uint64_t n = 0; n < bytes; n++)
                to[n] = (float)(int8_t)from[n];
            break;
        default:
            for (uint64_t n = 0; n < bytes; n++)
                to[n] = (float)from[n];
        }
    }
}

static void decode_and_select(struct rung_context *context, const struct rung__mapping *mapping)
{
    const struct rung_model *model = context->model;
    const struct rung__header *header = &model->artifact.view.header;
    context->request.mapping = mapping;
    widen_outputs(context);
    model->decode.heads[header->head](&context->request, &context->decoded);
    model->select.run(context->decoded.candidates, context->decoded.count, &header->selection,
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

static rung_result write_info(const struct rung_model *model, const uint64_t times[4],
                              rung_run_info *caller_info)
{
    const rung_run_info info = {
        .identity = model->identity,
        .rung = model->rung->id,
        .artifact = model->artifact.digest_text,
        .preprocess_ns = times[1] - times[0],
        .run_ns = times[2] - times[1],
        .postprocess_ns = times[3] - times[2],
    };
    return rung__structure_write(caller_info, &info, sizeof info, "rung_run_info");
}

rung_result rung_detect(rung_context *context, const rung_frame *caller_frame, rung_span packet,
                        size_t *needed, rung_run_info *info)
{
    rung_frame frame;
    struct rung__surface surface;
    struct rung__crop crop;
    struct rung__placement placement;
    struct rung__mapping mapping;
    uint64_t times[4];

    if (!context || !caller_frame || (!packet.data && packet.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_detect: an argument is NULL");
    if ((uintptr_t)packet.data % 8)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_detect: the packet is not 8-byte aligned");
    struct rung_model *model = context->model;
    const struct rung__canvas *canvas = &model->artifact.view.header.canvas;
    if (model->artifact.view.header.role != RUNG_ROLE_DETECTOR)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_detect: %s is no detector",
                          model->artifact.view.header.name);
    rung_result result = read_frame(caller_frame, &frame, &surface, &crop);
    if (result != RUNG_OK)
        return result;
    times[0] = rung__clock_now();
    rung__fit(canvas, &crop, &placement);
    rung__mapping(&placement, surface.width, surface.height, &mapping);
    result = rung__context_reserve(context, &placement);
    if (result != RUNG_OK)
        return result;
    model->preprocess.run(canvas, &placement, &surface, context->preprocess_workspace,
                          context->memory.input);
    times[1] = rung__clock_now();
    result = model->rung->provider->run(context->running);
    if (result != RUNG_OK)
        return result;
    times[2] = rung__clock_now();
    decode_and_select(context, &mapping);
    result = write_packet(context, &frame, &mapping, packet, needed);
    times[3] = rung__clock_now();
    return result == RUNG_OK && info ? write_info(model, times, info) : result;
}
