/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/cpu_flags.h"
#include "stage/implementations.h"
#include "stage/pre/pre.h"

static rung_result create(const struct rung__stage_context *context, void **object)
{
    return rung__framer_create(context, context->cpu_flags, object);
}

static const struct rung__stage_operations operations = {
    .create = create,
    .reserve = rung__pre_reserve,
    .run = rung__pre_run,
    .destroy = rung__pre_destroy,
};

static const struct rung__shipped_record shipped = {RUNG__CPU_AVX2 | RUNG__CPU_NEON};

const struct rung__implementation rung__pre_simd = {
    RUNG__ON_ANY_CPU,
    .id = "simd-exact-v1",
    .stage = RUNG__STAGE_PREPROCESS,
    .cpu_flags = RUNG__CPU_AVX2 | RUNG__CPU_NEON,
    .fallback = RUNG__STAGE_BASE,
    .output = "the tensor of the canvas",
    .stream = "done when it returns",
    .shipped = &shipped,
    .operations = &operations,
};
