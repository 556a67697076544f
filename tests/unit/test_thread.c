/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: threads run and join, mutexes exclude, conditions wake and keep to the clock. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/thread.h"

#define MS UINT64_C(1000000)

struct seen {
    char name[16];
    bool blocked, fault_blocked;
};

static void look_around(void *argument)
{
    struct seen *seen = argument;
    sigset_t mask;
    pthread_getname_np(pthread_self(), seen->name, sizeof seen->name);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    seen->blocked = sigismember(&mask, SIGINT) == 1;
    seen->fault_blocked = sigismember(&mask, SIGSEGV) == 1;
}

static void a_thread_has_a_name_and_leaves_signals_to_the_host(void **state)
{
    (void)state;
    struct rung__thread thread;
    struct seen seen = {0};
    sigset_t mask;
    assert_int_equal(rung__thread_start(&thread, "a-name-of-more-than-fifteen", look_around, &seen),
                     RUNG_OK);
    rung__thread_join(&thread);
    assert_string_equal(seen.name, "a-name-of-more-");
    assert_true(seen.blocked);
    assert_false(seen.fault_blocked);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    assert_int_equal(sigismember(&mask, SIGINT), 0);
}

static struct rung__mutex static_mutex = RUNG__MUTEX_INITIALIZER;
static int guarded;

static void count_up(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        rung__mutex_lock(&static_mutex);
        guarded++;
        rung__mutex_unlock(&static_mutex);
    }
}

static void a_mutex_excludes(void **state)
{
    (void)state;
    struct rung__thread threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(rung__thread_start(&threads[i], "counter", count_up, NULL), RUNG_OK);
    for (size_t i = 0; i < 4; i++)
        rung__thread_join(&threads[i]);
    assert_int_equal(guarded, 80000);
}

struct table {
    struct rung__mutex mutex;
    struct rung__condition condition;
    int ball; /* whose turn it is */
};

static void play(void *argument)
{
    struct table *table = argument;
    rung__mutex_lock(&table->mutex);
    for (int i = 0; i < 500; i++) {
        while (table->ball != 1)
            rung__condition_wait(&table->condition, &table->mutex, RUNG__CLOCK_NEVER);
        table->ball = 0;
        rung__condition_signal(&table->condition);
    }
    rung__mutex_unlock(&table->mutex);
}

static void a_condition_wakes(void **state)
{
    (void)state;
    struct table table = {.ball = 1};
    struct rung__thread thread;
    bool in_time = true;
    rung__mutex_init(&table.mutex);
    rung__condition_init(&table.condition);
    assert_int_equal(rung__thread_start(&thread, "player", play, &table), RUNG_OK);
    rung__mutex_lock(&table.mutex);
    for (int i = 0; i < 500; i++) {
        uint64_t deadline = rung__clock_now() + 60000 * MS;
        while (table.ball != 0 && in_time)
            in_time = rung__condition_wait(&table.condition, &table.mutex, deadline);
        if (i < 499)
            table.ball = 1;
        rung__condition_broadcast(&table.condition);
    }
    rung__mutex_unlock(&table.mutex);
    rung__thread_join(&thread);
    rung__condition_finish(&table.condition);
    rung__mutex_finish(&table.mutex);
    assert_true(in_time);
}

static void a_wait_ends_at_its_deadline_and_not_before(void **state)
{
    (void)state;
    struct rung__mutex mutex;
    struct rung__condition condition;
    rung__mutex_init(&mutex);
    rung__condition_init(&condition);
    rung__mutex_lock(&mutex);
    uint64_t deadline = rung__clock_now() + 20 * MS;
    while (rung__condition_wait(&condition, &mutex, deadline)) {
    }
    assert_true(rung__clock_now() >= deadline);
    assert_false(rung__condition_wait(&condition, &mutex, 0));
    rung__mutex_unlock(&mutex);
    rung__condition_finish(&condition);
    rung__mutex_finish(&mutex);
}

static void random_bytes_differ(void **state)
{
    (void)state;
    uint8_t first[1000] = {0}, second[1000] = {0};
    assert_int_equal(rung__random_fill(first, sizeof first), RUNG_OK);
    assert_int_equal(rung__random_fill(second, sizeof second), RUNG_OK);
    assert_memory_not_equal(first, second, 16);
    /* The last bytes are filled too: 32 zeros come by chance once in 2^256. */
    assert_memory_not_equal(first + sizeof first - 32, (uint8_t[32]){0}, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_has_a_name_and_leaves_signals_to_the_host),
        cmocka_unit_test(a_mutex_excludes),
        cmocka_unit_test(a_condition_wakes),
        cmocka_unit_test(a_wait_ends_at_its_deadline_and_not_before),
        cmocka_unit_test(random_bytes_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
