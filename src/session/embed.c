/* SPDX-License-Identifier: Apache-2.0 */
/* One frame to an embedding: run, normalise where the artifact says so, write. */
#include <string.h>

#include <rung/context.h>

#include "base/error.h"
#include "kernel/packet.h"
#include "session/run.h"

static rung_result check_numbers(const struct rung_context *context, const float *values,
                                 uint32_t count)
{
    const uint32_t at = rung__embedding_find_not_finite(values, count);
    if (at < count)
        return rung__fail(RUNG_BACKEND, "%s answered an embedding whose number %u is not finite",
                          context->serving->rung->id, at);
    return RUNG_OK;
}

static void write_packet(const struct rung_context *context, const struct rung__run *run,
                         size_t size, void *to)
{
    const struct rung__header *header = &context->model->artifact.view.header;
    const float *values = context->request.outputs[0].data;
    const uint32_t count = header->embedding_length;
    rung_packet_header head = rung__run_header(run, RUNG_SPACE_EMBEDDING);
    float *numbers = (float *)((rung_packet_header *)to + 1);
    head.count = count;
    head.stride = sizeof *numbers;
    head.total_size = size;
    rung__packet_header_write(&head, to);
    if (header->canvas.normalised)
        context->model->embedding.normalise(values, count, numbers);
    else
        memcpy(numbers, values, count * sizeof *numbers);
}

rung_result rung_embed(rung_context *context, const rung_frame *frame, rung_span packet,
                       size_t *needed, rung_run_info *info)
{
    struct rung__run run;
    rung_result result =
        rung__run_begin(context, frame, packet, "rung_embed", RUNG_ROLE_EMBEDDER, &run);
    if (result != RUNG_OK)
        return result;
    const uint32_t count = context->model->artifact.view.header.embedding_length;
    const size_t size = sizeof(rung_packet_header) + count * sizeof(float);
    result = rung__run_check_room(packet, size, needed);
    if (result == RUNG_OK)
        result = rung__run_model(context, &run);
    if (result == RUNG_OK)
        result = check_numbers(context, context->request.outputs[0].data, count);
    if (result != RUNG_OK)
        return result;
    write_packet(context, &run, size, packet.data);
    return rung__run_end(context, &run, info);
}
