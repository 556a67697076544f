/* SPDX-License-Identifier: Apache-2.0 */
#include "adding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/onnx.h"
#include "artifact/tensors.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"

enum state { IDLE, SUBMITTED, DONE, ENDING };

struct model {
    struct adding *adding;
    struct rung__onnx graph;
};

struct context {
    const struct model *model;
    rung_provider_buffers buffers;
    struct rung__thread thread;
    struct rung__mutex mutex;
    struct rung__condition changed;
    enum state state;
    bool cancelled;
};

/** True, and what it answers, where this function is told to fail. */
static bool fails(const struct adding *adding, const char *function, rung_result *result)
{
    char reason[64];
    if (!adding->fails || !strstr(adding->fails, function))
        return false;
    snprintf(reason, sizeof reason, "told to fail in %s", function);
    *result = adding->silent ? adding->with : rung_provider_fail(adding->with, reason);
    return true;
}

static rung_result enumerate_devices(void *user, uint32_t index, rung_provider_device *device)
{
    const struct adding *adding = user;
    rung_result result;
    if (fails(adding, "enumerate_devices", &result))
        return result;
    if (index > 0 || adding->no_device)
        return rung_provider_fail(RUNG_NOT_FOUND, "there is no more");
    device->flags = RUNG_PROVIDER_DEVICE_CPU;
    snprintf(device->id, sizeof device->id, "adder-0");
    snprintf(device->text, sizeof device->text, "an adder");
    return RUNG_OK;
}

static void tell(const struct rung__tensor *from, rung_provider_tensor *to)
{
    *to = (rung_provider_tensor){
        .dtype = (rung_dtype)from->dtype, .rank = from->rank, .alignment = 128};
    memcpy(to->name, from->name, sizeof to->name);
    memcpy(to->dims, from->dims, sizeof to->dims);
}

static rung_result read_graph(const rung_provider_model *request, struct rung__onnx *graph)
{
    return rung__onnx_read((struct rung__bytes){request->graph, (size_t)request->graph_bytes},
                           graph);
}

static rung_result query_model(void *user, const rung_provider_model *request,
                               rung_provider_answer *answer)
{
    struct adding *adding = user;
    struct rung__onnx graph;
    rung_result result;
    if (fails(adding, "query_model", &result))
        return result;
    if (adding->look)
        adding->look(request);
    if (read_graph(request, &graph) != RUNG_OK) {
        snprintf(answer->reason, sizeof answer->reason, "that is no graph");
        return RUNG_OK;
    }
    answer->flags = RUNG_PROVIDER_CAN_RUN;
    tell(&graph.inputs[0], &answer->input);
    answer->input.layout = request->input->layout;
    for (uint32_t i = 0; i < graph.output_count; i++)
        tell(&graph.outputs[i], &answer->outputs[i]);
    answer->output_count = graph.output_count;
    answer->memory = (rung_provider_memory){.host = 4096};
    if (adding->lie)
        adding->lie(answer);
    return RUNG_OK;
}

static rung_result create_model(void *user, const rung_provider_model *request, void **out)
{
    struct adding *adding = user;
    rung_result result;
    if (fails(adding, "create_model", &result))
        return result;
    struct model *model = calloc(1, sizeof *model);
    if (!model)
        return rung_provider_fail(RUNG_NO_MEMORY, "no memory");
    model->adding = adding;
    result = read_graph(request, &model->graph);
    if (result != RUNG_OK) {
        free(model);
        return result;
    }
    adding->models++;
    *out = model;
    return RUNG_OK;
}

static void destroy_model(void *pointer)
{
    struct model *model = pointer;
    model->adding->models--;
    free(model);
}

float adding_number(const void *input, uint64_t bytes, uint64_t index)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < bytes; i++)
        sum += ((const uint8_t *)input)[i];
    return (float)((sum + index) % 256) / 256.0f;
}

static void add_up(struct context *context)
{
    const rung_provider_buffers *buffers = &context->buffers;
    for (uint32_t i = 0; i < context->model->graph.output_count; i++)
        for (uint64_t n = 0; n + sizeof(float) <= buffers->output_bytes[i]; n += sizeof(float)) {
            const float number =
                adding_number(buffers->input, buffers->input_bytes, n / sizeof(float));
            memcpy((char *)buffers->outputs[i] + n, &number, sizeof number);
        }
}

static void work(void *pointer)
{
    struct context *context = pointer;
    const struct adding *adding = context->model->adding;
    rung__mutex_lock(&context->mutex);
    while (context->state != ENDING) {
        const bool held = adding->holds && !context->cancelled;
        if (context->state != SUBMITTED || held) {
            (void)rung__condition_wait(&context->changed, &context->mutex, RUNG__CLOCK_NEVER);
            continue;
        }
        if (!context->cancelled)
            add_up(context);
        context->state = DONE;
        rung__condition_broadcast(&context->changed);
    }
    rung__mutex_unlock(&context->mutex);
}

static void free_context(struct context *context)
{
    free((char *)context->buffers.input - context->model->adding->misaligned);
    for (uint32_t i = 0; i < context->model->graph.output_count; i++)
        free(context->buffers.outputs[i]);
    rung__condition_finish(&context->changed);
    rung__mutex_finish(&context->mutex);
    free(context);
}

/** Aligned to 128 bytes, as it says. */
static void *allocate(uint64_t bytes)
{
    void *memory = aligned_alloc(128, (size_t)((bytes + 255) / 128 * 128));
    if (!memory)
        abort();
    return memory;
}

