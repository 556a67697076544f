/* SPDX-License-Identifier: Apache-2.0 */
/* What a rung's options become before a runtime is given them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "folder_fixture.h"
#include "ladder/execution.h"

static const char *value_of(const struct rung__option *options, const char *name)
{
    while (options->name && strcmp(options->name, name) != 0)
        options++;
    return options->name ? options->value : NULL;
}

static void numbers_and_folders_are_filled_in(void **state)
{
    (void)state;
    struct rung__rung_execution made;
    assert_int_equal(
        rung__rung_execution_make(rung__rung_named("openvino-cpu"), 1000, "/engines", &made),
        RUNG_OK);
    assert_string_equal(made.execution.provider, "OpenVINOExecutionProvider");
    assert_ptr_equal(made.execution.options, made.options);
    assert_string_equal(value_of(made.options, "num_of_threads"), "1000");
    assert_string_equal(value_of(made.options, "num_streams"), "1");
    assert_string_equal(value_of(made.options, "cache_dir"), "/engines");
    rung__rung_execution_finish(&made);

    assert_int_equal(rung__rung_execution_make(rung__rung_named("qnn-htp"), 1, "/engines", &made),
                     RUNG_OK);
    assert_string_equal(value_of(made.session, "ep.context_file_path"), "/engines/context.onnx");
    assert_string_equal(value_of(made.session, "ep.context_enable"), "1");
    rung__rung_execution_finish(&made);
}

static void a_compiled_model_that_is_there_is_loaded_and_not_written_again(void **state)
{
    (void)state;
    struct rung__rung_execution made;
    char path[256];
    in_test_folder(path, "context.onnx");
    assert_int_equal(
        rung__file_save(path, (struct rung__bytes){(const uint8_t *)"model", 5}, 0600, true),
        RUNG_OK);
    assert_int_equal(rung__rung_execution_make(rung__rung_named("qnn-htp"), 1, test_folder, &made),
                     RUNG_OK);
    assert_string_equal(made.execution.compiled, path);
    assert_null(value_of(made.session, "ep.context_enable"));
    assert_null(value_of(made.session, "ep.context_file_path"));
    assert_string_equal(value_of(made.options, "backend_type"), "htp");
    rung__rung_execution_finish(&made);
    assert_int_equal(
        rung__rung_execution_make(rung__rung_named("openvino-cpu"), 1, test_folder, &made),
        RUNG_OK);
    assert_null(made.execution.compiled);
    rung__rung_execution_finish(&made);
}

static void without_a_folder_nothing_is_asked_to_be_kept(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < rung__rung_count; i++) {
        struct rung__rung_execution made;
        assert_int_equal(rung__rung_execution_make(&rung__rungs[i], 1, NULL, &made), RUNG_OK);
        for (const struct rung__option *option = made.options; option->name; option++)
            assert_null(strstr(option->name, "cache"));
        assert_null(value_of(made.session, "ep.context_enable"));
        rung__rung_execution_finish(&made);
    }
}

static void every_option_of_the_table_has_room_and_no_stand_in_is_left(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < rung__rung_count; i++) {
        const struct rung__rung *rung = &rung__rungs[i];
        struct rung__rung_execution made;
        size_t count = 0;
        assert_int_equal(rung__rung_execution_make(rung, 1, "/engines", &made), RUNG_OK);
        for (; made.options[count].name; count++) {
            assert_string_equal(made.options[count].name, rung->options[count].name);
            assert_null(strstr(made.options[count].value, "{e"));
            assert_null(strstr(made.options[count].value, "{t"));
            assert_null(strstr(made.options[count].value, "{c"));
        }
        assert_null(rung->options[count].name);
        rung__rung_execution_finish(&made);
    }
}

static void the_floor_is_given_nothing(void **state)
{
    (void)state;
    struct rung__rung_execution made;
    assert_int_equal(rung__rung_execution_make(rung__rung_named("ort-cpu"), 2, "/engines", &made),
                     RUNG_OK);
    assert_null(made.execution.provider);
    rung__rung_execution_finish(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_folders_are_filled_in),
        cmocka_unit_test_setup_teardown(
            a_compiled_model_that_is_there_is_loaded_and_not_written_again, make_test_folder,
            remove_test_folder),
        cmocka_unit_test(without_a_folder_nothing_is_asked_to_be_kept),
        cmocka_unit_test(every_option_of_the_table_has_room_and_no_stand_in_is_left),
        cmocka_unit_test(the_floor_is_given_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
