/* SPDX-License-Identifier: Apache-2.0 */
#include "session/run.h"

#include <string.h>

#include "artifact/names.h"
#include "base/clock.h"
#include "kernel/packet.h"
#include "session/structure.h"
#include "stage/engine/engine.h"
#include "stage/pre/pre.h"

const struct rung__answer *rung__answer_of(const struct rung_context *context)
{
    switch (context->model->artifact.view.header.role) {
    case RUNG_ROLE_EMBEDDER:
        return &rung__answer_embedding;
    case RUNG_ROLE_SEGMENTER:
        return &rung__answer_mask;
    default: /* admission lets no other role in */
        return &rung__answer_targets;
    }
}

/** The mapping takes longer than all else here, and frames most often come in one size. */
static void place(struct rung__run *run, const struct rung__canvas *canvas,
                  const struct rung__crop *crop)
{
    const struct rung__surface *surface = &run->surface;
    struct rung__placement placement;
    rung__fit(canvas, crop, &placement);
    if (memcmp(&placement, &run->placement, sizeof placement) == 0 &&
        run->mapped_width == surface->width && run->mapped_height == surface->height)
        return;
    run->placement = placement;
    run->mapped_width = surface->width;
    run->mapped_height = surface->height;
    rung__mapping(&placement, surface->width, surface->height, &run->mapping);
}

rung_result rung__run_place(const struct rung_context *context, struct rung__lane *lane,
                            const rung_frame *frame)
{
    struct rung__run *run = &lane->run;
    struct rung__crop crop;
    rung_result result = rung__frame_read(frame, &run->frame, &run->surface, &crop);
    if (result != RUNG_OK)
        return result;
    run->started = rung__clock_now();
    place(run, &context->model->artifact.view.header.canvas, &crop);
    return RUNG_OK;
}

/** What the buffer is asked for of the lane's tensor. */
static struct rung__buffer_request buffer_request(const struct rung__lane *lane, int what)
{
    return (struct rung__buffer_request){
        .what = what,
        .input = lane->memory.input,
        .bytes = lane->memory.input_bytes,
        .target = lane->run.tensor,
    };
}

rung_result rung__run_begin_reading(const struct rung_context *context, struct rung__lane *lane)
{
    const rung_result result = rung__frame_begin_read(&lane->run.frame, context->fence_ms);
    lane->run.reading = result == RUNG_OK;
    return result;
}

rung_result rung__run_prepare(struct rung_context *context, struct rung__lane *lane)
{
    struct rung__run *run = &lane->run;
    struct rung__buffer_request buffer = buffer_request(lane, RUNG__BUFFER_TARGET);
    rung_result result = rung__run_begin_reading(context, lane);
    if (result == RUNG_OK)
        result = rung__stage_begin(&context->stages, RUNG__STAGE_BUFFER, &buffer, &lane->buffer);
    if (result != RUNG_OK)
        return result;
    run->generation = ++context->generation;
    struct rung__pre_request request = {
        .canvas = &context->model->artifact.view.header.canvas,
        .placement = &run->placement,
        .surface = &run->surface,
        .tensor = buffer.target,
        .readiness = &lane->readiness,
        .generation = run->generation,
    };
    result = rung__stage_run(&context->stages, RUNG__STAGE_PREPROCESS, &request);
    run->tensor = buffer.target;
    run->prepared = rung__clock_now();
    run->preprocess_ns = run->prepared - run->started;
    return result;
}

rung_result rung__run_take(struct rung_context *context, struct rung__lane *lane,
                           const void *tensor)
{
    struct rung__buffer_request buffer = buffer_request(lane, RUNG__BUFFER_TARGET);
    rung_result result =
        rung__stage_begin(&context->stages, RUNG__STAGE_BUFFER, &buffer, &lane->buffer);
    if (result != RUNG_OK)
        return result;
    memcpy(buffer.target, tensor, (size_t)buffer.bytes);
    lane->run.tensor = buffer.target;
    lane->run.generation = ++context->generation;
    lane->run.prepared = rung__clock_now();
    return RUNG_OK;
}

/** Waits for the tensor, where it is still on its way, and gives it to the runtime. */
static rung_result hand_over(struct rung__lane *lane)
{
    struct rung__buffer_request request = buffer_request(lane, RUNG__BUFFER_HAND_OVER);
    rung__readiness_wait(&lane->readiness, lane->run.tensor, lane->run.generation);
    return rung__stage_go_on(&lane->buffer, &request);
}

rung_result rung__run_model(struct rung_context *context, struct rung__lane *lane)
{
    struct rung__engine_request request = {context->serving->rung->provider->run, lane->running};
    struct rung__run *run = &lane->run;
    if (atomic_load_explicit(&context->loss.lost, memory_order_relaxed))
        return rung__loss_tell(context); /* earlier in this series, which goes on to its end */
    rung_result result = hand_over(lane);
    const uint64_t started = rung__clock_now();
    if (result == RUNG_OK)
        result = rung__stage_run(&context->stages, RUNG__STAGE_ENGINE, &request);
    run->answered = rung__clock_now();
    run->preprocess_ns += started - run->prepared;
    run->run_ns = run->answered - started;
    if (result == RUNG_OK)
        rung__lane_widen(lane, context);
    else if (result == RUNG_DEVICE_LOST)
        rung__loss_note(context);
    return result;
}

