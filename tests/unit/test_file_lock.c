/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: one holder at a time among threads and processes; waiting ends; a dead holder lets go.
 */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/thread.h"
#include "folder_fixture.h"

#define MS UINT64_C(1000000)

/* A process that takes the lock, tells so, and keeps it until it is killed. */
static pid_t fork_holder(const char *path)
{
    int told[2];
    char byte = 0;
    assert_int_equal(pipe(told), 0);
    pid_t id = fork();
    if (id == 0) {
        struct rung__file_lock lock;
        byte = rung__file_lock_take(&lock, path, 0) ? 'n' : 'y';
        if (write(told[1], &byte, 1) == 1)
            for (;;)
                pause();
        _exit(1);
    }
    assert_true(id > 0);
    assert_int_equal(read(told[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(told[0]);
    close(told[1]);
    return id;
}

static void a_second_taker_is_told_that_it_is_busy(void **state)
{
    (void)state;
    char path[256];
    struct stat status;
    struct rung__file_lock first, second;
    assert_int_equal(rung__file_lock_take(&first, in_test_folder(path, "lock"), 0), RUNG_OK);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(rung__file_lock_take(&second, path, 0), RUNG_BUSY);
    assert_int_equal(second.handle, 0);
    rung__file_lock_release(&first);
    assert_int_equal(rung__file_lock_take(&second, path, 0), RUNG_OK);
    rung__file_lock_release(&second);
    rung__file_lock_release(&second);
}

static void waiting_ends_at_the_deadline(void **state)
{
    (void)state;
    char path[256];
    struct rung__file_lock first, second;
    assert_int_equal(rung__file_lock_take(&first, in_test_folder(path, "lock"), 0), RUNG_OK);
    uint64_t deadline = rung__clock_now() + 30 * MS;
    assert_int_equal(rung__file_lock_take(&second, path, deadline), RUNG_TIMEOUT);
    assert_true(rung__clock_now() >= deadline);
    rung__file_lock_release(&first);
}

static void a_dead_process_lets_go(void **state)
{
    (void)state;
    char path[256];
    struct rung__file_lock lock;
    pid_t holder = fork_holder(in_test_folder(path, "lock"));
    assert_int_equal(rung__file_lock_take(&lock, path, 0), RUNG_BUSY);
    kill(holder, SIGKILL);
    rung_result result = rung__file_lock_take(&lock, path, rung__clock_now() + 10000 * MS);
    waitpid(holder, NULL, 0);
    assert_int_equal(result, RUNG_OK);
    rung__file_lock_release(&lock);
}

struct counter {
    const char *path;
    uint64_t deadline;
    atomic_int count; /* read and written apart: only the lock makes that one step */
};

static void count_up(void *argument)
{
    struct counter *counter = argument;
    for (int i = 0; i < 50; i++) {
        struct rung__file_lock lock;
        rung_result result = rung__file_lock_take(&lock, counter->path, counter->deadline);
        if (result)
            return;
        int count = atomic_load(&counter->count);
        struct timespec moment = {.tv_nsec = 1000};
        nanosleep(&moment, NULL); /* invites the others in, should the lock let them */
        atomic_store(&counter->count, count + 1);
        rung__file_lock_release(&lock);
    }
}

static void threads_exclude_each_other(void **state)
{
    (void)state;
    const uint64_t deadlines[] = {RUNG__CLOCK_NEVER, rung__clock_now() + 60000 * MS};
    char path[256];
    for (size_t i = 0; i < 2; i++) {
        struct rung__thread threads[3];
        struct counter counter = {.path = in_test_folder(path, "lock"), .deadline = deadlines[i]};
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(rung__thread_start(&threads[j], "counter", count_up, &counter),
                             RUNG_OK);
        for (size_t j = 0; j < 3; j++)
            rung__thread_join(&threads[j]);
        assert_int_equal(atomic_load(&counter.count), 150);
    }
}

static void what_is_no_file_is_not_locked(void **state)
{
    (void)state;
    char path[256], link[256];
    struct rung__file_lock lock;
    assert_int_equal(rung__file_lock_take(&lock, test_folder, 0), RUNG_IO);
    assert_int_equal(rung__file_lock_take(&lock, "/dev/null", 0), RUNG_IO);
    assert_int_equal(symlink(in_test_folder(path, "file"), in_test_folder(link, "link")), 0);
    assert_int_equal(rung__file_lock_take(&lock, link, 0), RUNG_IO);
    assert_int_equal(rung__path_kind(path), RUNG__PATH_MISSING);
}

static size_t count_open(const char *path)
{
    struct rung__folder folder;
    size_t count = 0;
    assert_int_equal(rung__folder_list("/proc/self/fd", 1000, &folder), RUNG_OK);
    for (size_t i = 0; i < folder.count; i++) {
        char link[64], target[256] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%.10s", folder.names[i]);
        count += readlink(link, target, sizeof target - 1) > 0 && !strcmp(target, path);
    }
    rung__folder_finish(&folder);
    return count;
}

struct waiter {
    const char *path;
    struct rung__file_lock lock;
    rung_result result;
};

static void wait_for_lock(void *argument)
{
    struct waiter *waiter = argument;
    waiter->result =
        rung__file_lock_take(&waiter->lock, waiter->path, rung__clock_now() + 60000 * MS);
}

static void a_removed_lock_file_lets_no_two_in(void **state)
{
    (void)state;
    char path[256];
    struct rung__file_lock first, third;
    struct waiter second = {.path = in_test_folder(path, "lock")};
    struct rung__thread thread;
    if (access("/proc/self/fd", R_OK))
        skip();
    assert_int_equal(rung__file_lock_take(&first, path, 0), RUNG_OK);
    assert_int_equal(rung__thread_start(&thread, "waiter", wait_for_lock, &second), RUNG_OK);
    while (count_open(path) < 2)
        sched_yield();
    assert_int_equal(unlink(path), 0);
    rung__file_lock_release(&first);
    rung__thread_join(&thread);
    assert_int_equal(second.result, RUNG_OK);
    assert_int_equal(rung__file_lock_take(&third, path, 0), RUNG_BUSY);
    rung__file_lock_release(&second.lock);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_test_folder, remove_test_folder)
    const struct CMUnitTest tests[] = {
        TEST(a_second_taker_is_told_that_it_is_busy),
        TEST(waiting_ends_at_the_deadline),
        TEST(a_dead_process_lets_go),
        TEST(threads_exclude_each_other),
        TEST(what_is_no_file_is_not_locked),
        TEST(a_removed_lock_file_lets_no_two_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
