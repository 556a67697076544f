/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "artifact/names.h"
#include "artifact/onnx.h"
#include "artifact/tensors.h"
#include "base/error.h"
#include "base/text.h"
#include "runtime/tract/tract.h"

/* Shapes that the exporter wrote down for the inside of a graph are often wrong, and tract refuses
 * what contradicts them; it finds them all itself from the input's. */
static const char load_options[] = "{\"ignore_value_info\":true}";

static const struct {
    int theirs;
    uint32_t ours;
} element_types[] = {
    {RUNG__TRACT_F32, RUNG_DTYPE_F32},
    {RUNG__TRACT_F16, RUNG_DTYPE_F16},
    {RUNG__TRACT_I8, RUNG_DTYPE_I8},
    {RUNG__TRACT_U8, RUNG_DTYPE_U8},
};

/** An element type that Rung lacks reads as 0. */
static uint32_t dtype_of(int theirs)
{
    for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++)
        if (element_types[i].theirs == theirs)
            return element_types[i].ours;
    return 0;
}

static int type_of(uint32_t dtype)
{
    for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++)
        if (element_types[i].ours == dtype)
            return element_types[i].theirs;
    return 0;
}

static rung_result parse(const struct rung__tract *tract, struct rung__bytes model,
                         struct rung__tract_inference_model **out)
{
    struct rung__tract_onnx *onnx = NULL;
    rung_result result =
        rung__tract_check(tract, tract->call.onnx_create(&onnx), "preparing to read ONNX");
    if (result != RUNG_OK)
        return result;
    result = rung__tract_check(
        tract,
        tract->call.onnx_load_buffer_with_options(onnx, model.data, model.size, load_options, out),
        "loading the model");
    (void)tract->call.onnx_destroy(&onnx);
    return result;
}

/** Inputs and outputs go by index, so both sides must count the same. */
static rung_result check_counts(const struct rung__tract *tract,
                                const struct rung__tract_inference_model *model,
                                const struct rung__onnx *graph)
{
    uintptr_t inputs = 0, outputs = 0;
    rung_result result = rung__tract_check(
        tract, tract->call.inference_model_input_count(model, &inputs), "counting inputs");
    if (result == RUNG_OK)
        result = rung__tract_check(tract, tract->call.inference_model_output_count(model, &outputs),
                                   "counting outputs");
    if (result == RUNG_OK && (inputs != graph->input_count || outputs != graph->output_count))
        result = rung__fail(
            RUNG_INTEGRITY, "tract sees %zu inputs and %zu outputs where the graph has %u and %u",
            (size_t)inputs, (size_t)outputs, graph->input_count, graph->output_count);
    if (result == RUNG_OK && inputs != 1)
        result = rung__fail(RUNG_INTEGRITY, "the model has %zu inputs, not one", (size_t)inputs);
    return result;
}

/** Sets the input to the graph's type and shape, in tract's words such as "1,3,640,640,f32". */
static rung_result set_input(const struct rung__tract *tract,
                             struct rung__tract_inference_model *model,
                             const struct rung__tensor *input)
{
    char text[RUNG__TENSOR_RANK_MAX * 11 + 8] = "";
    struct rung__tract_inference_fact *fact = NULL;
    const char *dtype = rung__name_text(&rung__dtype_names, input->dtype);
    if (!dtype || rung__tensor_elements(input) == 0)
        return rung__fail(RUNG_INTEGRITY,
                          "the input \"%s\" has no fixed shape, or a type that "
                          "Rung does not carry",
                          input->name);
    size_t used = 0;
    for (uint32_t i = 0; i < input->rank; i++) {
        (void)rung__text_format(text + used, sizeof text - used, "%u,", input->dims[i]);
        used += strlen(text + used);
    }
    (void)rung__text_format(text + used, sizeof text - used, "%s", dtype);

    rung_result result =
        rung__tract_check(tract, tract->call.inference_fact_parse(model, text, &fact), input->name);
    if (result == RUNG_OK)
        result = rung__tract_check(
            tract, tract->call.inference_model_set_input_fact(model, 0, fact), input->name);
    if (fact)
        (void)tract->call.inference_fact_destroy(&fact);
    return result;
}

