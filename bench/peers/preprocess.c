/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/ours.h"

#include <stdlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernel/cpu_flags.h"
#include "stage/pre/pre.h"

#define LINE 64u /* bytes of a cache */

#define GREY 114 /* around a letterbox, as the peers have it */

struct bench_preprocess {
    struct bench_form form;
    struct rung__canvas canvas;
    struct rung__placement placement;
    void *framer; /**< as a context has it: tables stay for frames of one size */
};

const char *bench_level_name(uint32_t level)
{
    const struct rung__cpu_level *found = rung__cpu_level(level);
    return found ? found->name : NULL;
}

void bench_evict(const void *memory, size_t bytes)
{
    const char *first = memory;
#if defined(__x86_64__)
    for (size_t i = 0; i < bytes; i += LINE)
        _mm_clflush(first + i);
    if (bytes > 0)
        _mm_clflush(first + bytes - 1);
    _mm_mfence();
#elif defined(__aarch64__)
    for (size_t i = 0; i < bytes; i += LINE)
        __asm__ volatile("dc civac, %0" ::"r"(first + i) : "memory");
    __asm__ volatile("dsb sy" ::: "memory");
#else
#error "no way to evict memory is known for this processor"
#endif
}

static struct rung__canvas canvas_of(const struct bench_form *form)
{
    struct rung__canvas canvas = {
        .width = form->canvas_width,
        .height = form->canvas_height,
        .channels = 3,
        .dtype = (uint8_t)form->dtype,
        .layout = (uint8_t)form->layout,
        .fit = (uint8_t)form->fit,
        .rounding = RUNG_ROUNDING_NEAREST,
        .resampler = (uint8_t)form->resampler,
        .order = RUNG_CHANNEL_ORDER_RGB,
        .fill = {GREY, GREY, GREY},
    };
    for (uint32_t c = 0; c < 3; c++)
        canvas.scale[c] = form->dtype == RUNG_DTYPE_U8 ? 1 : 1 / 255.0f;
    return canvas;
}

struct bench_preprocess *bench_preprocess_new(uint32_t level, const struct bench_form *form)
{
    const struct rung__cpu_level *found = rung__cpu_level(level);
    struct bench_preprocess *bench = calloc(1, sizeof *bench);
    if (!found || !bench)
        goto fail;
    bench->form = *form;
    bench->canvas = canvas_of(form);
    rung__fit(&bench->canvas, &(struct rung__crop){0, 0, form->width, form->height},
              &bench->placement);
    if (rung__framer_create(&(struct rung__stage_context){0}, found->flags, &bench->framer) ==
        RUNG_OK)
        return bench;
fail:
    free(bench);
    return NULL;
}

void bench_preprocess_run(const struct bench_preprocess *bench, const uint8_t *pixels, void *tensor)
{
    const struct rung__surface surface = {
        .pixels = pixels,
        .stride = (uint64_t)3 * bench->form.width,
        .width = bench->form.width,
        .height = bench->form.height,
        .format = RUNG_PIXEL_RGB8,
    };
    struct rung__pre_request request = {
        .canvas = &bench->canvas,
        .placement = &bench->placement,
        .surface = &surface,
        .tensor = tensor,
    };
    (void)rung__pre_run(bench->framer,
                        &request); /* without memory the tensors differ, and it shows */
}

void bench_preprocess_delete(struct bench_preprocess *bench)
{
    if (bench)
        rung__pre_destroy(bench->framer);
    free(bench);
}
