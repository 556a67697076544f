/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: whatever the child does is an outcome, wrong numbers lose to any speed, and a path is
 * left for another only where it is worth it. The children here are lines of shell. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "folder_fixture.h"
#include "ladder/probe.h"

#define MS     UINT64_C(1000000)
#define LONG   (60000 * MS)
#define VALUES 4u

#define FIGURES                                                                                    \
    "\"executed_by\":\"X\",\"build_ns\":3,\"first_ns\":2,\"median_ns\":1000000,\"peak_bytes\":9,"  \
    "\"runs\":5}"

/** A model with one output of four numbers. */
static struct rung__artifact_view view_of(uint32_t form)
{
    struct rung__artifact_view view = {0};
    view.header.form = form;
    view.tensors.output_count = 1;
    view.tensors.outputs[0] =
        (struct rung__tensor){.name = "out", .dtype = RUNG_DTYPE_F32, .rank = 1, .dims = {VALUES}};
    return view;
}

static struct rung__trial try(const char *line, uint64_t time_limit_ns)
{
    char path[256], script[512];
    const struct rung__artifact_view view = view_of(RUNG_FORM_F32);
    struct rung__trial trial;
    in_test_folder(path, "helper");
    const int size = snprintf(script, sizeof script, "#!/bin/sh\n%s\n", line);
    assert_int_equal(rung__file_save(path,
                                     (struct rung__bytes){(const uint8_t *)script, (size_t)size},
                                     0700, true),
                     RUNG_OK);
    const struct rung__probe_task task = {
        .rung = rung__rung_named("ort-cpu"),
        .helper = path,
        .library = "",
        .artifact = &view,
        .threads = 1,
        .time_limit_ns = time_limit_ns,
    };
    assert_int_equal(rung__probe_try(&task, &trial), RUNG_OK);
    return trial;
}

static void expect(struct rung__trial trial, enum rung__outcome_kind kind, const char *reason)
{
    assert_int_equal(trial.outcome.kind, kind);
    if (!strstr(trial.outcome.reason, reason))
        fail_msg("\"%s\" is not in \"%s\"", reason, trial.outcome.reason);
    assert_false(trial.answered);
    rung__trial_finish(&trial);
}

static void an_answer_has_figures_and_outputs(void **state)
{
    (void)state;
    struct rung__trial trial =
        try("echo '{\"result\":0,\"detail\":\"\"," FIGURES "'; printf 0123456789abcdef", LONG);
    assert_true(trial.answered);
    assert_int_equal(trial.outcome.runs, 5);
    assert_int_equal(trial.outcome.median_ns, MS);
    assert_string_equal(trial.outcome.executed_by, "X");
    assert_int_equal(trial.outputs.size, VALUES * 4);
    assert_memory_equal(trial.outputs.data, "0123456789abcdef", trial.outputs.size);
    rung__trial_finish(&trial);
}

static void a_child_that_dies_is_crashed_by_its_signal(void **state)
{
    (void)state;
    expect(try("echo the driver is unhappy >&2; kill -SEGV $$", LONG), RUNG__OUTCOME_CRASHED,
           "signal 11");
    expect(try("echo the driver is unhappy >&2; kill -ABRT $$", LONG), RUNG__OUTCOME_CRASHED,
           "the driver is unhappy");
}

static void a_child_that_hangs_is_a_timeout(void **state)
{
    (void)state;
    expect(try("sleep 1000", 300 * MS), RUNG__OUTCOME_TIMEOUT, "time");
}

static void what_the_child_could_not_do_is_failed_with_its_sentence(void **state)
{
    (void)state;
    expect(try("echo '{\"result\":-6,\"detail\":\"Device GPU is not available\"}'", LONG),
           RUNG__OUTCOME_FAILED, "Device GPU is not available");
    expect(try("exit 3", LONG), RUNG__OUTCOME_FAILED, "3");
}

static void an_answer_that_is_none_is_failed(void **state)
{
    (void)state;
    expect(try("echo hello", LONG), RUNG__OUTCOME_FAILED, "no answer");
    expect(try("echo '{\"result\":0,\"detail\":\"\"}'; printf 0123456789abcdef", LONG),
           RUNG__OUTCOME_FAILED, "no answer");
    expect(try("echo '{\"result\":0,\"detail\":\"\"," FIGURES "'; printf 0123", LONG),
           RUNG__OUTCOME_FAILED, "no answer");
    expect(try("echo '{\"result\":0,\"detail\":\"\"," FIGURES
               "'; for i in 1 2 3; do printf 0123456789abcdef; done",
               LONG),
           RUNG__OUTCOME_FAILED, "no answer");
}

