/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles by nearest rank, whatever the order in which samples come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../cli/samples.h"

/** 1 to `count`, the odd ones first. */
static struct samples numbers(size_t count)
{
    struct samples samples = {0};
    for (size_t i = 1; i <= count; i += 2)
        assert_true(samples_add(&samples, (double)i));
    for (size_t i = 2; i <= count; i += 2)
        assert_true(samples_add(&samples, (double)i));
    samples_sort(&samples);
    return samples;
}

static void a_quantile_is_one_of_the_samples_by_nearest_rank(void **state)
{
    (void)state;
    struct samples samples = numbers(1000);
    assert_true(samples_at(&samples, 0) == 1);
    assert_true(samples_at(&samples, 0.001) == 1);
    assert_true(samples_at(&samples, 0.0011) == 2);
    assert_true(samples_at(&samples, 0.5) == 500);
    assert_true(samples_at(&samples, 0.99) == 990);
    assert_true(samples_at(&samples, 1) == 1000);
    samples_finish(&samples);
    samples = numbers(1);
    assert_true(samples_at(&samples, 0) == 1 && samples_at(&samples, 1) == 1);
    samples_finish(&samples);
}

static void what_is_at_a_limit_is_not_above_it(void **state)
{
    (void)state;
    struct samples samples = numbers(4);
    assert_true(samples_above(&samples, 3) == 0.25);
    assert_true(samples_above(&samples, 0) == 1);
    assert_true(samples_above(&samples, 4) == 0);
    samples_finish(&samples);
}

static void of_no_samples_all_figures_are_nothing(void **state)
{
    (void)state;
    struct samples samples = {0};
    samples_sort(&samples);
    assert_true(samples_at(&samples, 0.5) == 0);
    assert_true(samples_above(&samples, 0) == 0);
    samples_finish(&samples);
}

static void samples_of_another_are_added_behind(void **state)
{
    (void)state;
    struct samples samples = numbers(3), others = numbers(100);
    assert_true(samples_append(&samples, &others));
    assert_int_equal(samples.count, 103);
    assert_true(samples.items[2] == 3 && samples.items[3] == 1);
    samples_finish(&samples);
    samples_finish(&others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quantile_is_one_of_the_samples_by_nearest_rank),
        cmocka_unit_test(what_is_at_a_limit_is_not_above_it),
        cmocka_unit_test(of_no_samples_all_figures_are_nothing),
        cmocka_unit_test(samples_of_another_are_added_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
