/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a child is bounded in time and output, told apart by its end, and leaves nothing
 * behind. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/thread.h"
#include "folder_fixture.h"

#define MS UINT64_C(1000000)

/* Far more than any of them needs; a test that reaches it fails. */
#define LONG (60000 * MS)

/* Runs a line of shell with the given limits. */
static struct rung__process_outcome run_limited(const char *line, struct rung__bytes input,
                                                size_t output_limit, uint64_t time)
{
    const char *arguments[] = {"/bin/sh", "-c", line, NULL};
    struct rung__process_options options = {
        .arguments = arguments,
        .input = input,
        .output_limit = output_limit,
        .deadline = rung__clock_now() + time,
    };
    struct rung__process_outcome outcome;
    assert_int_equal(rung__process_run(&options, &outcome), RUNG_OK);
    return outcome;
}

static struct rung__process_outcome run(const char *line)
{
    return run_limited(line, (struct rung__bytes){0}, 1000, LONG);
}

static void assert_holds(const struct rung__buffer *buffer, const char *text)
{
    assert_int_equal(buffer->size, strlen(text));
    assert_memory_equal(buffer->data, text, buffer->size);
}

static void streams_and_status_are_reported(void **state)
{
    (void)state;
    struct rung__process_outcome outcome = run("echo out; echo err >&2; exit 3");
    assert_int_equal(outcome.end, RUNG__PROCESS_EXITED);
    assert_int_equal(outcome.code, 3);
    assert_holds(&outcome.output, "out\n");
    assert_holds(&outcome.errors, "err\n");
    assert_false(outcome.output_cut || outcome.errors_cut);
    char text[64];
    rung__process_describe(&outcome, text, sizeof text);
    assert_string_equal(text, "ended with status 3");
    rung__process_finish(&outcome);
}

static void a_signal_is_reported(void **state)
{
    (void)state;
    struct rung__process_outcome outcome = run("kill -SEGV $$");
    assert_int_equal(outcome.end, RUNG__PROCESS_SIGNALLED);
    assert_int_equal(outcome.code, SIGSEGV);
    char text[64];
    rung__process_describe(&outcome, text, sizeof text);
    assert_non_null(strstr(text, "killed by signal 11 ("));
    rung__process_finish(&outcome);
}

static void large_input_passes_while_output_is_read(void **state)
{
    (void)state;
    struct rung__buffer input = {0};
    assert_int_equal(rung__buffer_append(&input, NULL, 1 << 20), RUNG_OK);
    memset(input.data, 'x', input.size);
    struct rung__process_outcome outcome =
        run_limited("cat", rung__buffer_bytes(&input), 2 << 20, LONG);
    assert_int_equal(outcome.output.size, input.size);
    assert_memory_equal(outcome.output.data, input.data, input.size);
    rung__process_finish(&outcome);

    outcome = run_limited("exec <&-; exit 0", rung__buffer_bytes(&input), 100, LONG);
    assert_int_equal(outcome.end, RUNG__PROCESS_EXITED); /* and SIGPIPE did not end us */
    assert_int_equal(outcome.code, 0);
    rung__process_finish(&outcome);
    rung__buffer_finish(&input);
}

static void a_child_without_input_sees_its_end(void **state)
{
    (void)state;
    struct rung__process_outcome outcome = run("cat; echo end");
    assert_holds(&outcome.output, "end\n");
    rung__process_finish(&outcome);
}

static void output_is_cut_and_the_child_goes_on(void **state)
{
    (void)state;
    const char *line = "head -c 300000 /dev/zero; echo 1234567 >&2; exit 5";
    struct rung__process_outcome outcome = run_limited(line, (struct rung__bytes){0}, 7, LONG);
    assert_int_equal(outcome.end, RUNG__PROCESS_EXITED);
    assert_int_equal(outcome.code, 5);
    assert_int_equal(outcome.output.size, 7);
    assert_true(outcome.output_cut);
    assert_holds(&outcome.errors, "1234567");
    assert_true(outcome.errors_cut);
    rung__process_finish(&outcome);
}

/* Opens a FIFO that children hold for writing: it hangs up when the last of them is gone. */
static int open_fifo(char path[256])
{
    assert_int_equal(mkfifo(in_test_folder(path, "fifo"), 0600), 0);
    int descriptor = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(descriptor >= 0);
    return descriptor;
}

