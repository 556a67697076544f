/* SPDX-License-Identifier: Apache-2.0 */
/* The worked example of docs/stages.md: the upper half of a canvas, then the lower one. */
#include "halves.h"

#include "stage/pre/pre.h"

/* As it keeps kernels and their memory between frames, its object is a framer. */
static rung_result create(const struct rung__stage_context *context, void **object)
{
    return rung__framer_create(context, context->cpu_flags, object);
}

/* A canvas of one row has no halves. `request` is NULL when a context is made. */
static bool check(const struct rung__stage_context *context, const void *request,
                  struct rung__why *why)
{
    (void)request;
    return !context->canvas || context->canvas->height > 1 ||
           rung__why_not(why, "a canvas of one row has no halves");
}

static rung_result run(void *object, void *data)
{
    struct rung__framer *framer = object;
    const struct rung__pre_request *request = data;
    const uint32_t height = request->canvas->height, middle = height / 2;
    struct rung__preprocess_frame frame;
    rung_result result = rung__framer_begin(framer, request, &frame);
    if (result != RUNG_OK)
        return result;
    rung__framer_rows(framer, &frame, 0, 0, middle);
    rung__framer_rows(framer, &frame, 0, middle, height);
    return RUNG_OK;
}

static const struct rung__stage_operations operations = {
    .check = check,
    .create = create,
    .reserve = rung__pre_reserve,
    .run = run,
    .destroy = rung__pre_destroy,
};

const struct rung__implementation rung__pre_halves = {
    RUNG__ON_ANY_CPU,
    .id = "halves-v1",
    .stage = RUNG__STAGE_PREPROCESS,
    .fallback = RUNG__STAGE_BASE,
    .output = "the tensor of the canvas",
    .stream = "done when it returns",
    .operations = &operations,
};
