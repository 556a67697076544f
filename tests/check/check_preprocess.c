/* SPDX-License-Identifier: Apache-2.0 */
/* The tensor is what the formulas say, pixel by pixel, and nothing outside the pixels is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guard.h"
#include "kernel/exact.h"
#include "kernel/preprocess.h"
#include "kernel/resample.h"
#include "naive.h"
#include "pictures.h"

static void run_kernel(const struct rung__canvas *canvas, const struct rung__crop *crop,
                       const struct rung__surface *surface, uint8_t *tensor)
{
    struct rung__preprocess_kernels kernels;
    struct rung__placement placement;
    rung__fit(canvas, crop, &placement);
    rung__preprocess_init(&kernels, 0);
    struct guarded workspace =
        guard_bytes((size_t)rung__preprocess_workspace(&kernels, canvas, &placement), 0xa5);
    rung__preprocess(&kernels, canvas, &placement, surface, workspace.bytes, tensor);
    guard_free(&workspace);
}

/** The kernel's tensor is the naive one. */
static void assert_tensor(const struct rung__canvas *canvas, const struct rung__crop *crop,
                          const struct rung__surface *surface)
{
    struct guarded actual = guard_bytes((size_t)rung__tensor_bytes(canvas), 0xa5);
    uint8_t *expected = malloc(actual.size);
    assert_non_null(expected);
    assert_int_equal(rung__surface_check(surface, crop), RUNG_OK);
    memset(expected, 0x5a, actual.size);
    run_kernel(canvas, crop, surface, actual.bytes);
    naive_preprocess(canvas, crop, surface, expected);
    assert_memory_equal(actual.bytes, expected, actual.size);
    free(expected);
    guard_free(&actual);
}

static void random_frames_follow_the_formulas(void **state)
{
    struct sweep sweep = sweep_start("preprocess");
    (void)state;
    for (int i = 0; i < 500; i++) {
        const uint32_t width = sweep_range(&sweep, 1, 40), height = sweep_range(&sweep, 1, 40);
        const uint32_t format = sweep_range(&sweep, RUNG_PIXEL_RGB8, RUNG_PIXEL_GRAY8);
        struct picture picture =
            picture_make(&sweep, width, height, format, sweep_range(&sweep, 0, 5));
        const struct rung__canvas canvas = picture_canvas(&sweep, 28);
        const struct rung__crop crop = picture_crop(&sweep, width, height);
        assert_tensor(&canvas, &crop, &picture.surface);
        picture_free(&picture);
    }
}

/** The last pixel lies at the guard page, and every resampler needs it. */
static void nothing_behind_the_last_pixel_is_read(void **state)
{
    struct sweep sweep = sweep_start("last row");
    (void)state;
    for (uint32_t format = RUNG_PIXEL_RGB8; format <= RUNG_PIXEL_GRAY8; format++)
        for (uint32_t resampler = 1; resampler <= RUNG_RESAMPLER_NEAREST; resampler++)
            for (uint32_t side = 3; side <= 24; side += 7) {
                struct picture picture = picture_make(&sweep, 11, 13, format, 64);
                struct rung__canvas canvas = picture_canvas(&sweep, 1);
                canvas.width = canvas.height = side;
                canvas.fit = RUNG_FIT_STRETCH;
                canvas.resampler = (uint8_t)resampler;
                assert_tensor(&canvas, &(struct rung__crop){0, 0, 11, 13}, &picture.surface);
                assert_tensor(&canvas, &(struct rung__crop){10, 12, 1, 1}, &picture.surface);
                picture_free(&picture);
            }
}

static void fits_follow_the_formulas(void **state)
{
    struct sweep sweep = sweep_start("fit");
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const uint32_t side = i % 2 ? 60 : RUNG__SIDE_MAX;
        struct rung__canvas canvas = picture_canvas(&sweep, side);
        const uint32_t limit = i % 2 ? 60 : 65535;
        const struct rung__crop crop = {sweep_range(&sweep, 0, 9), sweep_range(&sweep, 0, 9),
                                        sweep_range(&sweep, 1, limit),
                                        sweep_range(&sweep, 1, limit)};
        const struct rung__placement expected = naive_fit(&canvas, &crop);
        struct rung__placement actual;
        rung__fit(&canvas, &crop, &actual);
        assert_memory_equal(&actual, &expected, sizeof actual);
    }
}

static void cover_takes_the_centre_with_the_aspect_of_the_canvas(void **state)
{
    const struct rung__canvas square = {.width = 112, .height = 112, .fit = RUNG_FIT_COVER};
    const struct rung__canvas line = {.width = 1, .height = 16384, .fit = RUNG_FIT_COVER};
    struct rung__placement out;
    (void)state;
    rung__fit(&square, &(struct rung__crop){5, 7, 101, 40}, &out);
    assert_int_equal(out.crop.x, 5 + 30); /* 61 / 2, floored */
    assert_int_equal(out.crop.y, 7);
    assert_int_equal(out.crop.width, 40);
    assert_int_equal(out.crop.height, 40);
    assert_int_equal(out.width, 112);
    assert_int_equal(out.x, 0);
    rung__fit(&line, &(struct rung__crop){0, 0, 64, 64}, &out);
    assert_int_equal(out.crop.width, 1); /* 64/16384, at least 1 */
    assert_int_equal(out.crop.height, 64);
}

