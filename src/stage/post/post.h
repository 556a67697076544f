/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_POST_H
#define RUNG__STAGE_POST_H

#include "kernel/decode.h"
#include "kernel/mask.h"
#include "kernel/select.h"
#include "stage/contract.h"

/** What the stage `postprocess` is asked for: one output to targets, a mask or an embedding. */
struct rung__post_request {
    enum { RUNG__POST_TARGETS, RUNG__POST_MASK, RUNG__POST_NORMALISE } what;
    /* Targets: candidates (targets.md), then those that are selected. */
    const struct rung__decode_request *decode;
    struct rung__decoded *decoded;
    struct rung__selected *selected;
    /* A mask: one byte for each pixel of the content. */
    const struct rung__mask_request *mask;
    uint8_t *classes;
    /* An embedding: the numbers divided by their norm. */
    const float *numbers;
    uint32_t count;
    float *normalised;
};

/** The operations of the kernels for these flags. */
rung_result rung__post_create(const struct rung__stage_context *context, uint64_t cpu_flags,
                              void **object);
rung_result rung__post_run(void *object, void *request);
void rung__post_destroy(void *object);

#endif
