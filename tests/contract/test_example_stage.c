/* SPDX-License-Identifier: Apache-2.0 */
/* The worked example of docs/stages.md is built and used as the page says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "example/halves.h"
#include "stage/implementations.h"
#include "stage/pre/pre.h"
#include "stage/set.h"

#define SIDE 40

/** The library's catalog with one more line. */
static struct rung__catalog catalog_with_example(void)
{
    static const struct rung__implementation *const preprocess[] = {&rung__pre_halves,
                                                                    &rung__pre_base, NULL};
    struct rung__catalog catalog = rung__catalog;
    catalog.stages[RUNG__STAGE_PREPROCESS] = preprocess;
    return catalog;
}

static struct rung__canvas canvas_of(uint32_t height)
{
    return (struct rung__canvas){.width = 33,
                                 .height = height,
                                 .channels = 3,
                                 .dtype = RUNG_DTYPE_F32,
                                 .layout = RUNG_LAYOUT_PLANAR,
                                 .fit = RUNG_FIT_LETTERBOX,
                                 .rounding = RUNG_ROUNDING_NEAREST,
                                 .resampler = RUNG_RESAMPLER_BILINEAR,
                                 .order = RUNG_CHANNEL_ORDER_RGB,
                                 .scale = {1, 1, 1}};
}

static void make_tensor(const char *id, const struct rung__canvas *canvas, void *tensor,
                        const char *expected)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    const struct rung__catalog catalog = catalog_with_example();
    const struct rung__surface surface = {pixels, (uint64_t)SIDE * 3, SIDE, SIDE, RUNG_PIXEL_RGB8};
    const struct rung__stage_context here = {.device = "cpu",
                                             .device_id = "",
                                             .level = "scalar",
                                             .model = "",
                                             .scenario = RUNG__SCENARIO_FRAME,
                                             .components = RUNG__COMPONENT_IMPORT,
                                             .workers = 1,
                                             .canvas = canvas};
    const struct rung__records none = {0};
    const struct rung__log silent = {0};
    struct rung__plan plan = rung__plan_default();
    struct rung__placement placement;
    struct rung__stage_set set;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 31 >> 2);
    rung__fit(canvas, &(struct rung__crop){0, 0, SIDE, SIDE}, &placement);
    assert_int_equal(rung__plan_set(&plan, RUNG__STAGE_PREPROCESS, id, "the test"), RUNG_OK);
    assert_int_equal(rung__stage_set_init(&set, &catalog, &plan, &here, &none, &silent), RUNG_OK);
    assert_string_equal(set.resolutions[RUNG__STAGE_PREPROCESS].effective->id, expected);
    struct rung__pre_request request = {
        .canvas = canvas, .placement = &placement, .surface = &surface, .tensor = tensor};
    assert_int_equal(rung__stage_run(&set, RUNG__STAGE_PREPROCESS, &request), RUNG_OK);
    rung__stage_set_finish(&set);
}

static void the_example_gives_the_bytes_of_base(void **state)
{
    (void)state;
    for (uint32_t height = 1; height <= 37; height += 9) {
        const struct rung__canvas canvas = canvas_of(height);
        const size_t size = (size_t)rung__tensor_bytes(&canvas);
        void *ours = rung__memory_new(size), *base = rung__memory_new(size);
        assert_true(ours && base);
        memset(ours, 0x5a, size);
        make_tensor("halves-v1", &canvas, ours, height > 1 ? "halves-v1" : "base");
        make_tensor("base", &canvas, base, "base");
        assert_memory_equal(ours, base, size);
        free(ours);
        free(base);
    }
}

/** The page shows the file, so that it cannot show anything else. */
static void the_page_shows_the_example_as_it_is_built(void **state)
{
    struct rung__buffer page = {0}, file = {0};
    (void)state;
    assert_int_equal(rung__file_load(PAGE, 1 << 20, &page), RUNG_OK);
    assert_int_equal(rung__file_load(EXAMPLE, 1 << 20, &file), RUNG_OK);
    assert_non_null(memmem(page.data, page.size, file.data, file.size));
    rung__buffer_finish(&page);
    rung__buffer_finish(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_gives_the_bytes_of_base),
        cmocka_unit_test(the_page_shows_the_example_as_it_is_built),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