static rung_result create_context(void *pointer, rung_provider_buffers *buffers, void **out)
{
    const struct model *model = pointer;
    struct adding *adding = model->adding;
    rung_result result;
    if (fails(adding, "create_context", &result))
        return result;
    struct context *context = calloc(1, sizeof *context);
    if (!context)
        return rung_provider_fail(RUNG_NO_MEMORY, "no memory");
    context->model = model;
    buffers->input_bytes = rung__tensor_size(&model->graph.inputs[0]) - adding->shorter;
    buffers->input = (char *)allocate(buffers->input_bytes) + adding->misaligned;
    for (uint32_t i = 0; i < model->graph.output_count; i++) {
        buffers->output_bytes[i] = rung__tensor_size(&model->graph.outputs[i]);
        buffers->outputs[i] = allocate(buffers->output_bytes[i]);
    }
    context->buffers = *buffers;
    rung__mutex_init(&context->mutex);
    rung__condition_init(&context->changed);
    result = rung__thread_start(&context->thread, "adding", work, context);
    if (result != RUNG_OK) {
        free_context(context);
        return result;
    }
    adding->contexts++;
    *out = context;
    return RUNG_OK;
}

static void set(struct context *context, enum state state)
{
    rung__mutex_lock(&context->mutex);
    context->state = state;
    context->cancelled = false;
    rung__condition_broadcast(&context->changed);
    rung__mutex_unlock(&context->mutex);
}

static void destroy_context(void *pointer)
{
    struct context *context = pointer;
    context->model->adding->contexts--;
    set(context, ENDING);
    rung__thread_join(&context->thread);
    free_context(context);
}

static rung_result submit(void *pointer)
{
    struct context *context = pointer;
    rung_result result;
    context->model->adding->runs++;
    if (fails(context->model->adding, "submit", &result))
        return result;
    set(context, SUBMITTED);
    return RUNG_OK;
}

static rung_result poll(void *pointer)
{
    struct context *context = pointer;
    rung_result result;
    if (fails(context->model->adding, "poll", &result))
        return result;
    rung__mutex_lock(&context->mutex);
    const bool done = context->state == DONE;
    rung__mutex_unlock(&context->mutex);
    return done ? RUNG_OK : RUNG_BUSY;
}

static bool await(struct context *context, uint64_t deadline)
{
    bool in_time = true;
    rung__mutex_lock(&context->mutex);
    while (context->state == SUBMITTED && in_time)
        in_time = rung__condition_wait(&context->changed, &context->mutex, deadline);
    const bool ended = context->state != SUBMITTED;
    rung__mutex_unlock(&context->mutex);
    return ended;
}

static rung_result wait(void *pointer, uint64_t timeout_ns)
{
    struct context *context = pointer;
    const uint64_t now = rung__clock_now();
    rung_result result;
    if (fails(context->model->adding, "wait", &result))
        return result;
    return await(context,
                 timeout_ns > RUNG__CLOCK_NEVER - now ? RUNG__CLOCK_NEVER : now + timeout_ns)
               ? RUNG_OK
               : RUNG_TIMEOUT;
}

static rung_result collect(void *pointer)
{
    struct context *context = pointer;
    rung_result result;
    (void)await(context, RUNG__CLOCK_NEVER);
    rung__mutex_lock(&context->mutex);
    const bool cancelled = context->cancelled;
    context->state = IDLE;
    rung__mutex_unlock(&context->mutex);
    if (fails(context->model->adding, "collect", &result))
        return result;
    return cancelled ? rung_provider_fail(RUNG_CANCELLED, "it was cancelled") : RUNG_OK;
}

static void cancel(void *pointer)
{
    struct context *context = pointer;
    context->model->adding->cancels++;
    rung__mutex_lock(&context->mutex);
    if (context->state == SUBMITTED)
        context->cancelled = true;
    rung__condition_broadcast(&context->changed);
    rung__mutex_unlock(&context->mutex);
}

static rung_result reset(void *pointer)
{
    struct context *context = pointer;
    rung_result result;
    context->model->adding->resets++;
    if (fails(context->model->adding, "reset", &result))
        return result;
    set(context, IDLE);
    return RUNG_OK;
}

static rung_result synchronize(void *pointer)
{
    struct context *context = pointer;
    rung_result result;
    context->model->adding->synchronizations++;
    if (fails(context->model->adding, "synchronize", &result))
        return result;
    (void)await(context, RUNG__CLOCK_NEVER);
    return RUNG_OK;
}

static rung_result memory_stats(const void *pointer, rung_provider_memory *memory)
{
    const struct context *context = pointer;
    rung_result result;
    memory->host = context->buffers.input_bytes;
    for (uint32_t i = 0; i < context->model->graph.output_count; i++)
        memory->host += context->buffers.output_bytes[i];
    memory->device = 0;
    return fails(context->model->adding, "memory_stats", &result) ? result : RUNG_OK;
}

rung_provider adding_table(struct adding *adding)
{
    return (rung_provider){
        .struct_size = sizeof(rung_provider),
        .version = RUNG_STRUCT_VERSION,
        .name = "adding",
        .text = "adds up bytes on a thread of its own",
        .user = adding,
        .enumerate_devices = enumerate_devices,
        .query_model = query_model,
        .create_model = create_model,
        .destroy_model = destroy_model,
        .create_context = create_context,
        .destroy_context = destroy_context,
        .submit = submit,
        .poll = poll,
        .wait = wait,
        .collect = collect,
        .cancel = cancel,
        .reset = reset,
        .synchronize = synchronize,
        .memory_stats = memory_stats,
    };
}
