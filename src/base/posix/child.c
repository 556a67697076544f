/* SPDX-License-Identifier: Apache-2.0 */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "base/descriptor.h"
#include "base/error.h"

#define LOW_PRIORITY     10    /* of 0..19 */
#define MOST_TO_CLOSE    65536 /* descriptors, where the system cannot close a range at once */
#define NOT_STARTED      127   /* exit status, as of a shell */
#define FIRST_OF_ITS_OWN 3     /* descriptor behind the standard streams */

extern char **environ;

/* The pipes between us and a child. The last one tells why its program did not start. */
enum { INPUT, OUTPUT, ERRORS, REPORT, PIPES };
enum { READ_END, WRITE_END };

struct pipes {
    intptr_t ends[PIPES][2];
};

static void close_pipes(struct pipes *pipes)
{
    for (int i = 0; i < PIPES; i++) {
        (void)rung__descriptor_close(&pipes->ends[i][READ_END]);
        (void)rung__descriptor_close(&pipes->ends[i][WRITE_END]);
    }
}

/* Closed on exec from the start: another thread may start a program at any moment. */
static int make_pipe(int ends[2])
{
#if defined(__APPLE__)
    if (pipe(ends))
        return -1;
    (void)fcntl(ends[READ_END], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[WRITE_END], F_SETFD, FD_CLOEXEC);
    return 0;
#else
    return pipe2(ends, O_CLOEXEC);
#endif
}

static rung_result open_pipes(struct pipes *pipes)
{
    *pipes = (struct pipes){0};
    for (int i = 0; i < PIPES; i++) {
        int ends[2];
        if (make_pipe(ends))
            goto fail;
        for (int end = READ_END; end <= WRITE_END; end++) {
            int descriptor = rung__descriptor_above(ends[end]);
            if (descriptor < 0)
                goto fail;
            pipes->ends[i][end] = descriptor;
        }
    }
    return RUNG_OK;

fail:;
    rung_result result = rung__fail_errno(RUNG_IO, errno, "cannot make the pipes of a process");
    close_pipes(pipes);
    return result;
}

/*
 * From here to become_program runs in the child of a process that may have other threads, and in
 * its memory: only what is safe in a signal handler may be called, and nothing be written that is
 * not a variable of the functions themselves.
 */

