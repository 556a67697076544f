/* SPDX-License-Identifier: Apache-2.0 */
/* The tensor is made in memory of its own and copied in. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stage/buffer/buffer.h"
#include "stage/implementations.h"

struct staging {
    struct rung__ledger *ledger;
    void *memory;
    uint64_t bytes;
};

static rung_result create(const struct rung__stage_context *context, void **object)
{
    struct staging *staging = calloc(1, sizeof *staging);
    if (!staging)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
    staging->ledger = context->ledger;
    rung__ledger_allocated(staging->ledger, 0, sizeof *staging);
    *object = staging;
    return RUNG_OK;
}

static rung_result reserve(void *object, const void *data)
{
    struct staging *staging = object;
    const struct rung__buffer_request *request = data;
    if (request->bytes <= staging->bytes)
        return RUNG_OK;
    void *memory = rung__memory_new(request->bytes);
    if (!memory)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a tensor");
    free(staging->memory);
    rung__ledger_allocated(staging->ledger, staging->bytes, request->bytes);
    staging->memory = memory;
    staging->bytes = request->bytes;
    return RUNG_OK;
}

static rung_result run(void *object, void *data)
{
    struct staging *staging = object;
    struct rung__buffer_request *request = data;
    if (request->what == RUNG__BUFFER_HAND_OVER) {
        memcpy(request->input, staging->memory, (size_t)request->bytes);
        return RUNG_OK;
    }
    rung_result result = reserve(object, request);
    request->target = staging->memory;
    return result;
}

static void destroy(void *object)
{
    struct staging *staging = object;
    if (!staging)
        return;
    rung__ledger_freed(staging->ledger, sizeof *staging + staging->bytes);
    free(staging->memory);
    free(staging);
}

static const struct rung__stage_operations operations = {
    .create = create,
    .reserve = reserve,
    .run = run,
    .destroy = destroy,
};

const struct rung__implementation rung__buffer_base = {
    RUNG__ON_ANY_CPU,
    .id = RUNG__STAGE_BASE,
    .stage = RUNG__STAGE_BUFFER,
    .output = "the runtime's input, copied in",
    .stream = "done when it returns",
    .operations = &operations,
};
