/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/onnx.h"

#include <string.h>

#include "artifact/names.h"
#include "artifact/tensors.h"
#include "base/error.h"

#define OPSET_LEAST 13

static const struct rung__tensor *find_tensor(const struct rung__tensor *tensors, uint32_t count,
                                              const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(tensors[i].name, name) == 0)
            return &tensors[i];
    return NULL;
}

static bool same_shape(const struct rung__tensor *a, const struct rung__tensor *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

static const char *dtype_text(uint32_t dtype)
{
    const char *text = rung__name_text(&rung__dtype_names, dtype);
    return text ? text : "of another type";
}

/* `what` is "input" or "output". */
static rung_result compare_tensor(const char *whose, const char *what,
                                  const struct rung__tensor *declared,
                                  const struct rung__tensor *reals, uint32_t count)
{
    const struct rung__tensor *real = find_tensor(reals, count, declared->name);
    if (!real)
        return rung__fail(RUNG_INTEGRITY, "%s has no %s \"%s\"; its first is \"%s\"", whose, what,
                          declared->name, count ? reals[0].name : "");
    if (real->dtype != declared->dtype)
        return rung__fail(RUNG_INTEGRITY, "%s: %s \"%s\" is %s, not %s as declared", whose, what,
                          declared->name, dtype_text(real->dtype), dtype_text(declared->dtype));
    if (!same_shape(real, declared)) {
        char real_text[RUNG__SHAPE_TEXT], declared_text[RUNG__SHAPE_TEXT];
        rung__tensor_shape_text(real, real_text);
        rung__tensor_shape_text(declared, declared_text);
        return rung__fail(RUNG_INTEGRITY, "%s: %s \"%s\" has shape %s, not %s as declared", whose,
                          what, declared->name, real_text, declared_text);
    }
    return RUNG_OK;
}

static rung_result compare_count(const char *whose, const char *what, uint32_t declared,
                                 uint32_t real)
{
    if (real != declared)
        return rung__fail(RUNG_INTEGRITY, "%s has %u %ss, not %u as declared", whose, real, what,
                          declared);
    return RUNG_OK;
}

rung_result rung__tensors_compare(const char *whose, const struct rung__tensors *declared,
                                  const struct rung__tensor *inputs, uint32_t input_count,
                                  const struct rung__tensor *outputs, uint32_t output_count)
{
    /* The count comes first: of more inputs than one a runtime tells only the first. */
    rung_result result = compare_count(whose, "input", 1, input_count);
    if (result == RUNG_OK)
        result = compare_tensor(whose, "input", &declared->input, inputs, input_count);
    for (uint32_t i = 0; i < declared->output_count && result == RUNG_OK; i++)
        result = compare_tensor(whose, "output", &declared->outputs[i], outputs, output_count);
    if (result == RUNG_OK)
        result = compare_count(whose, "output", declared->output_count, output_count);
    return result;
}

static bool is_free(const struct rung__tensor *tensors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < tensors[i].rank; j++)
            if (!tensors[i].dims[j])
                return true;
    return false;
}

/** What to do about the last error, which says what is other than declared. */
static rung_result add_remedy(const struct rung__onnx *graph)
{
    const bool free_shape =
        is_free(graph->inputs, graph->input_count) || is_free(graph->outputs, graph->output_count);
    return rung__fail(RUNG_INTEGRITY, "%s; %s", rung_last_error(),
                      graph->input_count > 1 || free_shape
                          ? "rung-model fix makes shapes static and takes weights out of the inputs"
                          : "take the graph that is declared, or declare what this one has");
}

rung_result rung__onnx_check(struct rung__bytes payload, const struct rung__tensors *declared)
{
    struct rung__onnx graph;
    rung_result result = rung__onnx_read(payload, &graph);
    if (result != RUNG_OK)
        return result;
    if (graph.opset < OPSET_LEAST)
        return rung__fail(RUNG_INTEGRITY,
                          "the graph is of opset %lld and at least %d is needed; rung-model fix "
                          "raises it",
                          (long long)graph.opset, OPSET_LEAST);
    result = rung__tensors_compare("the graph", declared, graph.inputs, graph.input_count,
                                   graph.outputs, graph.output_count);
    return result == RUNG_INTEGRITY ? add_remedy(&graph) : result;
}
