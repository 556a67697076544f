/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/ours.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/cpu_flags.h"
#include "kernel/fit.h"
#include "kernel/resample.h"

/*
 * The same loop is compiled for each level: a vector of 64 bytes is one register or several there.
 * Vectors are handed over by address, for how one is passed depends on the level.
 */
typedef uint64_t vector __attribute__((vector_size(64)));
#define VECTOR sizeof(vector)

struct bench_touch {
    struct bench_form form;
    void (*run)(const struct bench_touch *, const uint8_t *, uint8_t *);
    uint32_t content_height, top;
    struct rung__pair *pairs; /**< the two rows of the picture for each row of the content */
};

/** Every byte, by whole vectors; the last one may overlap the one before it. */
static inline __attribute__((always_inline)) void read_row(const uint8_t *row, size_t bytes,
                                                           vector *sum)
{
    vector part;
    for (size_t i = 0; i + VECTOR <= bytes; i += VECTOR) {
        memcpy(&part, row + i, VECTOR);
        *sum ^= part;
    }
    memcpy(&part, row + bytes - VECTOR, VECTOR);
    *sum ^= part;
}

static inline __attribute__((always_inline)) void
store_row(const struct bench_form *form, uint32_t y, const vector *value, uint8_t *tensor)
{
    const size_t row_bytes = form->canvas_width * sizeof(float);
    for (size_t plane = 0; plane < 3; plane++) {
        uint8_t *row = tensor + (plane * form->canvas_height + y) * row_bytes;
        for (size_t i = 0; i < row_bytes; i += VECTOR)
            memcpy(row + i, value, VECTOR);
    }
}

static inline __attribute__((always_inline)) void touch(const struct bench_touch *bench,
                                                        const uint8_t *pixels, uint8_t *tensor)
{
    const size_t row_bytes = (size_t)3 * bench->form.width;
    uint32_t next = 0; /* the first row that was not read yet */
    vector sum = {0};
    for (uint32_t y = 0; y < bench->form.canvas_height; y++) {
        if (y >= bench->top && y - bench->top < bench->content_height) {
            const struct rung__pair *pair = &bench->pairs[y - bench->top];
            for (uint32_t row = pair->first > next ? pair->first : next; row <= pair->second; row++)
                read_row(pixels + row * row_bytes, row_bytes, &sum);
            next = pair->second + 1;
        }
        store_row(&bench->form, y, &sum, tensor);
    }
}

static void touch_scalar(const struct bench_touch *bench, const uint8_t *pixels, uint8_t *tensor)
{
    touch(bench, pixels, tensor);
}

#if RUNG__HAVE_X86
__attribute__((target("avx2"))) static void touch_avx2(const struct bench_touch *bench,
                                                       const uint8_t *pixels, uint8_t *tensor)
{
    touch(bench, pixels, tensor);
}

__attribute__((target("avx512f,avx512bw"))) static void
touch_avx512(const struct bench_touch *bench, const uint8_t *pixels, uint8_t *tensor)
{
    touch(bench, pixels, tensor);
}
#endif

static void choose(struct bench_touch *bench, uint64_t flags)
{
    bench->run = touch_scalar;
#if RUNG__HAVE_X86
    if (flags & RUNG__CPU_AVX2)
        bench->run = touch_avx2;
    if (flags & RUNG__CPU_AVX512)
        bench->run = touch_avx512;
#endif
    (void)flags;
}

static bool takes(const struct bench_form *form)
{
    return form->resampler == RUNG_RESAMPLER_BILINEAR && form->dtype == RUNG_DTYPE_F32 &&
           form->layout == RUNG_LAYOUT_PLANAR && form->canvas_width % 16 == 0 &&
           (size_t)3 * form->width >= VECTOR;
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
