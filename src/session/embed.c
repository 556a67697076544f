/* SPDX-License-Identifier: Apache-2.0 */
/* One frame to an embedding: run, normalise where the artifact says so, write. */
#include <string.h>

#include <rung/context.h>

#include "kernel/embedding.h"
#include "kernel/packet.h"
#include "session/run.h"
#include "stage/post/post.h"

static size_t size_of(const struct rung_context *context, const struct rung__run *run)
{
    (void)run;
    const uint32_t count = context->model->artifact.view.header.embedding_length;
    return sizeof(rung_packet_header) + count * sizeof(float);
}

static rung_result check_numbers(const struct rung_context *context, const float *values,
                                 uint32_t count)
{
    const uint32_t at = rung__embedding_find_not_finite(values, count);
    if (at < count)
        return rung__fail(RUNG_BACKEND, "%s answered an embedding whose number %u is not finite",
                          context->serving->rung->id, at);
    return RUNG_OK;
}

static rung_result write(struct rung_context *context, struct rung__lane *lane, rung_span packet,
                         size_t *needed)
{
    const struct rung__header *header = &context->model->artifact.view.header;
    const float *values = lane->request.outputs[0].data;
    const uint32_t count = header->embedding_length;
    rung_result result = check_numbers(context, values, count);
    if (result != RUNG_OK)
        return result;
    rung_packet_header head = rung__run_header(context, &lane->run, RUNG_SPACE_EMBEDDING);
    float *numbers = (float *)((rung_packet_header *)packet.data + 1);
    head.count = count;
    head.stride = sizeof *numbers;
    head.total_size = size_of(context, &lane->run);
    rung__packet_header_write(&head, packet.data);
    if (needed)
        *needed = (size_t)head.total_size;
    if (!header->canvas.normalised) {
        memcpy(numbers, values, count * sizeof *numbers);
        return RUNG_OK;
    }
    struct rung__post_request request = {
        .what = RUNG__POST_NORMALISE, .numbers = values, .count = count, .normalised = numbers};
    return rung__stage_run(&context->stages, RUNG__STAGE_POSTPROCESS, &request);
}

const struct rung__answer rung__answer_embedding = {"rung_embed", RUNG_ROLE_EMBEDDER, size_of,
                                                    write};

rung_result rung_embed(rung_context *context, const rung_frame *frame, rung_span packet,
                       size_t *needed, rung_run_info *info)
{
    return rung__run_frame(context, &rung__answer_embedding, frame, packet, needed, info);
}
