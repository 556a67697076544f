/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two rungs answered the same. */
#include <math.h>

#include "artifact/golden.h"
#include "artifact/tensors.h"
#include "kernel/exact.h"
#include "ladder/pins.h"
#include "ladder/probe.h"

/* Relative L2 distances that two correct implementations of one form stay below. */
#define TOLERANCE_F32   1e-3
#define TOLERANCE_OTHER 2e-2 /* of f16 and of quantised forms */

/* A root mean square below which an output is all zero. */
#define NEARLY_ZERO 1e-6

static double value_at(const struct rung__tensor *tensor, const uint8_t *data, uint64_t index)
{
    switch (tensor->dtype) {
    case RUNG_DTYPE_F32:
        return (double)rung__get_f32(data + 4 * index);
    case RUNG_DTYPE_F16:
        return (double)rung__f16_to_f32(rung__get_u16(data + 2 * index));
    case RUNG_DTYPE_I8:
        return (double)(int8_t)data[index];
    default:
        return (double)data[index];
    }
}

static uint64_t element_bytes(const struct rung__tensor *tensor)
{
    return tensor->dtype == RUNG_DTYPE_F32 ? 4 : tensor->dtype == RUNG_DTYPE_F16 ? 2 : 1;
}

/** The relative L2 distance; infinite where a number is not finite. Numbers that are zero but for
 * rounding are not measured against themselves. */
static double distance(const struct rung__tensor *tensor, const uint8_t *right, const uint8_t *data)
{
    const uint64_t count = rung__tensor_size(tensor) / element_bytes(tensor);
    double apart = 0, length = 0;
    for (uint64_t i = 0; i < count; i++) {
        const double expected = value_at(tensor, right, i), value = value_at(tensor, data, i);
        if (!isfinite(value))
            return INFINITY;
        apart += (value - expected) * (value - expected);
        length += expected * expected;
    }
    return sqrt(apart / fmax(length, (double)count * NEARLY_ZERO * NEARLY_ZERO));
}

/** By what the model computes in on the rung. */
static double tolerance_of(const struct rung__rung *rung, const struct rung__header *header)
{
    return rung__rung_precision(rung, header) == RUNG_FORM_F32 ? TOLERANCE_F32 : TOLERANCE_OTHER;
}

/** True when the trials were run on the golden sample's input, which `golden` then is. */
static bool ran_on_golden(const struct rung__artifact_view *artifact, struct rung__golden *golden)
{
    const struct rung__bytes section = artifact->sections[RUNG__SECTION_GOLDEN];
    return section.size && rung__golden_parse(section, &artifact->tensors, golden) == RUNG_OK;
}

/** Compares one output; false, and `wrong`, when it is further off than allowed. */
static bool compare_output(const struct rung__tensor *tensor, const uint8_t *right,
                           const char *whose, double tolerance, const uint8_t *data,
                           struct rung__outcome *outcome)
{
    const double off = distance(tensor, right, data);
    if (off <= tolerance)
        return true;
    if (isinf(off))
        rung__outcome_set(outcome, RUNG__OUTCOME_WRONG,
                          "output \"%s\" has numbers that are not finite", tensor->name);
    else
        rung__outcome_set(outcome, RUNG__OUTCOME_WRONG,
                          "output \"%s\" is off from %s by %.2g (relative L2); at most %.2g",
                          tensor->name, whose, off, tolerance);
    return false;
}

/** Every answer of a trial with the right one; false, and `wrong`, when one is off. */
static bool compare_answers(const struct rung__artifact_view *artifact,
                            const uint8_t *const right[RUNG__OUTPUTS_MAX], const char *whose,
                            double tolerance, struct rung__trial *trial)
{
    const struct rung__tensors *tensors = &artifact->tensors;
    bool same = true;
    for (uint64_t at = 0; at < trial->outputs.size && same;)
        for (uint32_t i = 0; i < tensors->output_count && same; i++) {
            same = compare_output(&tensors->outputs[i], right[i], whose, tolerance,
                                  trial->outputs.data + at, &trial->outcome);
            at += rung__tensor_size(&tensors->outputs[i]);
        }
    return same;
}

static bool compare_trials(const struct rung__artifact_view *artifact,
                           const struct rung__trial *right, const char *whose,
                           struct rung__trial *trial)
{
    const uint8_t *outputs[RUNG__OUTPUTS_MAX] = {0};
    uint64_t at = 0;
    for (uint32_t i = 0; i < artifact->tensors.output_count; i++) {
        outputs[i] = right->outputs.data + at;
        at += rung__tensor_size(&artifact->tensors.outputs[i]);
    }
    return compare_answers(artifact, outputs, whose, tolerance_of(trial->rung, &artifact->header),
                           trial);
}

void rung__probe_compare(const struct rung__artifact_view *artifact,
                         const struct rung__trial *floor, struct rung__trial *trial)
{
    (void)compare_trials(artifact, floor, "the floor's", trial);
}

void rung__probe_compare_golden(const struct rung__artifact_view *artifact,
                                struct rung__trial *floor)
{
    struct rung__golden golden;
    const uint8_t *outputs[RUNG__OUTPUTS_MAX] = {0};
    if (!compare_trials(artifact, floor, "its own of the first run", floor) ||
        !ran_on_golden(artifact, &golden))
        return;
    for (uint32_t i = 0; i < golden.output_count; i++)
        outputs[i] = golden.outputs[i].data;
    (void)compare_answers(artifact, outputs, "the golden sample's", (double)golden.tolerance,
                          floor);
}
