/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a bucket is at most 1/32 wide, percentiles are as exact, the rest is exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/histogram.h"
#include "base/thread.h"

static struct rung__histogram histogram;

static int empty(void **state)
{
    (void)state;
    memset(&histogram, 0, sizeof histogram);
    return 0;
}

static struct rung__histogram_summary read_it(void)
{
    struct rung__histogram_summary summary;
    rung__histogram_read(&histogram, &summary);
    return summary;
}

/** The bucket that just one number was put into. */
static uint32_t bucket_of(uint64_t number)
{
    uint32_t found = RUNG__HISTOGRAM_BUCKETS;
    empty(NULL);
    rung__histogram_add(&histogram, number);
    for (uint32_t i = 0; i < RUNG__HISTOGRAM_BUCKETS; i++) {
        if (histogram.buckets[i]) {
            assert_int_equal(found, RUNG__HISTOGRAM_BUCKETS);
            found = i;
        }
    }
    return found;
}

static void an_empty_one_is_all_zero(void **state)
{
    (void)state;
    const struct rung__histogram_summary zero = {0}, summary = read_it();
    assert_memory_equal(&summary, &zero, sizeof zero);
}

static void every_bucket_ends_where_the_next_begins(void **state)
{
    (void)state;
    for (uint32_t i = 0; i + 1 < RUNG__HISTOGRAM_BUCKETS; i++) {
        const uint64_t bound = rung__histogram_bound(i), next = rung__histogram_bound(i + 1);
        assert_int_equal(bucket_of(bound), i);
        assert_int_equal(bucket_of(bound + 1), i + 1);
        assert_true((next - bound - 1) * 32 <= bound + 1); /* numbers of it differ by so much */
    }
    assert_int_equal(rung__histogram_bound(RUNG__HISTOGRAM_BUCKETS - 1), RUNG__HISTOGRAM_LIMIT);
}

static void what_is_too_long_is_in_the_last_bucket_and_exact_elsewhere(void **state)
{
    (void)state;
    assert_int_equal(bucket_of(UINT64_MAX), RUNG__HISTOGRAM_BUCKETS - 1);
    assert_true(read_it().max == UINT64_MAX);
    assert_true(read_it().last == UINT64_MAX);
}

static void is_near(uint64_t percentile, uint64_t exact)
{
    assert_true(percentile >= exact);
    assert_true((percentile - exact) * 32 <= exact);
}

static void percentiles_are_three_percent_exact(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 1000; i++)
        rung__histogram_add(&histogram, (1001 - i) * 30000);
    const struct rung__histogram_summary summary = read_it();
    assert_int_equal(summary.count, 1000);
    assert_int_equal(summary.last, 30000);
    assert_int_equal(summary.max, 30000000);
    assert_int_equal(summary.total, UINT64_C(500500) * 30000);
    is_near(summary.p50, UINT64_C(500) * 30000);
    is_near(summary.p95, UINT64_C(950) * 30000);
    is_near(summary.p99, UINT64_C(990) * 30000);
}

static void a_percentile_is_never_more_than_the_greatest(void **state)
{
    (void)state;
    rung__histogram_add(&histogram, 1000001);
    assert_int_equal(read_it().p50, 1000001);
    assert_int_equal(read_it().p99, 1000001);
}

static void of_few_numbers_it_is_the_next_one_up(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 3; i++)
        rung__histogram_add(&histogram, i);
    assert_int_equal(read_it().p50, 2);
    assert_int_equal(read_it().p95, 3);
}

static void add_many(void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < 50000; i++)
        rung__histogram_add(&histogram, i);
}

static void it_is_read_while_it_is_added_to(void **state)
{
    (void)state;
    struct rung__thread thread;
    assert_int_equal(rung__thread_start(&thread, "adds", add_many, NULL), RUNG_OK);
    for (uint64_t before = 0; before < 50000;) {
        const struct rung__histogram_summary summary = read_it();
        assert_true(summary.count >= before);
        assert_true(summary.p50 <= summary.p95 && summary.p95 <= summary.p99);
        before = summary.count;
    }
    rung__thread_join(&thread);
    assert_int_equal(read_it().total, UINT64_C(50000) * 49999 / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_empty_one_is_all_zero, empty),
        cmocka_unit_test(every_bucket_ends_where_the_next_begins),
        cmocka_unit_test(what_is_too_long_is_in_the_last_bucket_and_exact_elsewhere),
        cmocka_unit_test_setup(percentiles_are_three_percent_exact, empty),
        cmocka_unit_test_setup(a_percentile_is_never_more_than_the_greatest, empty),
        cmocka_unit_test_setup(of_few_numbers_it_is_the_next_one_up, empty),
        cmocka_unit_test_setup(it_is_read_while_it_is_added_to, empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
