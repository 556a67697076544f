/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: who waits for a number sees it change, no wake is lost, and deadlines hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/semaphore.h"
#include "base/thread.h"

#define MS     UINT64_C(1000000)
#define ROUNDS 20000u

static void another_value_is_not_waited_for(void **state)
{
    (void)state;
    atomic_uint number = 5;
    assert_true(rung__wait(&number, 4, RUNG__CLOCK_NEVER));
}

static void a_deadline_ends_the_wait(void **state)
{
    (void)state;
    atomic_uint number = 5;
    const uint64_t deadline = rung__clock_now() + 20 * MS;
    while (rung__wait(&number, 5, deadline))
        assert_true(rung__clock_now() < deadline); /* for no reason */
    assert_true(rung__clock_now() >= deadline);
    assert_false(rung__wait(&number, 5, 1)); /* long ago */
}

/** Two threads, each of which waits for the other's number. */
struct rally {
    atomic_uint there, back;
};

static void wait_until(atomic_uint *number, uint32_t value)
{
    uint32_t seen;
    while ((seen = atomic_load(number)) != value)
        rung__wait(number, seen, RUNG__CLOCK_NEVER);
}

static void return_balls(void *argument)
{
    struct rally *rally = argument;
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        wait_until(&rally->there, i);
        atomic_store(&rally->back, i);
        rung__wake_one(&rally->back);
    }
}

static void no_wake_is_lost(void **state)
{
    (void)state;
    struct rally rally = {0};
    struct rung__thread thread;
    assert_int_equal(rung__thread_start(&thread, "rally", return_balls, &rally), RUNG_OK);
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        atomic_store(&rally.there, i);
        rung__wake_one(&rally.there);
        wait_until(&rally.back, i);
    }
    rung__thread_join(&thread);
}

static void sleep_through(void *argument)
{
    wait_until(argument, 1);
}

static void all_are_woken(void **state)
{
    (void)state;
    struct rung__thread threads[4];
    atomic_uint number = 0;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(rung__thread_start(&threads[i], "sleeper", sleep_through, &number),
                         RUNG_OK);
    atomic_store(&number, 1);
    rung__wake_all(&number);
    for (size_t i = 0; i < 4; i++)
        rung__thread_join(&threads[i]);
}

/** What several threads produce and several take away: each taken once. */
struct market {
    struct rung__semaphore goods;
    atomic_uint taken;
};

static void produce(void *argument)
{
    struct market *market = argument;
    for (uint32_t i = 0; i < ROUNDS; i++)
        rung__semaphore_post(&market->goods);
}

static void take(void *argument)
{
    struct market *market = argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        rung__semaphore_wait(&market->goods);
        atomic_fetch_add(&market->taken, 1);
    }
}

static void a_semaphore_gives_as_often_as_it_was_posted(void **state)
{
    (void)state;
    struct market market = {0};
    struct rung__thread threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(rung__thread_start(&threads[i], "market", i % 2 ? produce : take, &market),
                         RUNG_OK);
    for (size_t i = 0; i < 4; i++)
        rung__thread_join(&threads[i]);
    assert_int_equal(market.taken, 2 * ROUNDS);
    assert_int_equal(market.goods.count, 0);
    assert_int_equal(market.goods.waiting, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_value_is_not_waited_for),
        cmocka_unit_test(a_deadline_ends_the_wait),
        cmocka_unit_test(no_wake_is_lost),
        cmocka_unit_test(all_are_woken),
        cmocka_unit_test(a_semaphore_gives_as_often_as_it_was_posted),
    };
    return cmocka_run_group_tests_name("wait", tests, NULL, NULL);
}
