/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "runtime/ort/append.h"
#include "runtime/ort/loss.h"
#include "runtime/ort/ort.h"
#include "runtime/ort/placement.h"
#include "runtime/ort/turns.h"

static const struct {
    int theirs;
    uint32_t ours, bytes;
} element_types[] = {
    {RUNG__ORT_FLOAT, RUNG_DTYPE_F32, 4},
    {RUNG__ORT_FLOAT16, RUNG_DTYPE_F16, 2},
    {RUNG__ORT_INT8, RUNG_DTYPE_I8, 1},
    {RUNG__ORT_UINT8, RUNG_DTYPE_U8, 1},
};

/** Options that hold for every session: all optimisations, no spinning, our log. */
static rung_result set_options(const struct rung__ort *ort, struct rung__ort_options *options,
                               uint32_t threads)
{
    const struct rung__ort_calls *call = &ort->call;
    rung_result result =
        rung__ort_check(ort, call->set_log_severity(options, RUNG__ORT_WARNING), "log level");
    if (result == RUNG_OK)
        result = rung__ort_check(ort, call->set_optimization(options, RUNG__ORT_OPTIMIZE_ALL),
                                 "optimisation level");
    if (result == RUNG_OK)
        result = rung__ort_check(ort, call->set_intra_threads(options, (int)threads), "threads");
    if (result == RUNG_OK)
        result = rung__ort_check(ort, call->set_inter_threads(options, 1), "threads");
    /* Spinning workers cost 1.7 times the run on a busy machine (measured with CenterFace). */
    if (result == RUNG_OK)
        result = rung__ort_check(
            ort, call->set_config(options, "session.intra_op.allow_spinning", "0"), "spinning");
    if (result == RUNG_OK)
        result = rung__ort_check(
            ort, call->set_config(options, "session.inter_op.allow_spinning", "0"), "spinning");
    return result;
}

/** Dimensions that are not fixed numbers read as 0, element types that Rung lacks as 0. */
static rung_result describe_shape(const struct rung__ort *ort, const struct rung__ort_type *type,
                                  struct rung__tensor *out)
{
    const struct rung__ort_calls *call = &ort->call;
    const struct rung__ort_tensor_info *info = NULL;
    int64_t dims[RUNG__TENSOR_RANK_MAX];
    int element = 0;
    size_t rank = 0;
    rung_result result = rung__ort_check(ort, call->get_tensor_info(type, &info), out->name);
    if (result == RUNG_OK && !info)
        result = rung__fail(RUNG_INTEGRITY, "\"%s\" of the loaded model is no tensor", out->name);
    if (result == RUNG_OK)
        result = rung__ort_check(ort, call->get_element_type(info, &element), out->name);
    if (result == RUNG_OK)
        result = rung__ort_check(ort, call->get_rank(info, &rank), out->name);
    if (result == RUNG_OK && rank > RUNG__TENSOR_RANK_MAX)
        result =
            rung__fail(RUNG_INTEGRITY, "\"%s\" of the loaded model has %zu dimensions; at most %u",
                       out->name, rank, RUNG__TENSOR_RANK_MAX);
    if (result == RUNG_OK)
        result = rung__ort_check(ort, call->get_dims(info, dims, rank), out->name);
    if (result != RUNG_OK)
        return result;

    out->rank = (uint32_t)rank;
    for (size_t i = 0; i < rank; i++)
        out->dims[i] = dims[i] > 0 && dims[i] <= INT32_MAX ? (uint32_t)dims[i] : 0;
    for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++)
        if (element_types[i].theirs == element)
            out->dtype = element_types[i].ours;
    return RUNG_OK;
}

static rung_result describe(const struct rung__ort_session *session, bool is_input, size_t index,
                            struct rung__tensor *out)
{
    const struct rung__ort *ort = session->ort;
    const struct rung__ort_calls *call = &ort->call;
    struct rung__ort_type *type = NULL;
    char *name = NULL;
    memset(out, 0, sizeof *out);
    rung_result result = rung__ort_check(ort,
                                         (is_input ? call->get_input_name : call->get_output_name)(
                                             session->handle, index, ort->allocator, &name),
                                         "reading a tensor's name");
    if (result == RUNG_OK && !rung__text_format(out->name, sizeof out->name, "%s", name))
        result = rung__fail(RUNG_INTEGRITY,
                            "the loaded model has a tensor name of more than %u bytes: \"%.32s…\"",
                            RUNG__TENSOR_NAME_MAX, name);
    if (result == RUNG_OK)
        result = rung__ort_check(ort,
                                 (is_input ? call->get_input_type
                                           : call->get_output_type)(session->handle, index, &type),
                                 out->name);
    if (result == RUNG_OK)
        result = describe_shape(ort, type, out);
    if (type)
        call->release_type(type);
    if (name)
        (void)rung__ort_check(ort, call->allocator_free(ort->allocator, name), "freeing a name");
    return result;
}

