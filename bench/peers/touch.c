/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/ours.h"

#include <stdbool.h>
#include <stdlib.h>

#include "kernel/cpu_flags.h"
#include "kernel/fit.h"
#include "kernel/resample.h"

struct bench_touch {
    struct bench_form form;
    void (*run)(const struct bench_touch *, const uint8_t *, uint8_t *);
    uint32_t content_height, top;
    struct rung__pair *pairs; /**< the two rows of the picture for each row of the content */
};

#define TOUCH_BYTES 16
#define TOUCH_TARGET
#include "peers/touch_loop.h"

#if RUNG__HAVE_X86
#define TOUCH_BYTES  32
#define TOUCH_TARGET __attribute__((target("avx2")))
#include "peers/touch_loop.h"

#define TOUCH_BYTES  64
#define TOUCH_TARGET __attribute__((target("avx512f")))
#include "peers/touch_loop.h"
#endif

#define VECTOR_MAX 64u

static void choose(struct bench_touch *bench, uint64_t flags)
{
    bench->run = touch_16;
#if RUNG__HAVE_X86
    if (flags & RUNG__CPU_AVX2)
        bench->run = touch_32;
    if (flags & RUNG__CPU_AVX512)
        bench->run = touch_64;
#endif
    (void)flags;
}

static bool takes(const struct bench_form *form)
{
    return form->resampler == RUNG_RESAMPLER_BILINEAR && form->dtype == RUNG_DTYPE_F32 &&
           form->layout == RUNG_LAYOUT_PLANAR && form->canvas_width % 16 == 0 &&
           (size_t)3 * form->width >= VECTOR_MAX;
}

struct bench_touch *bench_touch_new(uint32_t level, const struct bench_form *form)
{
    const struct rung__cpu_level *found = rung__cpu_level(level);
    const struct rung__canvas canvas = {.width = form->canvas_width,
                                        .height = form->canvas_height,
                                        .fit = (uint8_t)form->fit,
                                        .rounding = RUNG_ROUNDING_NEAREST};
    struct rung__placement placement;
    struct bench_touch *bench = calloc(1, sizeof *bench);
    if (!found || !bench || !takes(form))
        goto fail;
    rung__fit(&canvas, &(struct rung__crop){0, 0, form->width, form->height}, &placement);
    bench->form = *form;
    bench->content_height = placement.height;
    bench->top = placement.y;
    bench->pairs = calloc(placement.height, sizeof *bench->pairs);
    if (!bench->pairs)
        goto fail;
    rung__axis_bilinear(placement.height, form->height, bench->pairs);
    choose(bench, found->flags);
    return bench;
fail:
    free(bench);
    return NULL;
}

void bench_touch_run(const struct bench_touch *bench, const uint8_t *pixels, void *tensor)
{
    bench->run(bench, pixels, tensor);
}

void bench_touch_delete(struct bench_touch *bench)
{
    if (bench)
        free(bench->pairs);
    free(bench);
}