void rung__run_end_reading(struct rung__lane *lane)
{
    if (lane->run.reading)
        rung__frame_end_read(&lane->run.frame);
    lane->run.reading = false;
}

rung_packet_header rung__run_header(const struct rung_context *context, const struct rung__run *run,
                                    rung_space space)
{
    const rung_frame *frame = &run->frame;
    return (rung_packet_header){
        .space = (uint32_t)space,
        .frame_id = frame->frame_id,
        .model_epoch = context->loss.rebuilt,
        .session_epoch = frame->session_epoch,
        .transform_epoch = frame->transform_epoch,
        .topology_epoch = frame->topology_epoch,
        .source_id = frame->source_id,
    };
}

rung_run_info rung__run_describe(const struct rung_context *context, const struct rung__run *run)
{
    const struct rung_model *model = context->model;
    return (rung_run_info){
        .identity = context->serving->identity,
        .rung = context->serving->rung->id,
        .artifact = model->artifact.digest_text,
        .preprocess_ns = run->preprocess_ns,
        .run_ns = run->run_ns,
        .postprocess_ns = run->finished - run->answered,
        .role = (rung_role)model->artifact.view.header.role,
        .calibration_overridden = context->overridden,
        .precision = context->serving->precision,
    };
}

/** The arguments that all roles have, and that the model is of this one. */
static rung_result check_arguments(const rung_context *context, const struct rung__answer *answer,
                                   const rung_frame *frame, rung_span packet)
{
    if (!context || !frame || (!packet.data && packet.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: an argument is NULL", answer->function);
    if ((uintptr_t)packet.data % 8)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: the packet is not 8-byte aligned",
                          answer->function);
    const struct rung__header *header = &context->model->artifact.view.header;
    if (header->role != (uint32_t)answer->role)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: %s is no %s", answer->function, header->name,
                          rung__name_text(&rung__role_names, (uint32_t)answer->role));
    return RUNG_OK;
}

/** Before anything is computed for a packet of a known size. Results: OK, CAPACITY. */
static rung_result check_room(const struct rung_context *context, const struct rung__answer *answer,
                              const struct rung__lane *lane, rung_span packet, size_t *needed)
{
    if (!answer->size)
        return RUNG_OK;
    const size_t size = answer->size(context, &lane->run);
    if (needed)
        *needed = size;
    return rung__packet_check_room(packet.size, size);
}

rung_result rung__run_steps(struct rung_context *context, const struct rung__answer *answer,
                            const rung_frame *frame, rung_span packet, size_t *needed)
{
    struct rung__lane *lane = &context->lanes[0];
    rung_result result = rung__run_place(context, lane, frame);
    if (result == RUNG_OK)
        result = check_room(context, answer, lane, packet, needed);
    if (result == RUNG_OK)
        result = rung__run_prepare(context, lane);
    if (result == RUNG_OK)
        result = rung__run_model(context, lane);
    if (result == RUNG_OK)
        result = answer->write(context, lane, packet, needed);
    lane->run.finished = rung__clock_now();
    rung__metrics_note(context, lane, result);
    rung__run_end_reading(lane);
    return result;
}

rung_result rung__run_answer(struct rung_context *context, const rung_frame *frame,
                             rung_span packet, size_t *needed)
{
    const struct rung__answer *answer = rung__answer_of(context);
    struct rung__lane *lane = &context->lanes[0];
    rung_result result = rung__run_place(context, lane, frame);
    if (result == RUNG_OK)
        result = check_room(context, answer, lane, packet, needed);
    return result == RUNG_OK ? answer->write(context, lane, packet, needed) : result;
}

static rung_result give_info(const rung_context *context, rung_run_info *info)
{
    if (!info)
        return RUNG_OK;
    const rung_run_info ours = rung__run_describe(context, &context->lanes[0].run);
    return rung__structure_write(info, &ours, sizeof ours, "rung_run_info");
}

rung_result rung__run_frame(rung_context *context, const struct rung__answer *answer,
                            const rung_frame *frame, rung_span packet, size_t *needed,
                            rung_run_info *info)
{
    rung_result result = check_arguments(context, answer, frame, packet);
    if (result == RUNG_OK)
        result = rung__context_enter(context);
    if (result != RUNG_OK)
        return result;
    result = rung__run_steps(context, answer, frame, packet, needed);
    if (result == RUNG_OK) {
        rung__epochs_mark(context, packet.data);
        rung__background_after_answer(context->model);
        result = give_info(context, info);
    }
    rung__context_leave(context);
    return result;
}
