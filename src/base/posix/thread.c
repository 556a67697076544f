/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "base/wait.h"

#define NAME_BYTES 16 /* Linux takes no more, with the zero */

/** Of the starting thread, until the new one has begun. */
struct start {
    void (*run)(void *argument);
    void *argument;
    char name[NAME_BYTES];
    atomic_uint begun;
};

/* These calls fail only when they are used wrongly, and then nothing that follows would be right.
 */
static void must(int error)
{
    if (error)
        abort();
}

static void set_name(const char *name)
{
#if defined(__APPLE__)
    (void)pthread_setname_np(name);
#else
    (void)pthread_setname_np(pthread_self(), name);
#endif
}

static void *run_thread(void *argument)
{
    struct start *start = argument;
    void (*const run)(void *) = start->run;
    void *const of = start->argument;
    set_name(start->name);
    atomic_store(&start->begun, 1);
    rung__wake_one(&start->begun);
    run(of);
    return NULL;
}

/* The host's signals are for the host's threads. Those of a fault stay with the thread at fault. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    must(pthread_sigmask(SIG_SETMASK, &blocked, before));
}

rung_result rung__thread_start(struct rung__thread *thread, const char *name,
                               void (*run)(void *argument), void *argument)
{
    struct start start = {.run = run, .argument = argument};
    (void)rung__text_format(start.name, sizeof start.name, "%s", name);

    sigset_t before;
    block_signals(&before);
    int error = pthread_create(&thread->handle, NULL, run_thread, &start);
    must(pthread_sigmask(SIG_SETMASK, &before, NULL));
    while (!error && !atomic_load(&start.begun))
        (void)rung__wait(&start.begun, 0, RUNG__CLOCK_NEVER);
    if (!error)
        return RUNG_OK;
    return rung__fail_errno(RUNG_NO_MEMORY, error, "cannot start the thread %s", name);
}

void rung__thread_join(struct rung__thread *thread)
{
    must(pthread_join(thread->handle, NULL));
}

void rung__thread_leave(struct rung__thread *thread)
{
    must(pthread_detach(thread->handle));
}

/* Not the idle class: who waits for a lock that such a thread holds would wait for as long as the
 * machine is busy. */
void rung__thread_yield_to_others(void)
{
#if defined(__linux__)
    const int low_priority = 10; /* of 0..19; here a thread has its own */
    if (getpriority(PRIO_PROCESS, 0) < low_priority)
        (void)setpriority(PRIO_PROCESS, 0, low_priority);
#endif
}

void rung__mutex_init(struct rung__mutex *mutex)
{
    must(pthread_mutex_init(&mutex->handle, NULL));
}

void rung__mutex_finish(struct rung__mutex *mutex)
{
    must(pthread_mutex_destroy(&mutex->handle));
}

void rung__mutex_lock(struct rung__mutex *mutex)
{
    must(pthread_mutex_lock(&mutex->handle));
}

void rung__mutex_unlock(struct rung__mutex *mutex)
{
    must(pthread_mutex_unlock(&mutex->handle));
}

void rung__condition_init(struct rung__condition *condition)
{
    pthread_condattr_t attributes;
    must(pthread_condattr_init(&attributes));
#if !defined(__APPLE__)
    must(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
#endif
    must(pthread_cond_init(&condition->handle, &attributes));
    must(pthread_condattr_destroy(&attributes));
}

void rung__condition_finish(struct rung__condition *condition)
{
    must(pthread_cond_destroy(&condition->handle));
}

void rung__condition_signal(struct rung__condition *condition)
{
    must(pthread_cond_signal(&condition->handle));
}

void rung__condition_broadcast(struct rung__condition *condition)
{
    must(pthread_cond_broadcast(&condition->handle));
}

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u),
                             .tv_nsec = (long)(ns % 1000000000u)};
}

static int wait_until(struct rung__condition *condition, struct rung__mutex *mutex,
                      uint64_t deadline)
{
#if defined(__APPLE__)
    uint64_t now = rung__clock_now();
    struct timespec rest = timespec_of(deadline > now ? deadline - now : 0);
    return pthread_cond_timedwait_relative_np(&condition->handle, &mutex->handle, &rest);
#else
    struct timespec until = timespec_of(deadline);
    return pthread_cond_timedwait(&condition->handle, &mutex->handle, &until);
#endif
}

bool rung__condition_wait(struct rung__condition *condition, struct rung__mutex *mutex,
                          uint64_t deadline)
{
    if (deadline == RUNG__CLOCK_NEVER) {
        must(pthread_cond_wait(&condition->handle, &mutex->handle));
        return true;
    }
    int error = wait_until(condition, mutex, deadline);
    if (error != ETIMEDOUT)
        must(error);
    return error != ETIMEDOUT;
}