static void assert_hangs_up(int fifo)
{
    char byte;
    struct pollfd poll_for = {.fd = fifo, .events = POLLIN};
    do
        assert_int_equal(poll(&poll_for, 1, 30000), 1);
    while (read(fifo, &byte, 1) > 0);
    assert_true(poll_for.revents & POLLHUP);
    close(fifo);
}

static void the_deadline_kills_the_whole_group(void **state)
{
    (void)state;
    char path[256], line[600];
    int fifo = open_fifo(path);
    snprintf(line, sizeof line, "exec 3>%s; echo begun >&3; sleep 1000 & sleep 1000", path);
    uint64_t before = rung__clock_now();
    struct rung__process_outcome outcome =
        run_limited(line, (struct rung__bytes){0}, 100, 1000 * MS);
    assert_int_equal(outcome.end, RUNG__PROCESS_TIMEOUT);
    assert_in_range((rung__clock_now() - before) / MS, 1000, 30000);
    char begun[6];
    assert_int_equal(read(fifo, begun, sizeof begun), 6);
    assert_hangs_up(fifo);
    char text[64];
    rung__process_describe(&outcome, text, sizeof text);
    assert_string_equal(text, "did not end in time and was killed");
    rung__process_finish(&outcome);
}

static void set_soon(void *flag)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    nanosleep(&pause, NULL);
    atomic_store((atomic_bool *)flag, true);
}

static void a_child_that_is_cancelled_is_killed(void **state)
{
    (void)state;
    char path[256], line[600];
    int fifo = open_fifo(path);
    snprintf(line, sizeof line, "exec 3>%s; sleep 1000 & sleep 1000", path);
    const char *arguments[] = {"/bin/sh", "-c", line, NULL};
    atomic_bool cancel = false;
    const struct rung__process_options options = {
        .arguments = arguments,
        .output_limit = 100,
        .deadline = rung__clock_now() + LONG,
        .cancel = &cancel,
    };
    struct rung__thread thread;
    struct rung__process_outcome outcome;
    assert_int_equal(rung__thread_start(&thread, "canceller", set_soon, &cancel), RUNG_OK);
    assert_int_equal(rung__process_run(&options, &outcome), RUNG_OK);
    rung__thread_join(&thread);
    assert_int_equal(outcome.end, RUNG__PROCESS_CANCELLED);
    assert_hangs_up(fifo);
    rung__process_finish(&outcome);
}

static void what_a_child_leaves_behind_does_not_hang_us(void **state)
{
    (void)state;
    char path[256], line[600];
    int fifo = open_fifo(path);
    snprintf(line, sizeof line, "exec 3>%s; sleep 1000 & echo done", path);
    struct rung__process_outcome outcome = run(line);
    assert_int_equal(outcome.end, RUNG__PROCESS_EXITED);
    assert_holds(&outcome.output, "done\n");
    assert_hangs_up(fifo);
    rung__process_finish(&outcome);
}

static void a_child_that_closes_its_streams_is_waited_for(void **state)
{
    (void)state;
    char path[256], line[600];
    in_test_folder(path, "late");
    snprintf(line, sizeof line, "exec >&- 2>&-; sleep 0.1; : > %s; exit 4", path);
    struct rung__process_outcome outcome = run(line);
    assert_int_equal(outcome.code, 4);
    assert_int_equal(rung__path_kind(path), RUNG__PATH_FILE);
    rung__process_finish(&outcome);
}

static void a_child_holds_no_other_descriptor(void **state)
{
    (void)state;
    if (access("/proc/self/fd", R_OK))
        skip();
    int leaked = dup2(STDERR_FILENO, 77); /* without close on exec */
    struct rung__process_outcome outcome = run("cd /proc/self/fd && echo *");
    close(leaked);
    /* The shell itself holds the folder open while it lists it. */
    assert_memory_equal(outcome.output.data, "0 1 2", 5);
    assert_in_range(outcome.output.size, 6, 9);
    rung__process_finish(&outcome);
}

static void a_child_has_default_signals_and_its_own_group(void **state)
{
    (void)state;
    void (*handler)(int) = signal(SIGTERM, SIG_IGN);
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    struct rung__process_outcome outcome = run("kill -TERM 0; exit 1"); /* 0: its group */
    sigprocmask(SIG_SETMASK, &before, NULL);
    signal(SIGTERM, handler);
    assert_int_equal(outcome.end, RUNG__PROCESS_SIGNALLED);
    assert_int_equal(outcome.code, SIGTERM);
    rung__process_finish(&outcome);
}

