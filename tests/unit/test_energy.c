/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: energy is what the packages' counters say, once each and across their end, or unknown
 * with the reason; never too little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "hardware/energy.h"

#define SECOND UINT64_C(1000000000)

static struct rung__energy read_tree(const char *name)
{
    char root[512];
    struct rung__energy energy;
    snprintf(root, sizeof root, MACHINE_TREES "/%s", name);
    rung__energy_read(root, &energy);
    return energy;
}

static void the_packages_are_read_and_nothing_that_counts_them_again(void **state)
{
    (void)state;
    const struct rung__energy energy = read_tree("energy");
    assert_null(energy.why);
    assert_int_equal(energy.count, 2);
    assert_int_equal(energy.packages[0].uj, 1000000);
    assert_int_equal(energy.packages[1].uj, 262143328000);
    assert_int_equal(energy.packages[1].range_uj, 262143328850);
}

static void what_was_taken_is_the_sum_across_a_counters_end(void **state)
{
    (void)state;
    const struct rung__energy begin = read_tree("energy"), end = read_tree("energy-later");
    uint64_t uj = 0;
    const char *why = "";
    assert_true(rung__energy_between(&begin, &end, SECOND, &uj, &why));
    assert_null(why);
    assert_int_equal(uj, 500000 + 850 + 99150);
    assert_true(rung__energy_between(&begin, &begin, SECOND, &uj, &why));
    assert_int_equal(uj, 0);
}

static void expect_unknown(const struct rung__energy *begin, const struct rung__energy *end,
                           uint64_t ns, const char *reason)
{
    uint64_t uj = 7;
    const char *why = NULL;
    assert_false(rung__energy_between(begin, end, ns, &uj, &why));
    assert_int_equal(uj, 7);
    assert_non_null(why);
    assert_non_null(strstr(why, reason));
}

static void a_counter_that_may_have_gone_round_twice_tells_nothing(void **state)
{
    (void)state;
    const struct rung__energy begin = read_tree("energy"), end = read_tree("energy-later");
    uint64_t uj;
    const char *why;
    assert_true(rung__energy_between(&begin, &end, 524 * SECOND, &uj, &why));
    expect_unknown(&begin, &end, 525 * SECOND, "longer");
}

static void one_package_that_cannot_be_read_makes_all_unknown(void **state)
{
    (void)state;
    const struct rung__energy energy = read_tree("energy"), some = read_tree("energy-unreadable");
    assert_int_equal(some.count, 0);
    expect_unknown(&energy, &some, SECOND, "only root");
    expect_unknown(&some, &energy, SECOND, "only root");
}

static void a_machine_without_counters_says_so(void **state)
{
    (void)state;
    const struct rung__energy energy = read_tree("energy"), none = read_tree("none");
    assert_int_equal(none.count, 0);
    expect_unknown(&none, &none, SECOND, "no energy counter");
    expect_unknown(&energy, &none, SECOND, "no energy counter");
}

static void packages_that_are_others_than_before_make_it_unknown(void **state)
{
    (void)state;
    const struct rung__energy begin = read_tree("energy");
    struct rung__energy end = begin;
    end.count = 1;
    expect_unknown(&begin, &end, SECOND, "not those");
    end.count = 2;
    end.packages[1].zone = 3;
    expect_unknown(&begin, &end, SECOND, "not those");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_packages_are_read_and_nothing_that_counts_them_again),
        cmocka_unit_test(what_was_taken_is_the_sum_across_a_counters_end),
        cmocka_unit_test(a_counter_that_may_have_gone_round_twice_tells_nothing),
        cmocka_unit_test(one_package_that_cannot_be_read_makes_all_unknown),
        cmocka_unit_test(a_machine_without_counters_says_so),
        cmocka_unit_test(packages_that_are_others_than_before_make_it_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
