/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/implementations.h"
#include "stage/post/post.h"

static rung_result create(const struct rung__stage_context *context, void **object)
{
    return rung__post_create(context, 0, object);
}

static const struct rung__stage_operations operations = {
    .create = create,
    .run = rung__post_run,
    .destroy = rung__post_destroy,
};

const struct rung__implementation rung__post_base = {
    RUNG__ON_ANY_CPU,
    .id = RUNG__STAGE_BASE,
    .stage = RUNG__STAGE_POSTPROCESS,
    .output = "candidates in order, suppressed and bounded; a mask; an embedding",
    .stream = "done when it returns",
    .operations = &operations,
};
