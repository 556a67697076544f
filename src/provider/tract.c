/* SPDX-License-Identifier: Apache-2.0 */
/* The provider on tract, the floor: one thread, no accelerator, but hardly anything that it needs.
 */
#include <stdlib.h>

#include "artifact/format.h"
#include "base/error.h"
#include "provider/provider.h"
#include "runtime/tract/tract.h"
#include "runtime/tract/trial.h"

struct context {
    const struct rung__tract_session *session;
    struct rung__model_memory memory;
};

static void destroy_model(void *model)
{
    rung__tract_session_finish(model);
    free(model);
}

static rung_result create_model(const struct rung__provider *provider,
                                const struct rung__model_request *request, void **model)
{
    (void)provider;
    const struct rung__bytes graph = request->artifact->sections[RUNG__SECTION_PAYLOAD];
    const struct rung__tract *tract = rung__tract_loaded();
    if (!tract)
        return rung__fail(RUNG_STATE, "no tract is loaded");
    rung_result result = RUNG_OK;
    if (!request->expendable)
        result = rung__tract_try(tract, request->helper, graph, RUNG__TRACT_TRIAL_NS);
    if (result != RUNG_OK)
        return result;
    struct rung__tract_session *session = malloc(sizeof *session);
    if (!session)
        return rung__fail(RUNG_NO_MEMORY, "no memory to load a model");
    result = rung__tract_session_create(tract, graph, session);
    if (result != RUNG_OK) {
        free(session);
        return result;
    }
    *model = session;
    return RUNG_OK;
}

static rung_result query_model(const void *model, struct rung__model_report *report)
{
    const struct rung__tract_session *session = model;
    rung__model_report_fill(report, &session->input, session->input_count, session->outputs,
                            session->output_count, "tract");
    return RUNG_OK;
}

static void destroy_context(void *pointer)
{
    struct context *context = pointer;
    rung__model_memory_finish(&context->memory);
    free(context);
}

static rung_result create_context(void *model, struct rung__model_memory *memory, void **out)
{
    struct rung__model_report report;
    struct context *context = calloc(1, sizeof *context);
    if (!context)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
    context->session = model;
    rung_result result = query_model(model, &report);
    if (result == RUNG_OK)
        result = rung__model_memory_create(&report, &context->memory);
    if (result != RUNG_OK) {
        destroy_context(context);
        return result;
    }
    *memory = context->memory;
    *out = context;
    return RUNG_OK;
}

static rung_result run(void *pointer)
{
    const struct context *context = pointer;
    return rung__tract_run_once(context->session, context->memory.input, context->memory.outputs);
}

static void memory_stats(const void *pointer, rung_provider_memory *memory)
{
    const struct context *context = pointer;
    memory->host = rung__model_memory_bytes(&context->memory);
    memory->device = 0;
}

const struct rung__provider rung__provider_tract = {
    .struct_size = sizeof(struct rung__provider),
    .version = 1,
    .name = "tract",
    .compatibility = RUNG__PROVIDER_TRACT,
    .create_model = create_model,
    .destroy_model = destroy_model,
    .query_model = query_model,
    .create_context = create_context,
    .destroy_context = destroy_context,
    .run = run,
    .memory_stats = memory_stats,
    .runtime = &rung__runtimes[RUNG__RUNTIME_TRACT],
    .needs_helper = true,
    .single_threaded = true,
};
