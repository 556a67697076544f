/* SPDX-License-Identifier: Apache-2.0 */
#include "session/run.h"

#include "artifact/names.h"
#include "base/clock.h"
#include "base/error.h"
#include "kernel/exact.h"
#include "kernel/packet.h"
#include "session/structure.h"

static rung_result read_frame(const rung_frame *caller_frame, struct rung__run *run,
                              struct rung__crop *crop)
{
    rung_frame *frame = &run->frame;
    struct rung__surface *surface = &run->surface;
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

rung_result rung__run_begin(const struct rung_context *context, const rung_frame *frame,
                            rung_span packet, const char *function, rung_role role,
                            struct rung__run *run)
{
    struct rung__crop crop;
    if (!context || !frame || (!packet.data && packet.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: an argument is NULL", function);
    if ((uintptr_t)packet.data % 8)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: the packet is not 8-byte aligned", function);
    const struct rung__header *header = &context->model->artifact.view.header;
    if (header->role != (uint32_t)role)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: %s is no %s", function, header->name,
                          rung__name_text(&rung__role_names, (uint32_t)role));
    rung_result result = read_frame(frame, run, &crop);
    if (result != RUNG_OK)
        return result;
    run->started = rung__clock_now();
    rung__fit(&header->canvas, &crop, &run->placement);
    return RUNG_OK;
}

/** Outputs of other types become f32, exactly. */
static void widen_outputs(const struct rung_context *context)
{
    const struct rung__model_report *report = &context->serving->report;
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

rung_result rung__run_model(struct rung_context *context, struct rung__run *run)
{
    const struct rung_model *model = context->model;
    rung_result result = rung__context_reserve(context, &run->placement);
    if (result != RUNG_OK)
        return result;
    rung__preprocess(&model->preprocess, &model->artifact.view.header.canvas, &run->placement,
                     &run->surface, context->preprocess_workspace, context->memory.input);
    run->prepared = rung__clock_now();
    result = context->serving->rung->provider->run(context->running);
    if (result != RUNG_OK)
        return result;
    run->answered = rung__clock_now();
    widen_outputs(context);
    return RUNG_OK;
}

rung_result rung__run_check_room(rung_span packet, size_t size, size_t *needed)
{
    if (needed)
        *needed = size;
    return rung__packet_check_room(packet.size, size);
}

rung_packet_header rung__run_header(const struct rung__run *run, rung_space space)
{
    const rung_frame *frame = &run->frame;
    return (rung_packet_header){
        .space = (uint32_t)space,
        .frame_id = frame->frame_id,
        .session_epoch = frame->session_epoch,
        .transform_epoch = frame->transform_epoch,
        .topology_epoch = frame->topology_epoch,
        .source_id = frame->source_id,
    };
}

rung_result rung__run_end(const struct rung_context *context, const struct rung__run *run,
                          rung_run_info *caller_info)
{
    struct rung_model *model = context->model;
    rung__background_after_answer(model);
    if (!caller_info)
        return RUNG_OK;
    const rung_run_info info = {
        .identity = context->serving->identity,
        .rung = context->serving->rung->id,
        .artifact = model->artifact.digest_text,
        .preprocess_ns = run->prepared - run->started,
        .run_ns = run->answered - run->prepared,
        .postprocess_ns = rung__clock_now() - run->answered,
        .role = (rung_role)model->artifact.view.header.role,
        .calibration_overridden = context->overridden,
        .precision = context->serving->precision,
    };
    return rung__structure_write(caller_info, &info, sizeof info, "rung_run_info");
}
