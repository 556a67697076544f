/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/implementations.h"
#include "stage/pre/pre.h"

static rung_result create(const struct rung__stage_context *context, void **object)
{
    return rung__framer_create(context, 0, object);
}

static const struct rung__stage_operations operations = {
    .create = create,
    .reserve = rung__pre_reserve,
    .run = rung__pre_run,
    .destroy = rung__pre_destroy,
};

const struct rung__implementation rung__pre_base = {
    RUNG__ON_ANY_CPU,
    .id = RUNG__STAGE_BASE,
    .stage = RUNG__STAGE_PREPROCESS,
    .output = "the tensor of the canvas",
    .stream = "done when it returns",
    .operations = &operations,
};
