/* SPDX-License-Identifier: Apache-2.0 */
/* One frame after the other, on the calling thread. */
#include "stage/implementations.h"
#include "stage/schedule/schedule.h"

static rung_result create(const struct rung__stage_context *context, void **object)
{
    (void)context;
    *object = NULL; /* there is nothing to keep */
    return RUNG_OK;
}

static rung_result run(void *object, void *data)
{
    const struct rung__schedule_request *request = data;
    (void)object;
    while (request->prepare(request->user, 0)) {
        request->run(request->user, 0);
        request->finish(request->user, 0);
    }
    return RUNG_OK;
}

static void destroy(void *object)
{
    (void)object;
}

static const struct rung__stage_operations operations = {
    .create = create,
    .run = run,
    .destroy = destroy,
};

const struct rung__implementation rung__schedule_base = {
    RUNG__ON_ANY_CPU,
    .id = RUNG__STAGE_BASE,
    .stage = RUNG__STAGE_SCHEDULE,
    .output = "results in the order of the frames",
    .stream = "done when it returns",
    .operations = &operations,
};
