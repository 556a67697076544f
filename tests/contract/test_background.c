/* SPDX-License-Identifier: Apache-2.0 */
/* The first answer of a process has the rungs measured, once, by a process that is not its child.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "background_fixture.h"

static void nothing_is_begun_where_the_application_wants_nothing(void **state)
{
    struct subject *subject = *state;
    open_subject(subject, RUNG_PROBE_OFF, 0);
    answer(subject);
    close_subject(subject);
    assert_false(has_file(subject, RUNG__RETRY_FILE) || has_file(subject, "probe.lock"));
}

static void a_policy_that_is_unknown_is_refused(void **state)
{
    struct subject *subject = *state;
    rung_instance_options options = {.struct_size = sizeof options,
                                     .version = RUNG_STRUCT_VERSION,
                                     .probe = (rung_probe_policy)4};
    assert_int_equal(rung_instance_create(&options, &subject->instance), RUNG_INVALID_ARGUMENT);
    options.probe = RUNG_PROBE_DEFAULT;
    assert_int_equal(setenv("RUNG_PROBE", "some", true), 0);
    assert_int_equal(rung_instance_create(&options, &subject->instance), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "off, first or all"));
    options.flags = RUNG_INSTANCE_NO_ENVIRONMENT;
    assert_int_equal(rung_instance_create(&options, &subject->instance), RUNG_OK);
    rung_instance_destroy(subject->instance);
    assert_int_equal(unsetenv("RUNG_PROBE"), 0);
}

static void the_first_answer_has_the_rungs_measured_by_a_process_of_its_own(void **state)
{
    struct subject *subject = *state;
    open_subject(subject, RUNG_PROBE_FIRST, 0);
    assert_false(has_file(subject, RUNG__RETRY_FILE));
    answer(subject);
    answer(subject);
    close_subject(subject);
    assert_true(was_told(subject, "seen to in the background"));
    /* Not even one that has ended. */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    await_file(subject, RUNG__STORE_FILE, true);
    await_file(subject, RUNG__RETRY_FILE, false);
}

static void a_process_begins_one_only(void **state)
{
    struct subject *subject = *state;
    open_subject(subject, RUNG_PROBE_ALL, 0);
    answer(subject);
    close_subject(subject);
    assert_false(has_file(subject, RUNG__RETRY_FILE) || has_file(subject, "probe.lock"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_begun_where_the_application_wants_nothing),
        TEST(a_policy_that_is_unknown_is_refused),
        TEST(the_first_answer_has_the_rungs_measured_by_a_process_of_its_own),
        TEST(a_process_begins_one_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
