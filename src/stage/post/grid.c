/* SPDX-License-Identifier: Apache-2.0 */
/* Heads by vectors; the order by a radix sort; suppression among neighbours on a grid. */
#include "kernel/cpu_flags.h"
#include "stage/implementations.h"
#include "stage/post/post.h"

static rung_result create(const struct rung__stage_context *context, void **object)
{
    return rung__post_create(context, context->cpu_flags, object);
}

static const struct rung__stage_operations operations = {
    .create = create,
    .run = rung__post_run,
    .destroy = rung__post_destroy,
};

static const struct rung__shipped_record shipped = {RUNG__CPU_AVX2 | RUNG__CPU_NEON};

const struct rung__implementation rung__post_grid = {
    RUNG__ON_ANY_CPU,
    .id = "grid-exact-v1",
    .stage = RUNG__STAGE_POSTPROCESS,
    .cpu_flags = RUNG__CPU_AVX2 | RUNG__CPU_NEON,
    .fallback = RUNG__STAGE_BASE,
    .output = "candidates in order, suppressed and bounded; a mask; an embedding",
    .stream = "done when it returns",
    .shipped = &shipped,
    .operations = &operations,
};