static rung_result describe_all(struct rung__ort_session *session)
{
    const struct rung__ort *ort = session->ort;
    size_t inputs = 0, outputs = 0;
    rung_result result = rung__ort_check(ort, ort->call.get_input_count(session->handle, &inputs),
                                         "counting inputs");
    if (result == RUNG_OK)
        result = rung__ort_check(ort, ort->call.get_output_count(session->handle, &outputs),
                                 "counting outputs");
    if (result == RUNG_OK && outputs > RUNG__OUTPUTS_MAX)
        result = rung__fail(RUNG_INTEGRITY, "the loaded model has %zu outputs; at most %u", outputs,
                            RUNG__OUTPUTS_MAX);
    if (result == RUNG_OK && inputs > 0)
        result = describe(session, true, 0, &session->input);
    for (size_t i = 0; i < outputs && result == RUNG_OK; i++)
        result = describe(session, false, i, &session->outputs[i]);
    session->input_count = (uint32_t)inputs;
    session->output_count = (uint32_t)outputs;
    return result;
}

/** The execution provider, and what its session is to be like. */
static rung_result set_execution(const struct rung__ort *ort,
                                 const struct rung__execution *execution,
                                 struct rung__ort_options *options)
{
    rung_result result = rung__ort_append(ort, execution, options);
    if (result == RUNG_OK)
        result = rung__ort_forbid_silence(ort, options);
    for (const struct rung__option *option = execution->session;
         option && option->name && result == RUNG_OK; option++)
        result = rung__ort_check(ort, ort->call.set_config(options, option->name, option->value),
                                 option->name);
    return result;
}

static rung_result name_executor(const struct rung__execution *execution,
                                 struct rung__ort_session *session)
{
    char *to = session->executed_by;
    const size_t size = sizeof session->executed_by;
    if (execution && execution->provider)
        return rung__ort_placement(session->ort, session->handle, execution->provider, to, size);
    /* Nothing was appended: there is but one. */
    (void)rung__text_format(to, size, "CPUExecutionProvider");
    return RUNG_OK;
}

/** Makes the session itself, which may use the provider's device. */
static rung_result build(struct rung__ort_session *session, struct rung__bytes model,
                         const struct rung__execution *execution, struct rung__ort_options *options)
{
    const struct rung__ort *ort = session->ort;
    rung_result result = RUNG_OK;
    rung__ort_turn_begin(session);
    if (execution && execution->provider)
        result = set_execution(ort, execution, options);
    if (result == RUNG_OK)
        result = rung__ort_check(
            ort,
            ort->call.create_session(ort->env, model.data, model.size, options, &session->handle),
            "loading the model");
    rung__ort_turn_end(session);
    return result;
}

rung_result rung__ort_session_create(const struct rung__ort *ort, struct rung__bytes model,
                                     uint32_t threads, const struct rung__execution *execution,
                                     struct rung__ort_session *out)
{
    const char *provider = execution ? execution->provider : NULL;
    struct rung__ort_options *options = NULL;
    *out = (struct rung__ort_session){
        .ort = ort,
        .copies_input = provider != NULL,
        .takes_turns = provider && rung__ort_takes_turns(provider),
    };
    rung__ort_forget_log();
    rung_result result =
        rung__ort_check(ort, ort->call.create_options(&options), "making session options");
    if (result == RUNG_OK)
        result = set_options(ort, options, threads);
    if (result == RUNG_OK)
        result = build(out, model, execution, options);
    if (options)
        ort->call.release_options(options);
    if (result == RUNG_OK)
        result = describe_all(out);
    if (result == RUNG_OK)
        result = name_executor(execution, out);
    if (result != RUNG_OK)
        rung__ort_session_finish(out);
    return result;
}

