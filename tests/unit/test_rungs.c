/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rungs holds together, and claims nothing that is not here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ladder/rungs.h"

#define REASON 200

/** A machine with a GPU that this process was given. */
static const struct rung__hardware with_gpu = {
    .devices = {{.kind = RUNG__DEVICE_GPU, .vendor = RUNG__VENDOR_NVIDIA, .has_node = true}},
    .device_count = 1,
};
static const struct rung__hardware bare;

static bool names_folder(const struct rung__option *options)
{
    for (; options->name; options++)
        if (strstr(options->value, "{engines}"))
            return true;
    return false;
}

static void each_id_names_one_rung(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < rung__rung_count; i++)
        assert_ptr_equal(rung__rung_named(rung__rungs[i].id), &rung__rungs[i]);
    assert_null(rung__rung_named("warp"));
}

static void a_fallback_is_a_rung_further_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < rung__rung_count; i++) {
        const struct rung__rung *below = NULL;
        if (rung__rungs[i].fallback)
            below = rung__rung_named(rung__rungs[i].fallback);
        assert_true(!rung__rungs[i].fallback || (below && below > &rung__rungs[i]));
    }
}

static void every_way_down_ends_on_a_floor_that_runs_everywhere(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < rung__rung_count; i++) {
        const struct rung__rung *at = &rung__rungs[i];
        while (at->fallback)
            at = rung__rung_named(at->fallback);
        assert_non_null(at->provider);
        assert_int_equal(at->platforms, RUNG__PLATFORM_ANY);
        assert_null(at->device);
    }
}

static void a_compiling_rung_keeps_its_engines_in_their_own_folder(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < rung__rung_count; i++)
        assert_int_equal(rung__rungs[i].compiling, names_folder(rung__rungs[i].options) ||
                                                       names_folder(rung__rungs[i].session));
}

static const char *value_of(const char *rung, const char *name)
{
    const struct rung__option *option = rung__rung_named(rung)->options;
    while (option->name && strcmp(option->name, name) != 0)
        option++;
    return option->name ? option->value : "";
}

static void known_traps_are_options(void **state)
{
    (void)state;
    assert_non_null(strstr(value_of("openvino-cpu", "load_config"), "\"f32\""));
    assert_string_equal(value_of("openvino-cpu", "num_of_threads"), "{all_threads}");
    assert_string_equal(value_of("openvino-cpu", "num_streams"), "{streams}");
    assert_string_equal(value_of("qnn-htp", "backend_type"), "htp");
    assert_string_equal(value_of("cuda", "use_tf32"), "0");
    assert_string_equal(value_of("coreml", "ModelFormat"), "MLProgram");
}

static bool is_present(const char *id, const char *offered, char reason[REASON])
{
    char cpu[] = "CPUExecutionProvider", other[64];
    char *providers[] = {cpu, other};
    snprintf(other, sizeof other, "%s", offered ? offered : "");
    const struct rung__runtime_description ort = {
        .version = "1.31.1", .providers = providers, .provider_count = offered ? 2 : 1};
    reason[0] = '\0';
    return rung__rung_is_present(rung__rung_named(id), &with_gpu, &ort, false, reason, REASON);
}

static void what_the_runtime_does_not_offer_is_absent_by_name(void **state)
{
    (void)state;
    char reason[REASON];
    assert_false(is_present("webgpu", NULL, reason));
    assert_non_null(strstr(reason, "1.31.1"));
    assert_non_null(strstr(reason, "does not offer WebGpuExecutionProvider"));
}

static void what_is_offered_on_its_device_is_present(void **state)
{
    (void)state;
    char reason[REASON];
    assert_true(is_present("webgpu", "WebGpuExecutionProvider", reason));
}

static void without_its_device_a_rung_is_absent(void **state)
{
    (void)state;
    char reason[REASON];
    assert_false(
        rung__rung_is_present(rung__rung_named("cuda"), &bare, NULL, false, reason, REASON));
    assert_non_null(strstr(reason, "an NVIDIA GPU"));
    assert_false(is_present("migraphx", "MIGraphXExecutionProvider", reason));
}

static void a_rung_of_another_platform_is_absent_whatever_is_offered(void **state)
{
    (void)state;
    char reason[REASON];
    for (uint32_t i = 0; i < rung__rung_count; i++) {
        const struct rung__rung *rung = &rung__rungs[i];
        if (rung->platforms & RUNG__PLATFORM)
            continue;
        assert_false(is_present(rung->id, rung->executed_by, reason));
        assert_non_null(strstr(reason, "platform"));
    }
}

static void without_an_onnx_runtime_only_the_others_are_left(void **state)
{
    (void)state;
    char reason[REASON];
    for (uint32_t i = 0; i < rung__rung_count; i++) {
        const struct rung__rung *rung = &rung__rungs[i];
        assert_int_equal(rung__rung_is_present(rung, &bare, NULL, false, reason, sizeof reason),
                         !rung->executed_by);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_id_names_one_rung),
        cmocka_unit_test(a_fallback_is_a_rung_further_down),
        cmocka_unit_test(every_way_down_ends_on_a_floor_that_runs_everywhere),
        cmocka_unit_test(a_compiling_rung_keeps_its_engines_in_their_own_folder),
        cmocka_unit_test(known_traps_are_options),
        cmocka_unit_test(what_the_runtime_does_not_offer_is_absent_by_name),
        cmocka_unit_test(what_is_offered_on_its_device_is_present),
        cmocka_unit_test(without_its_device_a_rung_is_absent),
        cmocka_unit_test(a_rung_of_another_platform_is_absent_whatever_is_offered),
        cmocka_unit_test(without_an_onnx_runtime_only_the_others_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
