/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: ticks keep to their grid, a late one is one tick, and what was skipped is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scene/schedule.h"

static void take(struct rung__schedule *schedule, uint64_t now, uint64_t at, uint64_t missed,
                 uint64_t next)
{
    struct rung__due due;
    assert_true(rung__schedule_take(schedule, now, &due));
    assert_int_equal(due.at, at);
    assert_int_equal(due.missed, missed);
    assert_int_equal(schedule->due, next);
    assert_false(rung__schedule_take(schedule, now, &due));
    assert_int_equal(schedule->due, next);
}

static void the_first_look_is_due_and_begins_the_grid(void **state)
{
    struct rung__schedule schedule = {.period = 100};
    struct rung__due due;
    (void)state;
    take(&schedule, 7, 7, 0, 107);
    assert_false(rung__schedule_take(&schedule, 106, &due));
    take(&schedule, 107, 107, 0, 207);
}

static void a_wake_within_the_period_misses_none(void **state)
{
    struct rung__schedule schedule = {.period = 100};
    (void)state;
    take(&schedule, 0, 0, 0, 100);
    take(&schedule, 199, 100, 0, 200);
    take(&schedule, 200, 200, 0, 300);
}

static void a_late_wake_is_one_tick_and_counts_the_skipped(void **state)
{
    struct rung__schedule schedule = {.period = 100};
    (void)state;
    take(&schedule, 0, 0, 0, 100);
    take(&schedule, 450, 400, 3, 500);
    take(&schedule, 500, 500, 0, 600);
}

static void a_clock_that_goes_back_waits(void **state)
{
    struct rung__schedule schedule = {.period = 100};
    struct rung__due due;
    (void)state;
    take(&schedule, 1000, 1000, 0, 1100);
    assert_false(rung__schedule_take(&schedule, 0, &due));
    take(&schedule, 1100, 1100, 0, 1200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_look_is_due_and_begins_the_grid),
        cmocka_unit_test(a_wake_within_the_period_misses_none),
        cmocka_unit_test(a_late_wake_is_one_tick_and_counts_the_skipped),
        cmocka_unit_test(a_clock_that_goes_back_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