void rung__ort_session_finish(struct rung__ort_session *session)
{
    if (!session->handle)
        return;
    rung__ort_turn_begin(session);
    session->ort->call.release_session(session->handle);
    rung__ort_turn_end(session);
    session->handle = NULL;
}

static rung_result wrap(const struct rung__ort *ort, const struct rung__tensor *tensor, void *data,
                        struct rung__ort_value **out)
{
    int64_t shape[RUNG__TENSOR_RANK_MAX];
    size_t size = 1;
    int type = 0;
    for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++) {
        if (element_types[i].ours != tensor->dtype)
            continue;
        type = element_types[i].theirs;
        size = element_types[i].bytes;
    }
    for (uint32_t i = 0; i < tensor->rank; i++) {
        shape[i] = tensor->dims[i];
        size *= tensor->dims[i];
    }
    return rung__ort_check(
        ort, ort->call.create_tensor(ort->cpu_memory, data, size, shape, tensor->rank, type, out),
        tensor->name);
}

/** In the session's turn. */
static rung_result bind_input(const struct rung__ort_run *run)
{
    const struct rung__ort_session *session = run->session;
    return rung__ort_check(
        session->ort,
        session->ort->call.bind_input(run->binding, session->input.name, run->values[0]),
        session->input.name);
}

static rung_result bind_input_first(const struct rung__ort_run *run)
{
    rung__ort_turn_begin(run->session);
    const rung_result result = bind_input(run);
    rung__ort_turn_end(run->session);
    return result;
}

rung_result rung__ort_run_create(const struct rung__ort_session *session, void *input,
                                 void *const *outputs, struct rung__ort_run *out)
{
    const struct rung__ort *ort = session->ort;
    *out = (struct rung__ort_run){.session = session};
    rung_result result =
        rung__ort_check(ort, ort->call.create_binding(session->handle, &out->binding), "binding");
    if (result == RUNG_OK)
        result =
            rung__ort_check(ort, ort->call.create_run_options(&out->options), "making run options");
    if (result == RUNG_OK)
        result = wrap(ort, &session->input, input, &out->values[0]);
    if (result == RUNG_OK)
        result = bind_input_first(out);
    for (uint32_t i = 0; i < session->output_count && result == RUNG_OK; i++) {
        const struct rung__tensor *tensor = &session->outputs[i];
        result = wrap(ort, tensor, outputs[i], &out->values[1 + i]);
        if (result == RUNG_OK)
            result = rung__ort_check(
                ort, ort->call.bind_output(out->binding, tensor->name, out->values[1 + i]),
                tensor->name);
    }
    if (result != RUNG_OK)
        rung__ort_run_finish(out);
    return result;
}

static rung_result check_run(const struct rung__ort *ort, rung__ort_result status)
{
    const bool lost = status && rung__ort_tells_of_loss(ort->call.get_error_message(status));
    const rung_result result = rung__ort_check(ort, status, "running the model");
    return lost ? rung__fail(RUNG_DEVICE_LOST, "the device is lost: %s", rung_last_error())
                : result;
}

rung_result rung__ort_run_once(struct rung__ort_run *run)
{
    const struct rung__ort_session *session = run->session;
    const struct rung__ort *ort = session->ort;
    rung_result result = RUNG_OK;
    rung__ort_turn_begin(session);
    /* A provider with memory of its own was given what was there when the input was bound. */
    if (session->copies_input)
        result = bind_input(run);
    if (result == RUNG_OK)
        result =
            check_run(ort, ort->call.run_with_binding(session->handle, run->options, run->binding));
    rung__ort_turn_end(session);
    return result;
}

void rung__ort_run_terminate(const struct rung__ort_run *run, bool terminate)
{
    const struct rung__ort *ort = run->session->ort;
    (void)rung__ort_check(
        ort, (terminate ? ort->call.set_terminate : ort->call.unset_terminate)(run->options),
        "ending a run");
}

void rung__ort_run_finish(struct rung__ort_run *run)
{
    const struct rung__ort_calls *call = &run->session->ort->call;
    rung__ort_turn_begin(run->session);
    if (run->binding)
        call->release_binding(run->binding);
    rung__ort_turn_end(run->session);
    if (run->options)
        call->release_run_options(run->options);
    for (size_t i = 0; i < RUNG__ORT_VALUES_MAX; i++)
        if (run->values[i])
            call->release_value(run->values[i]);
    *run = (struct rung__ort_run){.session = run->session};
}
