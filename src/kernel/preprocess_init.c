/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/preprocess.h"

#include "artifact/tensors.h"
#include "kernel/bilinear.h"
#include "kernel/cpu_flags.h"
#include "kernel/nearest.h"
#include "kernel/triangle.h"

void rung__preprocess_init(struct rung__preprocess_kernels *kernels, uint64_t cpu_flags)
{
    (void)cpu_flags;
    for (uint32_t i = 0; i <= RUNG_RESAMPLER_NEAREST; i++)
        kernels->resamplers[i] = rung__resampler_c;
#if RUNG__HAVE_X86
    if (cpu_flags & RUNG__CPU_AVX2) {
        kernels->resamplers[RUNG_RESAMPLER_BILINEAR] = rung__bilinear_avx2;
        kernels->resamplers[RUNG_RESAMPLER_TRIANGLE] = rung__triangle_avx2;
        kernels->resamplers[RUNG_RESAMPLER_NEAREST] = rung__nearest_avx2;
    }
    if (cpu_flags & RUNG__CPU_AVX512) {
        kernels->resamplers[RUNG_RESAMPLER_BILINEAR] = rung__bilinear_avx512;
        kernels->resamplers[RUNG_RESAMPLER_TRIANGLE] = rung__triangle_avx512;
        kernels->resamplers[RUNG_RESAMPLER_NEAREST] = rung__nearest_avx512;
    }
#endif
#if RUNG__HAVE_NEON
    if (cpu_flags & RUNG__CPU_NEON) {
        kernels->resamplers[RUNG_RESAMPLER_BILINEAR] = rung__bilinear_neon;
        kernels->resamplers[RUNG_RESAMPLER_TRIANGLE] = rung__triangle_neon;
        kernels->resamplers[RUNG_RESAMPLER_NEAREST] = rung__nearest_neon;
    }
#endif
}

uint64_t rung__tensor_bytes(const struct rung__canvas *canvas)
{
    const uint32_t elements = canvas->layout == RUNG_LAYOUT_BGRA ? 4 : 3;
    return (uint64_t)canvas->width * canvas->height * elements * rung__dtype_bytes(canvas->dtype);
}

uint64_t rung__preprocess_workspace(const struct rung__preprocess_kernels *kernels,
                                    const struct rung__canvas *canvas,
                                    const struct rung__placement *placement)
{
    const struct rung__resampler *resampler = &kernels->resamplers[canvas->resampler];
    return resampler->tables_bytes(resampler, canvas, placement) +
           resampler->scratch_bytes(resampler, canvas, placement);
}

void rung__preprocess(const struct rung__preprocess_kernels *kernels,
                      const struct rung__canvas *canvas, const struct rung__placement *placement,
                      const struct rung__surface *surface, void *workspace, void *tensor)
{
    const struct rung__resampler *resampler = &kernels->resamplers[canvas->resampler];
    const struct rung__preprocess_frame frame = {canvas, placement, surface, workspace, tensor};
    resampler->make_tables(resampler, &frame);
    resampler->rows(resampler, &frame, 0, canvas->height,
                    (uint8_t *)workspace + resampler->tables_bytes(resampler, canvas, placement));
}