static void a_run_that_answered_otherwise_is_told_too(void **state)
{
    (void)state;
    struct rung__trial trial = try("echo '{\"result\":0,\"detail\":\"\"," FIGURES
                                   "'; printf 0123456789abcdefABCDEFGHIJKLMNOP",
                                   LONG);
    assert_true(trial.answered);
    assert_int_equal(trial.outputs.size, 2 * VALUES * 4);
    rung__trial_finish(&trial);
}

/** A trial that answered these numbers. */
static struct rung__trial answer(const char *id, const float values[VALUES], double median_ms)
{
    struct rung__trial trial = {.rung = rung__rung_named(id), .answered = true};
    trial.outcome.median_ns = (uint64_t)(median_ms * (double)MS);
    assert_int_equal(rung__buffer_append(&trial.outputs, values, VALUES * sizeof *values), RUNG_OK);
    return trial;
}

static const float right[VALUES] = {1, -2, 3, 0};

static enum rung__outcome_kind compared(uint32_t form, const float values[VALUES])
{
    const struct rung__artifact_view view = view_of(form);
    struct rung__trial floor = answer("ort-cpu", right, 1), trial = answer("cuda", values, 1);
    rung__probe_compare(&view, &floor, &trial);
    const enum rung__outcome_kind kind = trial.outcome.kind;
    rung__trial_finish(&floor);
    rung__trial_finish(&trial);
    return kind;
}

static void numbers_that_are_not_finite_are_wrong(void **state)
{
    (void)state;
    assert_int_equal(compared(RUNG_FORM_F16, (float[]){1, -2, 3, (float)NAN}), RUNG__OUTCOME_WRONG);
    assert_int_equal(compared(RUNG_FORM_F16, (float[]){1, -2, 3, (float)INFINITY}),
                     RUNG__OUTCOME_WRONG);
    assert_int_equal(compared(RUNG_FORM_F16, (float[]){0, 0, 0, 0}), RUNG__OUTCOME_WRONG);
}

/** What a rung is that answered rightly first, and then these numbers; `floor`: it is the floor. */
static enum rung__outcome_kind then_answered(const float values[VALUES], bool is_floor)
{
    const struct rung__artifact_view view = view_of(RUNG_FORM_F32);
    struct rung__trial floor = answer("ort-cpu", right, 1), trial = answer("cuda", right, 1);
    struct rung__trial *judged = is_floor ? &floor : &trial;
    assert_int_equal(rung__buffer_append(&judged->outputs, values, VALUES * sizeof *values),
                     RUNG_OK);
    if (is_floor)
        rung__probe_compare_golden(&view, &floor);
    else
        rung__probe_compare(&view, &floor, &trial);
    const enum rung__outcome_kind kind = judged->outcome.kind;
    rung__trial_finish(&floor);
    rung__trial_finish(&trial);
    return kind;
}

static void a_later_run_that_answers_wrongly_is_wrong_too(void **state)
{
    (void)state;
    for (int is_floor = 0; is_floor < 2; is_floor++) {
        assert_int_equal(then_answered((float[]){1, -2, 3.0001f, 0}, is_floor),
                         RUNG__OUTCOME_UNMEASURED);
        assert_int_equal(then_answered((float[]){1, -2, 3, 1}, is_floor), RUNG__OUTCOME_WRONG);
        assert_int_equal(then_answered((float[]){1, -2, 3, (float)NAN}, is_floor),
                         RUNG__OUTCOME_WRONG);
    }
}

static void a_floor_without_a_golden_sample_answers_finite_numbers(void **state)
{
    (void)state;
    const struct rung__artifact_view view = view_of(RUNG_FORM_F32);
    struct rung__trial floor = answer("ort-cpu", (float[]){1, -2, 3, (float)NAN}, 1);
    rung__probe_compare_golden(&view, &floor);
    assert_int_equal(floor.outcome.kind, RUNG__OUTCOME_WRONG);
    rung__trial_finish(&floor);
}

