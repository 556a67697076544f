/* SPDX-License-Identifier: Apache-2.0 */
/* The provider on ONNX Runtime. The library was chosen and loaded before (session/instance.c). */
#include <stdlib.h>

#include "artifact/format.h"
#include "base/error.h"
#include "base/file.h"
#include "provider/provider.h"
#include "provider/running.h"
#include "runtime/ort/ort.h"

struct context {
    struct rung__ort_run run;
    struct rung__model_memory memory;
    struct rung__running running;
};

static void destroy_model(void *model)
{
    rung__ort_session_finish(model);
    free(model);
}

/** A model that was compiled before, from its file. The library keeps nothing of the bytes. */
static rung_result load_compiled(const struct rung__ort *ort,
                                 const struct rung__model_request *request,
                                 struct rung__ort_session *session)
{
    struct rung__file file;
    struct rung__bytes model;
    rung_result result = rung__file_open(request->execution->compiled, &file);
    if (result != RUNG_OK)
        return result;
    result = rung__file_map(&file, &model);
    if (result == RUNG_OK) {
        result =
            rung__ort_session_create(ort, model, request->threads, request->execution, session);
        rung__file_unmap(&model);
    }
    rung__file_close(&file);
    return result;
}

static rung_result load(const struct rung__ort *ort, const struct rung__model_request *request,
                        struct rung__ort_session *session)
{
    if (request->execution && request->execution->compiled)
        return load_compiled(ort, request, session);
    return rung__ort_session_create(ort, request->artifact->sections[RUNG__SECTION_PAYLOAD],
                                    request->threads, request->execution, session);
}

static rung_result create_model(const struct rung__provider *provider,
                                const struct rung__model_request *request, void **model)
{
    (void)provider;
    const struct rung__ort *ort = rung__ort_loaded();
    if (!ort)
        return rung__fail(RUNG_STATE, "no ONNX Runtime is loaded");
    struct rung__ort_session *session = malloc(sizeof *session);
    if (!session)
        return rung__fail(RUNG_NO_MEMORY, "no memory to load a model");
    rung_result result = load(ort, request, session);
    if (result != RUNG_OK) {
        free(session);
        return result;
    }
    *model = session;
    return RUNG_OK;
}

static rung_result query_model(const void *model, struct rung__model_report *report)
{
    const struct rung__ort_session *session = model;
    rung__model_report_fill(report, &session->input, session->input_count, session->outputs,
                            session->output_count, session->executed_by);
    return RUNG_OK;
}

static void destroy_context(void *pointer)
{
    struct context *context = pointer;
    rung__ort_run_finish(&context->run);
    rung__model_memory_finish(&context->memory);
    free(context);
}

static rung_result create_context(void *model, struct rung__model_memory *memory, void **out)
{
    struct rung__model_report report;
    struct context *context = calloc(1, sizeof *context);
    if (!context)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
    context->run.session = model;
    rung_result result = query_model(model, &report);
    if (result == RUNG_OK)
        result = rung__model_memory_create(&report, &context->memory);
    if (result == RUNG_OK)
        result = rung__ort_run_create(model, context->memory.input, context->memory.outputs,
                                      &context->run);
    if (result != RUNG_OK) {
        destroy_context(context);
        return result;
    }
    *memory = context->memory;
    *out = context;
    return RUNG_OK;
}

/** A run that was cancelled and came to its end all the same has answered. */
static rung_result run(void *pointer)
{
    struct context *context = pointer;
    rung__running_begin(&context->running);
    const rung_result result = rung__ort_run_once(&context->run);
    if (!rung__running_end(&context->running))
        return result;
    rung__ort_run_terminate(&context->run, false);
    return result == RUNG_BACKEND ? rung__fail(RUNG_CANCELLED, "the run was cancelled") : result;
}

static void terminate(void *context)
{
    rung__ort_run_terminate(&((struct context *)context)->run, true);
}

static void cancel(void *pointer)
{
    struct context *context = pointer;
    rung__running_cancel(&context->running, terminate, context);
}

/** What is in its arenas, and in a device's memory, it does not tell. */
static void memory_stats(const void *pointer, rung_provider_memory *memory)
{
    const struct context *context = pointer;
    memory->host = rung__model_memory_bytes(&context->memory);
    if (!context->run.session->copies_input)
        memory->device = 0;
}

const struct rung__provider rung__provider_ort = {
    .struct_size = sizeof(struct rung__provider),
    .version = 1,
    .name = "ort",
    .compatibility = RUNG__PROVIDER_ORT,
    .create_model = create_model,
    .destroy_model = destroy_model,
    .query_model = query_model,
    .create_context = create_context,
    .destroy_context = destroy_context,
    .run = run,
    .cancel = cancel,
    .memory_stats = memory_stats,
    .runtime = &rung__runtimes[RUNG__RUNTIME_ORT],
};
