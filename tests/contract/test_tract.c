/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds for tract alone: only a version whose interface is known is loaded, and no model
 * before it came through in a process of its own, whatever it did to that process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../unit/folder_fixture.h"
#include "../unit/tiny_onnx.h"
#include "base/clock.h"
#include "runtime/search.h"
#include "runtime/tract/trial.h"

#define SECOND UINT64_C(1000000000)

static const float rows[] = {0.25f, 0.25f, 0.5f, 0.5f, 0.75f, 0};

static const struct rung__tract *tract;

/** A model of its own for each `width`, so that none is known from another test. */
static void make_model(struct rung__buffer *to, int64_t width)
{
    *to = (struct rung__buffer){0};
    tiny_rows(to, &(struct tiny_rows){.input = "image",
                                      .output = "rows",
                                      .width = width,
                                      .height = 8,
                                      .rows = rows,
                                      .row_count = 1,
                                      .opset = 17});
}

/** The node's output gets another name, so the graph's is made by nothing: tract panics on it. */
static void break_model(const struct rung__buffer *model)
{
    uint8_t *name = memmem(model->data, model->size, "rows", 4);
    assert_non_null(name);
    name[3] = 'z';
}

static rung_result try_with(const char *helper, const struct rung__buffer *model, uint64_t limit)
{
    return rung__tract_try(tract, helper, rung__buffer_bytes(model), limit);
}

static const char *real_helper(void)
{
    const char *path = getenv("RUNG_TEST_HELPER");
    assert_non_null(path);
    return path;
}

/** A program of the shell that stands where rung-probe should. */
static const char *make_helper(char path[256], const char *body)
{
    char text[512];
    in_test_folder(path, "helper");
    int length = snprintf(text, sizeof text, "#!/bin/sh\n%s\n", body);
    assert_int_equal(rung__file_save(path,
                                     (struct rung__bytes){(const uint8_t *)text, (size_t)length},
                                     0700, true),
                     RUNG_OK);
    return path;
}

static void expect_told(const char *part)
{
    if (!strstr(rung_last_error(), part))
        fail_msg("\"%s\" does not tell \"%s\"", rung_last_error(), part);
    assert_null(strchr(rung_last_error(), '\n'));
}

static void only_versions_of_a_known_interface_are_loaded(void **state)
{
    (void)state;
    static const struct {
        const char *version, *told;
    } rows_of[] = {
        {"0.22.9", "0.22.9"},
        {"0.23.5", "0.23.5"},
        {"0.24.0", "0.24.0"},
        {"0.23.9-pre", "0.23.9-pre"},
        {"0.23.9", "has no tract_get_last_error"},
    };
    for (size_t i = 0; i < sizeof rows_of / sizeof *rows_of; i++) {
        const struct rung__tract *opened = NULL;
        char path[512];
        snprintf(path, sizeof path, "%s/libtract-%s.so", FAKES, rows_of[i].version);
        assert_int_equal(rung__tract_open(path, &opened), RUNG_UNSUPPORTED);
        assert_null(opened);
        assert_null(rung__tract_loaded());
        expect_told(rows_of[i].told);
        expect_told(path);
    }
}

static void what_is_no_tract_is_refused_with_a_reason(void **state)
{
    (void)state;
    const struct rung__tract *opened = NULL;
    assert_int_equal(rung__tract_open("libcrypto.so.3", &opened), RUNG_UNSUPPORTED);
    expect_told("tract_version");
    assert_int_equal(rung__tract_open("/nonexistent/libtract.so", &opened), RUNG_NOT_FOUND);
    assert_null(opened);
}

/** The last of the gate's tests: from here on there is one. */
static void there_is_one_tract_in_a_process(void **state)
{
    (void)state;
    struct rung__runtime_candidates found;
    const struct rung__runtime_places places = {.option = getenv("RUNG_TEST_RUNTIMES")};
    const struct rung__tract *second = NULL;
    assert_int_equal(rung__runtime_search(&rung__runtimes[RUNG__RUNTIME_TRACT], &places, &found),
                     RUNG_OK);
    if (rung__tract_open(found.items[0].path, &tract) != RUNG_OK)
        fail_msg("%s; run scripts/fetch-runtimes", rung_last_error());
    rung__runtime_candidates_finish(&found);
    assert_int_equal(rung__tract_open("/nonexistent/libtract.so", &second), RUNG_OK);
    assert_ptr_equal(second, tract);
}