/** At the largest sides: the tables stay inside the crop and in their memory. */
static void the_largest_sides_fit(void **state)
{
    static const uint32_t sides[][2] = {{16384, 65535}, {1, 65535}, {16384, 1}, {16383, 65534}};
    (void)state;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const uint32_t outputs = sides[i][0], samples = sides[i][1];
        const uint32_t taps = rung__axis_triangle_taps(outputs, samples);
        struct guarded windows = guard_bytes(outputs * sizeof(struct rung__window), 0);
        struct guarded weights = guard_bytes((size_t)outputs * taps * sizeof(uint32_t), 0);
        const struct rung__window *window = (const struct rung__window *)windows.bytes;
        rung__axis_triangle(outputs, samples, (struct rung__window *)windows.bytes,
                            (uint32_t *)weights.bytes);
        for (uint32_t o = 0; o < outputs; o++, window++) {
            assert_true(window->count >= 1 && window->count <= taps);
            assert_true(window->first + window->count <= samples);
        }
        guard_free(&weights);
        guard_free(&windows);
    }
    const struct rung__canvas canvas = {.width = 16384,
                                        .height = 1,
                                        .dtype = RUNG_DTYPE_F32,
                                        .layout = RUNG_LAYOUT_PLANAR,
                                        .fit = RUNG_FIT_STRETCH,
                                        .resampler = RUNG_RESAMPLER_TRIANGLE};
    const struct rung__placement tall = {{0, 0, 65535, 65535}, 16384, 1, 0, 0};
    struct rung__preprocess_kernels kernels;
    rung__preprocess_init(&kernels, 0);
    assert_true(rung__preprocess_workspace(&kernels, &canvas, &tall) > UINT64_C(65535) * 16384 * 3);
}

static void wrong_surfaces_are_refused(void **state)
{
    static const uint8_t pixels[64];
    const struct rung__surface good = {pixels, 12, 4, 4, RUNG_PIXEL_RGB8};
    const struct rung__crop whole = {0, 0, 4, 4};
    struct rung__surface bad[] = {good, good, good, good, good, good, good, good, good};
    (void)state;
    assert_int_equal(rung__surface_check(&good, &whole), RUNG_OK);
    bad[0].pixels = NULL;
    bad[1].width = 0;
    bad[2].height = 0;
    bad[3].width = 65536;
    bad[4].stride = 11;
    bad[5].format = 0;
    bad[6].format = RUNG_PIXEL_GRAY8 + 1;
    bad[7].stride = UINT64_MAX / 3 + 1; /* three of them wrap */
    bad[8].stride = UINT64_MAX;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(rung__surface_check(&bad[i], &whole), RUNG_INVALID_ARGUMENT);
}

/** A pointer that nobody follows. */
static const uint8_t *pointer_to(uintptr_t address)
{
    const uint8_t *pointer;
    memcpy(&pointer, &address, sizeof pointer);
    return pointer;
}

static void surfaces_that_would_wrap_are_refused(void **state)
{
    struct rung__surface surface = {pointer_to(UINTPTR_MAX - 47), 12, 4, 4, RUNG_PIXEL_RGB8};
    const struct rung__crop whole = {0, 0, 4, 4};
    (void)state;
    surface.stride = 13;
    assert_int_equal(rung__surface_check(&surface, &whole), RUNG_INVALID_ARGUMENT);
    surface.stride = 12;
    surface.pixels--;
    assert_int_equal(rung__surface_check(&surface, &whole), RUNG_OK);
    surface.height = 65535;
    surface.pixels = pointer_to(4096);
    surface.stride = UINTPTR_MAX / 2 / 65534;
    assert_int_equal(rung__surface_check(&surface, &whole), RUNG_INVALID_ARGUMENT);
}

static void crops_outside_the_surface_are_refused(void **state)
{
    static const uint8_t pixels[64];
    static const struct rung__crop bad[] = {
        {0, 0, 0, 4},          {0, 0, 4, 0},          {0, 0, 5, 4},          {1, 0, 4, 4},
        {0, 1, 4, 4},          {5, 0, 1, 1},          {4, 0, 1, 1},          {UINT32_MAX, 0, 2, 1},
        {0, UINT32_MAX, 1, 2}, {2, 0, UINT32_MAX, 1}, {0, 2, 1, UINT32_MAX},
    };
    const struct rung__surface surface = {pixels, 12, 4, 4, RUNG_PIXEL_RGB8};
    (void)state;
    assert_int_equal(rung__surface_check(&surface, &(struct rung__crop){3, 3, 1, 1}), RUNG_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(rung__surface_check(&surface, &bad[i]), RUNG_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_frames_follow_the_formulas),
        cmocka_unit_test(nothing_behind_the_last_pixel_is_read),
        cmocka_unit_test(fits_follow_the_formulas),
        cmocka_unit_test(cover_takes_the_centre_with_the_aspect_of_the_canvas),
        cmocka_unit_test(the_largest_sides_fit),
        cmocka_unit_test(wrong_surfaces_are_refused),
        cmocka_unit_test(surfaces_that_would_wrap_are_refused),
        cmocka_unit_test(crops_outside_the_surface_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
