/* SPDX-License-Identifier: Apache-2.0 */
/* The rung's own session. */
#include "stage/contract.h"
#include "stage/engine/engine.h"
#include "stage/implementations.h"

static rung_result create(const struct rung__stage_context *context, void **object)
{
    (void)context;
    *object = NULL; /* the session is the provider's */
    return RUNG_OK;
}

static rung_result run(void *object, void *data)
{
    const struct rung__engine_request *request = data;
    (void)object;
    return request->run(request->running);
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

const struct rung__implementation rung__engine_base = {
    RUNG__ON_ANY_CPU,
    .id = RUNG__STAGE_BASE,
    .stage = RUNG__STAGE_ENGINE,
    .supports_concurrency = true,
    .output = "the model's outputs",
    .stream = "done when it returns",
    .operations = &operations,
};
