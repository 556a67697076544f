/* SPDX-License-Identifier: Apache-2.0 */
/* The first answer of a process, which has the rungs measured, does no more than wake who does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../contract/background_fixture.h"
#include "counting.h"

/** Of this thread: what is done on the one that it wakes is no part of a frame. */
static void it_costs_what_every_other_does(void **state)
{
    struct subject *subject = *state;
    unsigned sum = 0;
    open_subject(subject, RUNG_PROBE_FIRST, 0);
    counting_begin_here();
    answer(subject);
    counting_end();
    close_subject(subject);
    counting_print(true);
    for (int kind = 0; kind < COUNTED_KINDS; kind++)
        sum += counted((enum counted_kind)kind, true);
    assert_int_equal(sum, 0);
    assert_true(was_told(subject, "seen to in the background"));
    await_file(subject, RUNG__STORE_FILE, true);
    await_file(subject, RUNG__RETRY_FILE, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_costs_what_every_other_does, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
