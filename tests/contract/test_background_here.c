/* SPDX-License-Identifier: Apache-2.0 */
/* In a host that makes no process the rungs are measured on a thread of it, without its help. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "background_fixture.h"

static void the_verdict_comes_without_a_process(void **state)
{
    struct subject *subject = *state;
    open_subject(subject, RUNG_PROBE_ALL, RUNG_INSTANCE_NO_CHILDREN);
    answer(subject);
    await_file(subject, RUNG__STORE_FILE, true);
    await_file(subject, RUNG__RETRY_FILE, false);
    answer(subject); /* it serves on meanwhile */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    close_subject(subject);
    assert_true(was_told(subject, "seen to on a thread of this process"));
}

static void rungs_that_need_a_process_are_absent(void **state)
{
    struct subject *subject = *state;
    struct outcomes outcomes = {0};
    open_subject(subject, RUNG_PROBE_OFF, RUNG_INSTANCE_NO_CHILDREN);
    assert_int_equal(
        rung_model_probe(subject->instance, subject->files.model, NULL, note_outcome, &outcomes),
        RUNG_OK);
    close_subject(subject);
    assert_string_equal(outcomes.ort_cpu, "chosen");
    assert_string_equal(outcomes.tract, "absent");
    assert_non_null(strstr(outcomes.tract_reason, "the application allows none"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(rungs_that_need_a_process_are_absent),
        TEST(the_verdict_comes_without_a_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
