/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime reads the memory that the tensor is made in: nothing is copied. */
#include "stage/buffer/buffer.h"
#include "stage/implementations.h"

static rung_result create(const struct rung__stage_context *context, void **object)
{
    (void)context;
    *object = NULL; /* there is nothing to keep */
    return RUNG_OK;
}

static rung_result run(void *object, void *data)
{
    struct rung__buffer_request *request = data;
    (void)object;
    if (request->what == RUNG__BUFFER_TARGET)
        request->target = request->input;
    return RUNG_OK;
}

static void destroy(void *object)
{
    (void)object;
}

const struct rung__stage_operations rung__buffer_in_place = {
    .create = create,
    .run = run,
    .destroy = destroy,
};

/* No measurement is needed to know that a copy that is not made costs less. */
static const struct rung__shipped_record shipped = {0};

const struct rung__implementation rung__buffer_import = {
    RUNG__ON_ANY_CPU,
    .id = "import-v1",
    .stage = RUNG__STAGE_BUFFER,
    .components = RUNG__COMPONENT_IMPORT,
    .fallback = RUNG__STAGE_BASE,
    .supports_concurrency = true,
    .output = "the runtime's input, made in place",
    .stream = "done when it returns",
    .shipped = &shipped,
    .operations = &rung__buffer_in_place,
};