/** What the file says of the outputs is forgotten; what tract finds is compared with it later. */
static rung_result clear_outputs(const struct rung__tract *tract,
                                 struct rung__tract_inference_model *model, uint32_t count)
{
    struct rung__tract_inference_fact *fact = NULL;
    rung_result result =
        rung__tract_check(tract, tract->call.inference_fact_empty(&fact), "describing the outputs");
    for (uint32_t i = 0; i < count && result == RUNG_OK; i++)
        result =
            rung__tract_check(tract, tract->call.inference_model_set_output_fact(model, i, fact),
                              "describing the outputs");
    if (fact)
        (void)tract->call.inference_fact_destroy(&fact);
    return result;
}

static rung_result build(const struct rung__tract *tract,
                         struct rung__tract_inference_model **inference,
                         struct rung__tract_runnable **out)
{
    struct rung__tract_model *typed = NULL;
    rung_result result =
        rung__tract_check(tract, tract->call.inference_model_into_model(inference, &typed),
                          "finding the model's shapes");
    if (result == RUNG_OK)
        result = rung__tract_check(tract, tract->call.model_into_runnable(&typed, out),
                                   "optimising the model");
    return result;
}

/** One dimension; 0 when it is no fixed number that Rung carries. */
static uint32_t read_dimension(const struct rung__tract *tract, const struct rung__tract_fact *fact,
                               uintptr_t axis)
{
    struct rung__tract_dim *dim = NULL;
    int64_t value = 0;
    if (tract->call.fact_dim(fact, axis, &dim) != 0)
        return 0;
    if (tract->call.dim_to_int64(dim, &value) != 0)
        value = 0;
    (void)tract->call.dim_destroy(&dim);
    return value > 0 && value <= INT32_MAX ? (uint32_t)value : 0;
}

/** Fills type and shape beside the name that is there. */
static rung_result describe(const struct rung__tract *tract, const struct rung__tract_fact *fact,
                            struct rung__tensor *out)
{
    uintptr_t rank = 0;
    int type = 0;
    rung_result result =
        rung__tract_check(tract, tract->call.fact_datum_type(fact, &type), out->name);
    if (result == RUNG_OK)
        result = rung__tract_check(tract, tract->call.fact_rank(fact, &rank), out->name);
    if (result == RUNG_OK && rank > RUNG__TENSOR_RANK_MAX)
        result =
            rung__fail(RUNG_INTEGRITY, "\"%s\" of the loaded model has %zu dimensions; at most %u",
                       out->name, (size_t)rank, RUNG__TENSOR_RANK_MAX);
    if (result != RUNG_OK)
        return result;
    out->dtype = dtype_of(type);
    out->rank = (uint32_t)rank;
    for (uint32_t i = 0; i < out->rank; i++)
        out->dims[i] = read_dimension(tract, fact, i);
    return RUNG_OK;
}

static rung_result describe_side(struct rung__tract_session *session, bool is_input, uint32_t index,
                                 const char *name, struct rung__tensor *out)
{
    const struct rung__tract_calls *call = &session->tract->call;
    struct rung__tract_fact *fact = NULL;
    memset(out, 0, sizeof *out);
    (void)rung__text_format(out->name, sizeof out->name, "%s", name);
    rung_result result =
        rung__tract_check(session->tract,
                          (is_input ? call->runnable_input_fact
                                    : call->runnable_output_fact)(session->runnable, index, &fact),
                          name);
    if (result == RUNG_OK)
        result = describe(session->tract, fact, out);
    if (fact)
        (void)call->fact_destroy(&fact);
    return result;
}

static rung_result describe_all(struct rung__tract_session *session, const struct rung__onnx *graph)
{
    const struct rung__tract *tract = session->tract;
    uintptr_t inputs = 0, outputs = 0;
    rung_result result = rung__tract_check(
        tract, tract->call.runnable_input_count(session->runnable, &inputs), "counting inputs");
    if (result == RUNG_OK)
        result =
            rung__tract_check(tract, tract->call.runnable_output_count(session->runnable, &outputs),
                              "counting outputs");
    if (result == RUNG_OK && (inputs != 1 || outputs != graph->output_count))
        result = rung__fail(RUNG_INTEGRITY,
                            "tract made a model of %zu inputs and %zu outputs out of one of 1 and "
                            "%u",
                            (size_t)inputs, (size_t)outputs, graph->output_count);
    session->input_count = 1;
    session->output_count = graph->output_count;
    if (result == RUNG_OK)
        result = describe_side(session, true, 0, graph->inputs[0].name, &session->input);
    for (uint32_t i = 0; i < graph->output_count && result == RUNG_OK; i++)
        result = describe_side(session, false, i, graph->outputs[i].name, &session->outputs[i]);
    return result;
}