static void environment_and_priority_are_those_asked_for(void **state)
{
    (void)state;
    const char *arguments[] = {"/bin/sh", "-c", "echo $ONE:$HOME; nice", NULL};
    const char *environment[] = {"ONE=1", "PATH=/usr/bin:/bin", NULL};
    struct rung__process_options options = {
        .arguments = arguments,
        .environment = environment,
        .output_limit = 100,
        .deadline = RUNG__CLOCK_NEVER,
        .low_priority = true,
    };
    struct rung__process_outcome outcome;
    assert_int_equal(rung__process_run(&options, &outcome), RUNG_OK);
    assert_true(getpriority(PRIO_PROCESS, 0) < 10);
    assert_holds(&outcome.output, "1:\n10\n");
    rung__process_finish(&outcome);
}

static rung_result try_to_run(const char *program)
{
    const char *arguments[] = {program, NULL};
    struct rung__process_options options = {.arguments = arguments, .deadline = RUNG__CLOCK_NEVER};
    struct rung__process_outcome outcome;
    return rung__process_run(&options, &outcome);
}

static void a_program_that_cannot_start_has_its_reason(void **state)
{
    (void)state;
    char path[256];
    assert_int_equal(try_to_run(in_test_folder(path, "none")), RUNG_NOT_FOUND);
    assert_non_null(strstr(rung_last_error(), path));
    assert_int_equal(try_to_run("sh"), RUNG_NOT_FOUND); /* never searched */
    assert_int_equal(rung__file_save(path, (struct rung__bytes){0}, 0644, true), RUNG_OK);
    assert_int_equal(try_to_run(path), RUNG_IO);
    assert_int_equal(try_to_run(test_folder), RUNG_IO);
}

static void ignoring_children_is_told_and_does_not_hang(void **state)
{
    (void)state;
    void (*handler)(int) = signal(SIGCHLD, SIG_IGN);
    rung_result result = try_to_run("/bin/true");
    signal(SIGCHLD, handler);
    assert_int_equal(result, RUNG_IO);
    assert_non_null(strstr(rung_last_error(), "SIGCHLD"));
}

static void run_some(void *failures)
{
    for (int i = 0; i < 10; i++) {
        const char *arguments[] = {"/bin/sh", "-c", "cat; exit 9", NULL};
        struct rung__process_options options = {
            .arguments = arguments,
            .input = {(const uint8_t *)"hello", 5},
            .output_limit = 100,
            .deadline = rung__clock_now() + LONG,
        };
        struct rung__process_outcome outcome;
        rung_result result = rung__process_run(&options, &outcome);
        if (result || outcome.code != 9 || outcome.output.size != 5)
            ++*(int *)failures;
        if (!result)
            rung__process_finish(&outcome);
    }
}

static void several_threads_may_run_children(void **state)
{
    (void)state;
    struct rung__thread threads[3];
    int failures[3] = {0};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(rung__thread_start(&threads[i], "runner", run_some, &failures[i]),
                         RUNG_OK);
    for (size_t i = 0; i < 3; i++)
        rung__thread_join(&threads[i]);
    assert_int_equal(failures[0] + failures[1] + failures[2], 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_test_folder, remove_test_folder)
    const struct CMUnitTest tests[] = {
        TEST(streams_and_status_are_reported),
        TEST(a_signal_is_reported),
        TEST(large_input_passes_while_output_is_read),
        TEST(a_child_without_input_sees_its_end),
        TEST(output_is_cut_and_the_child_goes_on),
        TEST(the_deadline_kills_the_whole_group),
        TEST(a_child_that_is_cancelled_is_killed),
        TEST(what_a_child_leaves_behind_does_not_hang_us),
        TEST(a_child_that_closes_its_streams_is_waited_for),
        TEST(a_child_holds_no_other_descriptor),
        TEST(a_child_has_default_signals_and_its_own_group),
        TEST(environment_and_priority_are_those_asked_for),
        TEST(a_program_that_cannot_start_has_its_reason),
        TEST(ignoring_children_is_told_and_does_not_hang),
        TEST(several_threads_may_run_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