static void close_others_on_exec(void)
{
#if defined(SYS_close_range)
    const unsigned on_exec = 4; /* CLOSE_RANGE_CLOEXEC, Linux 5.11 */
    if (!syscall(SYS_close_range, FIRST_OF_ITS_OWN, ~0u, on_exec))
        return;
#endif
    struct rlimit limit;
    rlim_t end = MOST_TO_CLOSE;
    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < end)
        end = limit.rlim_cur;
    for (int descriptor = FIRST_OF_ITS_OWN; descriptor < (int)end; descriptor++)
        (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

static void die_with(pid_t parent)
{
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it was too late for that */
        _exit(NOT_STARTED);
#else
    (void)parent;
#endif
}

static void forget_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (int signal = 1; signal < NSIG; signal++)
        (void)sigaction(signal, &action, NULL);
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn static void become_program(const struct rung__process_options *options,
                                     const struct pipes *pipes, pid_t parent)
{
    int report = (int)pipes->ends[REPORT][WRITE_END];
    (void)setpgid(0, 0);
    die_with(parent);
    if (options->low_priority && getpriority(PRIO_PROCESS, 0) < LOW_PRIORITY)
        (void)setpriority(PRIO_PROCESS, 0, LOW_PRIORITY);
    if (dup2((int)pipes->ends[INPUT][READ_END], STDIN_FILENO) >= 0 &&
        dup2((int)pipes->ends[OUTPUT][WRITE_END], STDOUT_FILENO) >= 0 &&
        dup2((int)pipes->ends[ERRORS][WRITE_END], STDERR_FILENO) >= 0) {
        close_others_on_exec();
        forget_signals();
        const char *const *environment = options->environment;
        execve(options->arguments[0], (char *const *)options->arguments,
               environment ? (char *const *)environment : environ);
    }
    int error = errno;
    if (write(report, &error, sizeof error) < 0)
        _exit(NOT_STARTED + 1);
    _exit(NOT_STARTED);
}

/* On Linux the child borrows our memory until its program starts. Copies of the pages of a process
 * with models in it would take milliseconds, in which its threads wait for each page they touch. */
#if defined(__linux__)
#define FORK vfork
#else
#define FORK fork
#endif

/* No handler of the host may run in the child before it has forgotten them. */
static pid_t fork_program(const struct rung__process_options *options, const struct pipes *pipes)
{
    sigset_t all, before;
    pid_t parent = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* What it calls before the program starts is its own: descriptors, signals, priority, memory of
     * this frame's callees. It does not return. */
    pid_t id = FORK(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
    if (id == 0)
        become_program(options, pipes, parent); /* NOLINT(clang-analyzer-unix.Vfork) */
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return id;
}

/* The errno value of a program that did not start; 0 when the pipe closed because it did. */
static int read_report(int descriptor)
{
    int error = 0;
    ssize_t got;
    do
        got = read(descriptor, &error, sizeof error);
    while (got < 0 && errno == EINTR);
    return got == sizeof error ? error : 0;
}

static int open_watch(pid_t id)
{
#if defined(SYS_pidfd_open)
    int descriptor = rung__descriptor_above((int)syscall(SYS_pidfd_open, id, 0));
    return descriptor > 0 ? descriptor : 0;
#else
    (void)id;
    return 0;
#endif
}

static intptr_t take_end(struct pipes *pipes, int pipe, int end)
{
    intptr_t descriptor = pipes->ends[pipe][end];
    pipes->ends[pipe][end] = 0;
    (void)fcntl((int)descriptor, F_SETFL, O_NONBLOCK);
    return descriptor;
}

rung_result rung__child_start(const struct rung__process_options *options,
                              struct rung__child *child)
{
    const char *program = options->arguments[0];
    struct pipes pipes;
    *child = (struct rung__child){0};
    rung_result result = open_pipes(&pipes);
    if (result)
        return result;

    child->id = fork_program(options, &pipes);
    if (child->id < 0) {
        result = rung__fail_errno(errno == ENOMEM ? RUNG_NO_MEMORY : RUNG_IO, errno,
                                  "cannot start %s", program);
        goto done;
    }
    /* The child does the same; whoever comes first, it leads its group before it can be killed. */
    (void)setpgid(child->id, child->id);
    (void)rung__descriptor_close(&pipes.ends[REPORT][WRITE_END]);
    int error = read_report((int)pipes.ends[REPORT][READ_END]);
    if (error) {
        (void)waitpid(child->id, NULL, 0);
        result = rung__fail_errno(error == ENOENT || error == ENOTDIR ? RUNG_NOT_FOUND : RUNG_IO,
                                  error, "cannot start %s", program);
        goto done;
    }
    child->watch = open_watch(child->id);
    child->input = take_end(&pipes, INPUT, WRITE_END);
    child->output = take_end(&pipes, OUTPUT, READ_END);
    child->errors = take_end(&pipes, ERRORS, READ_END);

done:
    close_pipes(&pipes);
    return result;
}

enum rung__child_state rung__child_state(const struct rung__child *child)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)child->id, &info, WEXITED | WNOHANG | WNOWAIT))
        return errno == ECHILD ? RUNG__CHILD_LOST : RUNG__CHILD_RUNS;
    return info.si_pid ? RUNG__CHILD_ENDED : RUNG__CHILD_RUNS;
}

void rung__child_kill(const struct rung__child *child)
{
    (void)kill(-child->id, SIGKILL);
}

int rung__child_collect(const struct rung__child *child)
{
    int status = 0;
    (void)waitpid(child->id, &status, WNOHANG);
    return status;
}

void rung__child_close(struct rung__child *child)
{
    (void)rung__descriptor_close(&child->input);
    (void)rung__descriptor_close(&child->output);
    (void)rung__descriptor_close(&child->errors);
    (void)rung__descriptor_close(&child->watch);
}
