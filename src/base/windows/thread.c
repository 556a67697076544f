/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include <errno.h>
#include <process.h>
#include <stdlib.h>
#include <windows.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/wait.h"
#include "base/wide.h"

_Static_assert(sizeof(SRWLOCK) == sizeof(struct rung__mutex), "the types are one pointer each");
_Static_assert(sizeof(CONDITION_VARIABLE) == sizeof(struct rung__condition),
               "the types are one pointer each");

struct start {
    void (*run)(void *argument);
    void *argument;
};

static unsigned __stdcall run_thread(void *argument)
{
    struct start start = *(struct start *)argument;
    free(argument);
    start.run(start.argument);
    return 0;
}

/* Threads have names since Windows 10, version 1607. */
static void set_name(HANDLE thread, const char *name)
{
    typedef HRESULT(WINAPI * set_description)(HANDLE thread, PCWSTR name);
    HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    set_description set =
        kernel ? (set_description)(uintptr_t)GetProcAddress(kernel, "SetThreadDescription") : NULL;
    wchar_t *wide = set ? rung__wide_new(name) : NULL;
    if (wide)
        (void)set(thread, wide);
    free(wide);
}

rung_result rung__thread_start(struct rung__thread *thread, const char *name,
                               void (*run)(void *argument), void *argument)
{
    struct start *start = malloc(sizeof *start);
    if (!start)
        return rung__fail(RUNG_NO_MEMORY, "no memory for the thread %s", name);
    *start = (struct start){.run = run, .argument = argument};
    uintptr_t handle = _beginthreadex(NULL, 0, run_thread, start, 0, NULL);
    if (!handle) {
        free(start);
        return rung__fail_errno(RUNG_NO_MEMORY, errno, "cannot start the thread %s", name);
    }
    thread->handle = (void *)handle;
    set_name(thread->handle, name);
    return RUNG_OK;
}

void rung__thread_join(struct rung__thread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

void rung__thread_leave(struct rung__thread *thread)
{
    CloseHandle(thread->handle);
}

void rung__thread_yield_to_others(void)
{
    (void)SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST);
}

static PSRWLOCK lock_of(struct rung__mutex *mutex)
{
    return (PSRWLOCK)(void *)mutex;
}

static PCONDITION_VARIABLE variable_of(struct rung__condition *condition)
{
    return (PCONDITION_VARIABLE)(void *)condition;
}

void rung__mutex_init(struct rung__mutex *mutex)
{
    InitializeSRWLock(lock_of(mutex));
}

void rung__mutex_finish(struct rung__mutex *mutex)
{
    (void)mutex; /* holds nothing of the system's */
}

void rung__mutex_lock(struct rung__mutex *mutex)
{
    AcquireSRWLockExclusive(lock_of(mutex));
}

void rung__mutex_unlock(struct rung__mutex *mutex)
{
    ReleaseSRWLockExclusive(lock_of(mutex));
}

void rung__condition_init(struct rung__condition *condition)
{
    InitializeConditionVariable(variable_of(condition));
}

void rung__condition_finish(struct rung__condition *condition)
{
    (void)condition; /* holds nothing of the system's */
}

void rung__condition_signal(struct rung__condition *condition)
{
    WakeConditionVariable(variable_of(condition));
}

void rung__condition_broadcast(struct rung__condition *condition)
{
    WakeAllConditionVariable(variable_of(condition));
}

bool rung__condition_wait(struct rung__condition *condition, struct rung__mutex *mutex,
                          uint64_t deadline)
{
    DWORD time = rung__wait_milliseconds(deadline);
    if (SleepConditionVariableSRW(variable_of(condition), lock_of(mutex), time, 0))
        return true;
    return rung__clock_now() < deadline;
}