static void a_model_that_kills_tract_is_refused_and_this_process_lives(void **state)
{
    (void)state;
    struct rung__buffer model;
    make_model(&model, 8);
    break_model(&model);
    assert_int_equal(try_with(real_helper(), &model, 60 * SECOND), RUNG_BACKEND);
    expect_told("the trial process killed by signal 6");
    expect_told("panicked");
    rung__buffer_finish(&model);
}

static void a_model_that_tract_refuses_is_refused_in_its_words(void **state)
{
    (void)state;
    struct rung__buffer model;
    make_model(&model, 9);
    uint8_t *name = memmem(model.data, model.size, "Constant", 8);
    assert_non_null(name);
    name[0] = 'K';
    assert_int_equal(try_with(real_helper(), &model, 60 * SECOND), RUNG_BACKEND);
    expect_told("tract 0.23.");
    rung__buffer_finish(&model);
}

static void a_model_that_came_through_is_not_tried_again(void **state)
{
    (void)state;
    struct rung__buffer model;
    make_model(&model, 10);
    assert_int_equal(try_with(NULL, &model, SECOND), RUNG_UNSUPPORTED);
    expect_told("rung-probe is missing");
    assert_int_equal(try_with(real_helper(), &model, 60 * SECOND), RUNG_OK);
    assert_int_equal(try_with(NULL, &model, SECOND), RUNG_OK);
    break_model(&model);
    assert_int_equal(try_with(NULL, &model, SECOND), RUNG_UNSUPPORTED);
    rung__buffer_finish(&model);
}

static void a_trial_that_does_not_end_is_ended(void **state)
{
    (void)state;
    struct rung__buffer model;
    char path[256];
    make_model(&model, 11);
    uint64_t start = rung__clock_now();
    assert_int_equal(try_with(make_helper(path, "sleep 100"), &model, SECOND / 5), RUNG_BACKEND);
    expect_told("did not end in time");
    assert_true(rung__clock_now() - start < 20 * SECOND);
    rung__buffer_finish(&model);
}

static void what_is_no_answer_is_no_success(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "true",
        "echo nonsense",
        "echo '{\"result\":\"0\",\"detail\":\"\"}'",
        "echo '{\"result\":0}'",
        "echo '{\"detail\":\"\"}'",
        "echo '{\"result\":0,\"detail\":\"\"}'; exit 1",
        "cat /dev/zero | head -c 1000000",
    };
    struct rung__buffer model;
    char path[256];
    make_model(&model, 12);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        assert_int_equal(try_with(make_helper(path, bodies[i]), &model, 20 * SECOND), RUNG_BACKEND);
        expect_told("the trial process");
    }
    assert_int_equal(try_with("/nonexistent/rung-probe", &model, SECOND), RUNG_UNSUPPORTED);
    expect_told("/nonexistent/rung-probe");
    rung__buffer_finish(&model);
}

#define WITH_FOLDER(test)                                                                          \
    cmocka_unit_test_setup_teardown(test, make_test_folder, remove_test_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_versions_of_a_known_interface_are_loaded),
        cmocka_unit_test(what_is_no_tract_is_refused_with_a_reason),
        cmocka_unit_test(there_is_one_tract_in_a_process),
        cmocka_unit_test(a_model_that_kills_tract_is_refused_and_this_process_lives),
        cmocka_unit_test(a_model_that_tract_refuses_is_refused_in_its_words),
        cmocka_unit_test(a_model_that_came_through_is_not_tried_again),
        WITH_FOLDER(a_trial_that_does_not_end_is_ended),
        WITH_FOLDER(what_is_no_answer_is_no_success),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
