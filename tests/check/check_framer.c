/* SPDX-License-Identifier: Apache-2.0 */
/* One framer gives frame after frame the oracle's bytes, whatever it kept of the frame before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/cpu_flags.h"
#include "pictures.h"
#include "stage/pre/pre.h"

#define SIDE   28
#define FRAMES 12

static void make_with_oracle(const struct rung__pre_request *request, uint8_t *tensor)
{
    struct rung__preprocess_kernels kernels;
    rung__preprocess_init(&kernels, 0);
    struct guarded workspace = guard_bytes(
        (size_t)rung__preprocess_workspace(&kernels, request->canvas, request->placement), 0xa5);
    rung__preprocess(&kernels, request->canvas, request->placement, request->surface,
                     workspace.bytes, tensor);
    guard_free(&workspace);
}

/** A frame of any size; every other one has the very size of its content. */
static void check_frame(struct sweep *sweep, struct rung__framer *framer,
                        const struct rung__canvas *canvas, bool same_size)
{
    const uint32_t width = same_size ? canvas->width : sweep_range(sweep, 1, 40);
    const uint32_t height = same_size ? canvas->height : sweep_range(sweep, 1, 40);
    const uint32_t format = sweep_range(sweep, RUNG_PIXEL_RGB8, RUNG_PIXEL_GRAY8);
    struct picture picture = picture_make(sweep, width, height, format, sweep_range(sweep, 0, 5));
    const struct rung__crop whole = {0, 0, width, height};
    struct guarded actual = guard_bytes((size_t)rung__tensor_bytes(canvas), 0xa5);
    struct guarded expected = guard_bytes(actual.size, 0x5a);
    struct rung__placement placement;
    rung__fit(canvas, &whole, &placement);
    const struct rung__pre_request request = {.canvas = canvas,
                                              .placement = &placement,
                                              .surface = &picture.surface,
                                              .tensor = actual.bytes};
    struct rung__preprocess_frame frame;
    assert_int_equal(rung__framer_begin(framer, &request, &frame), RUNG_OK);
    rung__framer_rows(framer, &frame, 0, 0, canvas->height);
    make_with_oracle(&request, expected.bytes);
    assert_memory_equal(actual.bytes, expected.bytes, actual.size);
    guard_free(&actual);
    guard_free(&expected);
    picture_free(&picture);
}

static void frames_in_a_row_are_the_oracles(void **state)
{
    struct sweep sweep = sweep_start("framer");
    const struct rung__cpu_level *level;
    (void)state;
    for (size_t i = 0; (level = rung__cpu_level(i)); i++)
        for (int n = 0; n < 150; n++) {
            const struct rung__canvas canvas = picture_canvas(&sweep, SIDE);
            struct rung__framer framer;
            const struct rung__stage_context nowhere = {.ledger = NULL};
            rung__framer_init(&framer, &nowhere, level->flags, 1);
            for (int f = 0; f < FRAMES; f++)
                check_frame(&sweep, &framer, &canvas, f % 2);
            rung__framer_finish(&framer);
        }
}

static void a_content_of_the_crops_size_is_its_very_pixels_by_every_resampler(void **state)
{
    struct sweep sweep = sweep_start("same size");
    (void)state;
    for (int n = 0; n < 150; n++) {
        struct rung__canvas canvas = picture_canvas(&sweep, SIDE);
        const uint32_t format = sweep_range(&sweep, RUNG_PIXEL_RGB8, RUNG_PIXEL_GRAY8);
        struct picture picture = picture_make(&sweep, canvas.width, canvas.height, format, 3);
        struct guarded tensors[RUNG_RESAMPLER_NEAREST + 1];
        const struct rung__crop whole = {0, 0, canvas.width, canvas.height};
        struct rung__placement placement;
        rung__fit(&canvas, &whole, &placement);
        for (uint32_t i = 1; i <= RUNG_RESAMPLER_NEAREST; i++) {
            tensors[i] = guard_bytes((size_t)rung__tensor_bytes(&canvas), 0xa5);
            canvas.resampler = (uint8_t)i;
            make_with_oracle(&(struct rung__pre_request){.canvas = &canvas,
                                                         .placement = &placement,
                                                         .surface = &picture.surface},
                             tensors[i].bytes);
            assert_memory_equal(tensors[i].bytes, tensors[1].bytes, tensors[1].size);
        }
        for (uint32_t i = 1; i <= RUNG_RESAMPLER_NEAREST; i++)
            guard_free(&tensors[i]);
        picture_free(&picture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_in_a_row_are_the_oracles),
        cmocka_unit_test(a_content_of_the_crops_size_is_its_very_pixels_by_every_resampler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
