/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts and runs of a provider from outside. */
#include <stdlib.h>
#include <string.h>

#include "artifact/tensors.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "base/wait.h"
#include "provider/external.h"

#define POLL_NS UINT64_C(50000) /* as rung/provider.h promises */

struct context {
    const struct rung__external_model *model;
    void *theirs;
    struct rung__running running;
    rung_result broken; /**< why it runs nothing more; OK: it does */
};

static rung_result check_memory(const struct rung__external_model *model,
                                const struct rung__tensor *tensor, const void *memory,
                                uint64_t bytes, uint32_t alignment)
{
    const uint64_t needed = rung__tensor_size(tensor);
    const char *name = model->external->name;
    if (!memory || bytes != needed)
        return rung__fail(RUNG_BACKEND, "%s: create_context gives \"%s\" %llu bytes; it takes %llu",
                          name, tensor->name, (unsigned long long)(memory ? bytes : 0),
                          (unsigned long long)needed);
    if ((uintptr_t)memory % alignment)
        return rung__fail(RUNG_BACKEND,
                          "%s: create_context gives \"%s\" memory that is not aligned to %u bytes",
                          name, tensor->name, alignment);
    return RUNG_OK;
}

static rung_result take_buffers(const struct rung__external_model *model,
                                const rung_provider_buffers *buffers, struct rung__model_memory *to)
{
    const struct rung__model_report *report = &model->report;
    rung_result result = check_memory(model, &report->input, buffers->input, buffers->input_bytes,
                                      model->report.input_alignment);
    *to = (struct rung__model_memory){.input = buffers->input, .input_bytes = buffers->input_bytes};
    for (uint32_t i = 0; i < report->output_count && result == RUNG_OK; i++) {
        to->outputs[i] = buffers->outputs[i];
        to->output_bytes[i] = buffers->output_bytes[i];
        result = check_memory(model, &report->outputs[i], buffers->outputs[i],
                              buffers->output_bytes[i], model->report.output_alignments[i]);
    }
    return result;
}

/** As the library's own memory is before the first run. */
static void zero(const struct rung__model_memory *memory)
{
    memset(memory->input, 0, (size_t)memory->input_bytes);
    for (uint32_t i = 0; i < RUNG__OUTPUTS_MAX && memory->outputs[i]; i++)
        memset(memory->outputs[i], 0, (size_t)memory->output_bytes[i]);
}

rung_result rung__external_create_context(void *pointer, struct rung__model_memory *memory,
                                          void **out)
{
    const struct rung__external_model *model = pointer;
    const struct rung__external_call call = rung__external_begin(model->external, "create_context");
    rung_provider_buffers buffers = {.struct_size = sizeof buffers, .version = RUNG_STRUCT_VERSION};
    struct context *context = calloc(1, sizeof *context);
    if (!context)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
    context->model = model;
    rung_result result = rung__external_end(
        &call, model->external->theirs.create_context(model->theirs, &buffers, &context->theirs),
        0);
    if (result != RUNG_OK) {
        free(context);
        return rung__external_unmade(result);
    }
    result = take_buffers(model, &buffers, memory);
    if (result != RUNG_OK) {
        model->external->theirs.destroy_context(context->theirs);
        free(context);
        return result;
    }
    zero(memory);
    *out = context;
    return RUNG_OK;
}

/** It ends whatever that answers; the sentence of what went before stays. */
static rung_result synchronize(const struct context *context)
{
    const rung_provider *theirs = &context->model->external->theirs;
    const struct rung__external_call call =
        rung__external_begin(context->model->external, "synchronize");
    if (!theirs->synchronize)
        return RUNG_OK;
    return rung__external_end(&call, theirs->synchronize(context->theirs), 0);
}

void rung__external_destroy_context(void *pointer)
{
    struct context *context = pointer;
    if (context->broken != RUNG_DEVICE_LOST)
        (void)synchronize(context);
    context->model->external->theirs.destroy_context(context->theirs);
    free(context);
}

/** Until the run has ended; OK: it is to be collected. */
static rung_result await(const struct context *context)
{
    const struct rung__external *external = context->model->external;
    const rung_provider *theirs = &external->theirs;
    struct rung__external_call call = rung__external_begin(external, "wait");
    rung_result result = RUNG_OK;
    if (theirs->wait) {
        do
            result = theirs->wait(context->theirs, UINT64_MAX);
        while (result == RUNG_TIMEOUT);
    } else if (theirs->poll) {
        atomic_uint never = 0;
        call = rung__external_begin(external, "poll");
        while ((result = theirs->poll(context->theirs)) == RUNG_BUSY)
            (void)rung__wait(&never, 0, rung__clock_now() + POLL_NS);
    }
    return rung__external_end(&call, result, 0);
}

static void tell(void *pointer)
{
    const struct context *context = pointer;
    context->model->external->theirs.cancel(context->theirs);
}

/** Submits and waits. Who cancels before it is submitted is heard when it is. */
static rung_result run_once(struct context *context)
{
    const struct rung__external *external = context->model->external;
    const rung_provider *theirs = &external->theirs;
    struct rung__external_call call = rung__external_begin(external, "submit");
    rung_result result = rung__external_end(&call, theirs->submit(context->theirs), 0);
    if (result != RUNG_OK)
        return result;
    if (rung__running_start(&context->running))
        tell(context);
    result = await(context);
    if (result != RUNG_OK)
        return result;
    call = rung__external_begin(external, "collect");
    return rung__external_end(&call, theirs->collect(context->theirs), RUNG__MAY(RUNG_CANCELLED));
}

/** Behind a failure, whose sentence stays: where it cannot be undone the context runs nothing more.
 */
static void recover(struct context *context, rung_result failure)
{
    const struct rung__external *external = context->model->external;
    const rung_provider *theirs = &external->theirs;
    char why[RUNG__ERROR_BYTES];
    (void)rung__text_format(why, sizeof why, "%s", rung_last_error());
    context->broken = failure == RUNG_DEVICE_LOST ? RUNG_DEVICE_LOST : synchronize(context);
    if (context->broken == RUNG_OK && theirs->reset) {
        const struct rung__external_call call = rung__external_begin(external, "reset");
        context->broken = rung__external_end(&call, theirs->reset(context->theirs), 0);
    }
    (void)rung__fail(failure, "%s", why);
}

rung_result rung__external_run(void *pointer)
{
    struct context *context = pointer;
    const char *name = context->model->external->name;
    if (context->broken != RUNG_OK)
        return rung__fail(context->broken,
                          "%s: a run failed, and the context could not be brought back (%s); make "
                          "another one",
                          name, rung_result_text(context->broken));
    rung__running_prepare(&context->running);
    rung_result result = run_once(context);
    if (!rung__running_end(&context->running) && result == RUNG_CANCELLED)
        result =
            rung__fail(RUNG_BACKEND, "%s: a run ended as cancelled, and nobody cancelled it", name);
    if (result != RUNG_OK && result != RUNG_CANCELLED)
        recover(context, result);
    return result;
}

void rung__external_cancel(void *pointer)
{
    struct context *context = pointer;
    rung__running_cancel(&context->running, tell, context);
}

void rung__external_memory_stats(const void *pointer, rung_provider_memory *memory)
{
    const struct context *context = pointer;
    const rung_provider *theirs = &context->model->external->theirs;
    if (!theirs->memory_stats || theirs->memory_stats(context->theirs, memory) != RUNG_OK)
        *memory = context->model->memory;
}