rung_result rung__tract_session_create(const struct rung__tract *tract, struct rung__bytes model,
                                       struct rung__tract_session *out)
{
    struct rung__onnx graph;
    struct rung__tract_inference_model *inference = NULL;
    *out = (struct rung__tract_session){.tract = tract};
    rung_result result = rung__onnx_read(model, &graph);
    if (result == RUNG_OK)
        result = parse(tract, model, &inference);
    if (result == RUNG_OK)
        result = check_counts(tract, inference, &graph);
    if (result == RUNG_OK)
        result = set_input(tract, inference, &graph.inputs[0]);
    if (result == RUNG_OK)
        result = clear_outputs(tract, inference, graph.output_count);
    if (result == RUNG_OK)
        result = build(tract, &inference, &out->runnable);
    if (result == RUNG_OK)
        result = describe_all(out, &graph);
    if (inference)
        (void)tract->call.inference_model_destroy(&inference);
    if (result != RUNG_OK)
        rung__tract_session_finish(out);
    return result;
}

void rung__tract_session_finish(struct rung__tract_session *session)
{
    if (session->runnable)
        (void)session->tract->call.runnable_release(&session->runnable);
    session->runnable = NULL;
}

static rung_result wrap_input(const struct rung__tract_session *session, void *data,
                              struct rung__tract_tensor **out)
{
    const struct rung__tensor *input = &session->input;
    uintptr_t shape[RUNG__TENSOR_RANK_MAX];
    for (uint32_t i = 0; i < input->rank; i++)
        shape[i] = input->dims[i];
    return rung__tract_check(session->tract,
                             session->tract->call.tensor_from_bytes(type_of(input->dtype),
                                                                    input->rank, shape, data, out),
                             input->name);
}

/** Copies one output, once it is sure that it has the type and shape that the buffer was made for.
 */
static rung_result copy_output(const struct rung__tract_session *session,
                               struct rung__tract_tensor *tensor,
                               const struct rung__tensor *expected, void *to)
{
    const uintptr_t *shape = NULL;
    const void *data = NULL;
    uintptr_t rank = 0;
    int type = 0;
    rung_result result = rung__tract_check(
        session->tract, session->tract->call.tensor_as_bytes(tensor, &type, &rank, &shape, &data),
        expected->name);
    if (result != RUNG_OK)
        return result;
    bool same = dtype_of(type) == expected->dtype && rank == expected->rank;
    for (uint32_t i = 0; i < expected->rank && same; i++)
        same = shape[i] == expected->dims[i];
    if (!same)
        return rung__fail(RUNG_BACKEND,
                          "tract gives the output \"%s\" another type or shape than it announced",
                          expected->name);
    memcpy(to, data, (size_t)rung__tensor_size(expected));
    return RUNG_OK;
}

/* Each run makes its own state, so that no run can see another; it costs microseconds. */
rung_result rung__tract_run_once(const struct rung__tract_session *session, void *input,
                                 void *const *outputs)
{
    const struct rung__tract *tract = session->tract;
    struct rung__tract_tensor *given = NULL, *made[RUNG__OUTPUTS_MAX] = {NULL};
    rung_result result = wrap_input(session, input, &given);
    if (result == RUNG_OK)
        result = rung__tract_check(tract, tract->call.runnable_run(session->runnable, &given, made),
                                   "running the model");
    for (uint32_t i = 0; i < session->output_count && result == RUNG_OK; i++)
        result = copy_output(session, made[i], &session->outputs[i], outputs[i]);
    for (uint32_t i = 0; i < session->output_count; i++)
        if (made[i])
            (void)tract->call.tensor_destroy(&made[i]);
    if (given)
        (void)tract->call.tensor_destroy(&given);
    return result;
}
