/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/vectors_compare.h"

#include "artifact/header.h"
#include "base/error.h"
#include "kernel/exact.h"
#include "kernel/resample.h"

#define UNTOUCHED 0xa5

/* ---- geometry and arithmetic ----------------------------------------------------------------- */

static rung_result same_axis(const struct rung__axis *actual, const struct rung__axis *expected)
{
    rung_result result =
        rung__vectors_same_bits("AU", rung__f32_bits(actual->au), rung__f32_bits(expected->au));
    if (result == RUNG_OK)
        result =
            rung__vectors_same_bits("BU", rung__f32_bits(actual->bu), rung__f32_bits(expected->bu));
    if (result == RUNG_OK)
        result = rung__vectors_same("edge_min", (uint64_t)actual->low, (uint64_t)expected->low);
    if (result == RUNG_OK)
        result = rung__vectors_same("edge_max", (uint64_t)actual->high, (uint64_t)expected->high);
    return result;
}

rung_result rung__vectors_check_fit(struct rung__vectors_run *run,
                                    const struct rung__vectors_case *vector)
{
    (void)run;
    const struct rung__vectors_fit *fit = &vector->fit;
    const struct rung__placement placement = rung__vectors_place(&fit->place);
    struct rung__mapping mapping;
    rung__mapping(&placement, fit->place.source_width, fit->place.source_height, &mapping);
    rung_result result = rung__vectors_same_place(&placement, &fit->placement);
    if (result == RUNG_OK)
        result = rung__vectors_same("k", mapping.k, fit->mapping.k);
    if (result == RUNG_OK)
        result = same_axis(&mapping.x, &fit->mapping.x);
    if (result == RUNG_OK)
        result = same_axis(&mapping.y, &fit->mapping.y);
    return result;
}

rung_result rung__vectors_check_axis(struct rung__vectors_run *run,
                                     const struct rung__vectors_case *vector)
{
    const struct rung__vectors_axis *axis = &vector->axis;
    const uint32_t taps = rung__axis_triangle_taps(axis->outputs, axis->samples);
    const uint64_t weight_bytes = (uint64_t)axis->outputs * taps * sizeof(uint32_t);
    struct rung__window *windows =
        rung__vectors_take(run, axis->outputs * sizeof *windows, UNTOUCHED);
    uint32_t *weights = rung__vectors_take(run, weight_bytes, UNTOUCHED);
    uint8_t *table = rung__vectors_take(run, (uint64_t)axis->outputs * 8 + weight_bytes, 0);
    if (!windows || !weights || !table)
        return RUNG_NO_MEMORY;
    uint8_t *at = table;
    rung__axis_triangle(axis->outputs, axis->samples, windows, weights);
    for (uint32_t i = 0; i < axis->outputs; i++) {
        rung__put_u32(at, windows[i].first);
        rung__put_u32(at + 4, windows[i].count);
        at += 8;
        for (uint32_t j = 0; j < windows[i].count; j++, at += 4)
            rung__put_u32(at, weights[(size_t)i * taps + j]);
    }
    return rung__vectors_same_bytes("the table", table, (size_t)(at - table), &axis->table);
}

rung_result rung__vectors_check_math(struct rung__vectors_run *run,
                                     const struct rung__vectors_case *vector)
{
    (void)run;
    const struct rung__vectors_math *math = &vector->math;
    for (size_t i = 0; i < math->count; i++) {
        const float x = rung__f32_from_bits(math->x[i]);
        const uint32_t exp = rung__f32_bits(rung__exp(x));
        const uint16_t sigmoid = rung__sigmoid_confidence(x);
        if (exp != math->exp[i])
            return rung__fail(RUNG_INTEGRITY, "exp: element %zu is 0x%08x; 0x%08x was expected", i,
                              exp, math->exp[i]);
        if (sigmoid != math->sigmoid[i])
            return rung__fail(RUNG_INTEGRITY, "sigmoid_q16: element %zu is %u; %u was expected", i,
                              sigmoid, math->sigmoid[i]);
    }
    return RUNG_OK;
}

/* ---- pictures -------------------------------------------------------------------------------- */

rung_result rung__vectors_check_admission(struct rung__vectors_run *run,
                                          const struct rung__vectors_case *vector)
{
    (void)run;
    struct rung__canvas canvas = vector->admission.canvas;
    const bool admitted = rung__canvas_admit(&canvas) == RUNG_OK;
    if (admitted == vector->admission.admitted)
        return RUNG_OK;
    if (admitted)
        return rung__fail(RUNG_INTEGRITY, "it is admitted; a refusal was expected");
    return rung__fail(RUNG_INTEGRITY, "it is refused; admission was expected: %s",
                      rung_last_error());
}

rung_result rung__vectors_check_preprocess(struct rung__vectors_run *run,
                                           const struct rung__vectors_case *vector)
{
    const struct rung__vectors_preprocess *preprocess = &vector->preprocess;
    const struct rung__canvas *canvas = &preprocess->place.canvas;
    const struct rung__placement placement = rung__vectors_place(&preprocess->place);
    const size_t size = (size_t)rung__tensor_bytes(canvas);
    struct rung__preprocess_kernels kernels;
    uint8_t *pixels = rung__vectors_take(run, preprocess->surface_bytes, 0);
    void *tensor = rung__vectors_take(run, size, UNTOUCHED);
    rung__preprocess_init(&kernels, run->cpu_flags);
    void *workspace = rung__vectors_take(
        run, rung__preprocess_workspace(&kernels, canvas, &placement), UNTOUCHED);
    if (!pixels || !tensor || !workspace)
        return RUNG_NO_MEMORY;
    struct rung__surface surface = preprocess->surface;
    surface.pixels = pixels;
    rung_result result = rung__vectors_make_surface(preprocess, pixels);
    if (result == RUNG_OK)
        result = rung__surface_check(&surface, &preprocess->place.crop);
    if (result != RUNG_OK)
        return result;
    rung__preprocess(&kernels, canvas, &placement, &surface, workspace, tensor);
    return rung__vectors_same_bytes("the tensor", tensor, size, &preprocess->tensor);
}
