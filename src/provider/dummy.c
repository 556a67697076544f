/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider without a runtime: it takes any graph, reads its inputs and outputs from the file, and
 * answers with numbers made from the input's bytes. The same input gives the same output
 * everywhere, another input another one. It is always built, so that what lies above providers can
 * be tested alone.
 */
#include <stdlib.h>
#include <string.h>

#include "artifact/onnx.h"
#include "base/error.h"
#include "provider/provider.h"
#include "provider/running.h"

struct context {
    const struct rung__model_report *report;
    struct rung__model_memory memory;
    struct rung__running running;
};

static rung_result create_model(const struct rung__provider *provider,
                                const struct rung__model_request *request, void **model)
{
    struct rung__onnx graph;
    (void)provider;
    rung_result result =
        rung__onnx_read(request->artifact->sections[RUNG__SECTION_PAYLOAD], &graph);
    if (result != RUNG_OK)
        return result;
    struct rung__model_report *report = calloc(1, sizeof *report);
    if (!report)
        return rung__fail(RUNG_NO_MEMORY, "no memory to load a model");
    rung__model_report_fill(report, &graph.inputs[0], graph.input_count, graph.outputs,
                            graph.output_count, "dummy");
    *model = report;
    return RUNG_OK;
}

static rung_result query_model(const void *model, struct rung__model_report *report)
{
    *report = *(const struct rung__model_report *)model;
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
    struct context *context = calloc(1, sizeof *context);
    if (!context)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
    context->report = model;
    rung_result result = rung__model_memory_create(model, &context->memory);
    if (result != RUNG_OK) {
        destroy_context(context);
        return result;
    }
    *memory = context->memory;
    *out = context;
    return RUNG_OK;
}

/** FNV-1a of the input starts the generator. */
static uint32_t seed_of(const struct rung__model_memory *memory)
{
    const uint8_t *bytes = memory->input;
    uint32_t hash = 2166136261u;
    for (uint64_t i = 0; i < memory->input_bytes; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

/** The next number of a linear congruential generator, 0 <= value < 1 in steps of 1/256. */
static float next_fraction(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 24) / 256.0f;
}

static void fill(const struct context *context, uint32_t index, uint32_t *state)
{
    uint8_t *bytes = context->memory.outputs[index];
    const uint64_t size = context->memory.output_bytes[index];
    if (context->report->outputs[index].dtype != RUNG_DTYPE_F32) {
        for (uint64_t n = 0; n < size; n++)
            bytes[n] = (uint8_t)(next_fraction(state) * 60.0f); /* any f16 of these is finite */
        return;
    }
    for (uint64_t n = 0; n + 4 <= size; n += 4) {
        float value = next_fraction(state);
        memcpy(bytes + n, &value, sizeof value);
    }
}

static rung_result run(void *pointer)
{
    struct context *context = pointer;
    rung__running_begin(&context->running);
    uint32_t state = seed_of(&context->memory);
    for (uint32_t i = 0; i < context->report->output_count; i++)
        if (!rung__running_is_cancelled(&context->running))
            fill(context, i, &state);
    return rung__running_end(&context->running)
               ? rung__fail(RUNG_CANCELLED, "the run was cancelled")
               : RUNG_OK;
}

static void cancel(void *pointer)
{
    rung__running_cancel(&((struct context *)pointer)->running, NULL, NULL);
}

static void memory_stats(const void *pointer, rung_provider_memory *memory)
{
    const struct context *context = pointer;
    *memory = (rung_provider_memory){.host = sizeof *context + sizeof *context->report +
                                             rung__model_memory_bytes(&context->memory)};
}

const struct rung__provider rung__provider_dummy = {
    .struct_size = sizeof(struct rung__provider),
    .version = 1,
    .name = "dummy",
    .compatibility = ~0ull, /* it reads nothing of the graph but its edges */
    .create_model = create_model,
    .destroy_model = free,
    .query_model = query_model,
    .create_context = create_context,
    .destroy_context = destroy_context,
    .run = run,
    .cancel = cancel,
    .memory_stats = memory_stats,
};
