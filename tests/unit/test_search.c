/* SPDX-License-Identifier: Apache-2.0 */
/* Runtimes are found where the search list says, in its order, and nothing is loaded by looking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "folder_fixture.h"
#include "runtime/ort/ort.h"
#include "runtime/search.h"

static const struct rung__runtime *const ort = &rung__runtimes[RUNG__RUNTIME_ORT];
static const struct rung__runtime *const tract = &rung__runtimes[RUNG__RUNTIME_TRACT];
static const struct rung__runtime *const plugin = &rung__runtimes[RUNG__RUNTIME_PLUGIN];

static void put(const char *name)
{
    char path[256];
    in_test_folder(path, name);
    char *folder = rung__path_folder(path);
    assert_int_equal(rung__folder_make(folder), RUNG_OK);
    free(folder);
    assert_int_equal(
        rung__file_save(path, (struct rung__bytes){(const uint8_t *)"no library", 10}, 0600, true),
        RUNG_OK);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static void a_folder_of_folders_is_looked_through_in_order(void **state)
{
    (void)state;
    struct rung__runtime_candidates found;
    put("b-1.2/libonnxruntime.so.1.2");
    put("a-1.1/libonnxruntime.so.1.1");
    put("a-1.1/libonnxruntime_providers_shared.so");
    put("a-1.1/deeper/libonnxruntime.so.9");
    const struct rung__runtime_places places = {.option = test_folder};
    assert_int_equal(rung__runtime_search(ort, &places, &found), RUNG_OK);
    assert_true(found.count >= 4); /* the two, and the system's names */
    assert_true(ends_with(found.items[0].path, "a-1.1/libonnxruntime.so.1.1"));
    assert_true(ends_with(found.items[1].path, "b-1.2/libonnxruntime.so.1.2"));
    assert_string_equal(found.items[0].origin, "option");
    assert_string_equal(found.items[found.count - 1].origin, "system");
    rung__runtime_candidates_finish(&found);
}

static void the_option_comes_before_the_environment(void **state)
{
    (void)state;
    struct rung__runtime_candidates found;
    const struct rung__runtime_places places = {.option = "/x/one.so:/x/two.so",
                                                .environment = "/x/three.so"};
    assert_int_equal(rung__runtime_search(ort, &places, &found), RUNG_OK);
    assert_string_equal(found.items[0].path, "/x/one.so");
    assert_string_equal(found.items[1].path, "/x/two.so");
    assert_string_equal(found.items[2].path, "/x/three.so");
    assert_string_equal(found.items[2].origin, "RUNG_RUNTIME_PATH");
    rung__runtime_candidates_finish(&found);
}

static void a_runtime_named_outright_is_the_only_one(void **state)
{
    (void)state;
    struct rung__runtime_candidates found;
    const struct rung__runtime_places places = {.only = "/x/only.so", .option = "/x/one.so"};
    assert_int_equal(rung__runtime_search(ort, &places, &found), RUNG_OK);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.items[0].path, "/x/only.so");
    rung__runtime_candidates_finish(&found);
}

static void a_plugin_is_found_by_its_name_alone(void **state)
{
    (void)state;
    struct rung__runtime_candidates found;
    put("p-1/libonnxruntime_providers_p.so");
    put("p-1/libonnxruntime.so.1");
    put("p-1/libother.so");
    char list[512], folder[256];
    in_test_folder(folder, "p-1");
    snprintf(list, sizeof list, "/x/named.so:%s:/x/libonnxruntime_providers_q.so", folder);
    const struct rung__runtime_places places = {.only = "/x/only.so", .option = list};
    assert_int_equal(rung__runtime_search(plugin, &places, &found), RUNG_OK);
    assert_true(found.count >= 2); /* those of the build tree's runtimes follow */
    assert_true(ends_with(found.items[0].path, "p-1/libonnxruntime_providers_p.so"));
    assert_string_equal(found.items[1].path, "/x/libonnxruntime_providers_q.so");
    for (size_t i = 0; i < found.count; i++)
        assert_non_null(strstr(found.items[i].path, "libonnxruntime_providers_"));
    rung__runtime_candidates_finish(&found);
}

static void each_runtime_finds_its_own_files(void **state)
{
    (void)state;
    struct rung__runtime_candidates found;
    put("a/libonnxruntime.so.1.1");
    put("b/tract.cpython-311-x86_64-linux-gnu.so");
    put("b/tract.txt");
    put("c/libtract.so");
    const struct rung__runtime_places places = {.option = test_folder};
    assert_int_equal(rung__runtime_search(tract, &places, &found), RUNG_OK);
    assert_true(ends_with(found.items[0].path, "b/tract.cpython-311-x86_64-linux-gnu.so"));
    assert_true(ends_with(found.items[1].path, "c/libtract.so"));
    assert_string_equal(found.items[2].origin, "system");
    rung__runtime_candidates_finish(&found);
}

static void a_named_file_is_for_the_runtime_of_its_name_else_for_each(void **state)
{
    (void)state;
    struct rung__runtime_candidates found;
    const struct rung__runtime_places places = {.option = "/x/libonnxruntime.so:/x/odd.so"};
    assert_int_equal(rung__runtime_search(ort, &places, &found), RUNG_OK);
    assert_string_equal(found.items[0].path, "/x/libonnxruntime.so");
    assert_string_equal(found.items[1].path, "/x/odd.so");
    rung__runtime_candidates_finish(&found);
    assert_int_equal(rung__runtime_search(tract, &places, &found), RUNG_OK);
    assert_string_equal(found.items[0].path, "/x/odd.so");
    rung__runtime_candidates_finish(&found);
}

static void the_one_named_onnx_runtime_leaves_tract_alone(void **state)
{
    (void)state;
    struct rung__runtime_candidates found;
    const struct rung__runtime_places places = {.only = "/x/only.so", .option = "/x/libtract.so"};
    assert_int_equal(rung__runtime_search(tract, &places, &found), RUNG_OK);
    assert_string_equal(found.items[0].path, "/x/libtract.so");
    rung__runtime_candidates_finish(&found);
}

static void what_is_no_onnx_runtime_is_refused_with_a_reason(void **state)
{
    (void)state;
    const struct rung__ort *opened = NULL;
    char path[256];
    put("libonnxruntime.so");
    assert_int_equal(rung__ort_open(in_test_folder(path, "libonnxruntime.so"), &opened),
                     RUNG_BACKEND);
    assert_non_null(strstr(rung_last_error(), path));
    assert_int_equal(rung__ort_open("libcrypto.so.3", &opened), RUNG_UNSUPPORTED);
    assert_non_null(strstr(rung_last_error(), "OrtGetApiBase"));
    assert_int_equal(rung__ort_open("/nonexistent/libonnxruntime.so", &opened), RUNG_NOT_FOUND);
    assert_null(opened);
    assert_null(rung__ort_loaded());
}

#define WITH_FOLDER(test)                                                                          \
    cmocka_unit_test_setup_teardown(test, make_test_folder, remove_test_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(a_folder_of_folders_is_looked_through_in_order),
        cmocka_unit_test(the_option_comes_before_the_environment),
        cmocka_unit_test(a_runtime_named_outright_is_the_only_one),
        WITH_FOLDER(a_plugin_is_found_by_its_name_alone),
        WITH_FOLDER(each_runtime_finds_its_own_files),
        cmocka_unit_test(a_named_file_is_for_the_runtime_of_its_name_else_for_each),
        cmocka_unit_test(the_one_named_onnx_runtime_leaves_tract_alone),
        WITH_FOLDER(what_is_no_onnx_runtime_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
