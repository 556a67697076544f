/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/post/post.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/embedding.h"

struct post {
    struct rung__ledger *ledger;
    struct rung__decode_kernels decode;
    struct rung__select_kernels select;
    struct rung__mask_kernels mask;
    struct rung__embedding_kernels embedding;
    uint32_t head;
    void *workspace; /**< of the selection */
    uint64_t workspace_bytes;
};

rung_result rung__post_create(const struct rung__stage_context *context, uint64_t cpu_flags,
                              void **object)
{
    struct post *post = calloc(1, sizeof *post);
    if (!post)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
    rung__decode_init(&post->decode, cpu_flags);
    rung__select_init(&post->select, cpu_flags);
    rung__mask_init(&post->mask, cpu_flags);
    rung__embedding_init(&post->embedding, cpu_flags);
    post->head = context->head;
    const struct rung__selection *selection = context->selection;
    if (selection) {
        post->workspace_bytes = post->select.workspace_bytes(selection, selection->capacity);
        post->workspace = rung__memory_new(post->workspace_bytes);
    }
    if (selection && !post->workspace) {
        free(post);
        return rung__fail(RUNG_NO_MEMORY, "no memory to select targets");
    }
    post->ledger = context->ledger;
    rung__ledger_allocated(post->ledger, 0, sizeof *post + post->workspace_bytes);
    *object = post;
    return RUNG_OK;
}

static void find_targets(struct post *post, const struct rung__post_request *request)
{
    struct rung__decode_request decode = *request->decode;
    decode.scan = &post->decode.scan;
    decode.considered_only = true;
    post->decode.heads[post->head](&decode, request->decoded);
    post->select.run(request->decoded->candidates, request->decoded->count, decode.selection,
                     decode.mapping->k, post->workspace, request->selected);
}

rung_result rung__post_run(void *object, void *data)
{
    struct post *post = object;
    const struct rung__post_request *request = data;
    switch (request->what) {
    case RUNG__POST_TARGETS:
        find_targets(post, request);
        break;
    case RUNG__POST_MASK:
        post->mask.run(request->mask, request->classes);
        break;
    default:
        post->embedding.normalise(request->numbers, request->count, request->normalised);
    }
    return RUNG_OK;
}

void rung__post_destroy(void *object)
{
    struct post *post = object;
    if (!post)
        return;
    rung__ledger_freed(post->ledger, sizeof *post + post->workspace_bytes);
    free(post->workspace);
    free(post);
}