static void the_tolerance_is_that_of_the_form(void **state)
{
    (void)state;
    const float near[VALUES] = {1.001f, -2.001f, 3.001f, 0},
                off[VALUES] = {1.02f, -2.02f, 3.02f, 0};
    assert_int_equal(compared(RUNG_FORM_F32, near), RUNG__OUTCOME_UNMEASURED);
    assert_int_equal(compared(RUNG_FORM_F32, off), RUNG__OUTCOME_WRONG);
    assert_int_equal(compared(RUNG_FORM_F16, off), RUNG__OUTCOME_UNMEASURED);
}

/** Three rungs with these medians; the last is the floor, and `wrong` marks what answered wrongly.
 */
static const char *winner_of(double first, double second, double floor, int wrong)
{
    static const char *const ids[] = {"tensorrt", "cuda", "ort-cpu"};
    const double medians[] = {first, second, floor};
    struct rung__trial trials[3];
    const char *chosen = "";
    for (int i = 0; i < 3; i++)
        trials[i] = answer(ids[i], right, medians[i]);
    if (wrong >= 0)
        rung__outcome_set(&trials[wrong].outcome, RUNG__OUTCOME_WRONG, "off");
    rung__probe_decide(trials, 3, &trials[2]);
    for (int i = 0; i < 3; i++) {
        if (trials[i].outcome.kind == RUNG__OUTCOME_CHOSEN)
            chosen = ids[i];
        else
            assert_int_equal(trials[i].outcome.kind,
                             i == wrong ? RUNG__OUTCOME_WRONG : RUNG__OUTCOME_SLOWER);
        rung__trial_finish(&trials[i]);
    }
    return chosen;
}

static void the_fastest_that_is_worth_it_is_chosen(void **state)
{
    (void)state;
    assert_string_equal(winner_of(20, 10, 30, -1), "cuda");
    assert_string_equal(winner_of(10, 20, 30, -1), "tensorrt");
    assert_string_equal(winner_of(40, 50, 30, -1), "ort-cpu");
}

static void less_than_three_percent_is_not_worth_it(void **state)
{
    (void)state;
    assert_string_equal(winner_of(29.5, 40, 30, -1), "ort-cpu");
    assert_string_equal(winner_of(29.0, 40, 30, -1), "tensorrt");
}

static void of_those_as_fast_the_upper_one_is_chosen(void **state)
{
    (void)state;
    assert_string_equal(winner_of(10.2, 10, 30, -1), "tensorrt");
    assert_string_equal(winner_of(10.5, 10, 30, -1), "cuda");
}

static void what_stands_below_the_floor_is_no_rival_of_it(void **state)
{
    (void)state;
    struct rung__trial trials[] = {answer("ort-cpu", right, 30), answer("tract", right, 10)};
    rung__probe_decide(trials, 2, &trials[0]);
    assert_int_equal(trials[0].outcome.kind, RUNG__OUTCOME_CHOSEN);
    assert_int_equal(trials[1].outcome.kind, RUNG__OUTCOME_SLOWER);
    assert_non_null(strstr(trials[1].outcome.reason, "ort-cpu does not work"));
    rung__trial_finish(&trials[0]);
    rung__trial_finish(&trials[1]);
}

static void wrong_numbers_lose_to_any_speed(void **state)
{
    (void)state;
    assert_string_equal(winner_of(1, 10, 30, 0), "cuda");
    assert_string_equal(winner_of(40, 1, 30, 1), "ort-cpu");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_test_folder, remove_test_folder)
    const struct CMUnitTest tests[] = {
        TEST(an_answer_has_figures_and_outputs),
        TEST(a_child_that_dies_is_crashed_by_its_signal),
        TEST(a_child_that_hangs_is_a_timeout),
        TEST(what_the_child_could_not_do_is_failed_with_its_sentence),
        TEST(an_answer_that_is_none_is_failed),
        cmocka_unit_test(numbers_that_are_not_finite_are_wrong),
        TEST(a_run_that_answered_otherwise_is_told_too),
        cmocka_unit_test(a_later_run_that_answers_wrongly_is_wrong_too),
        cmocka_unit_test(a_floor_without_a_golden_sample_answers_finite_numbers),
        cmocka_unit_test(the_tolerance_is_that_of_the_form),
        cmocka_unit_test(the_fastest_that_is_worth_it_is_chosen),
        cmocka_unit_test(less_than_three_percent_is_not_worth_it),
        cmocka_unit_test(of_those_as_fast_the_upper_one_is_chosen),
        cmocka_unit_test(what_stands_below_the_floor_is_no_rival_of_it),
        cmocka_unit_test(wrong_numbers_lose_to_any_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
