/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rung-probe background <TASK: the whole probe of a model, that nobody waits for. It leaves the one
 * who asks, takes only time that nobody else wants, and ends alone.
 */
#include "session/background.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rung/engines.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "ladder/cancel.h"
#include "ladder/policy.h"
#include "ladder/retry.h"
#include "probe.h"
#include "session/instance.h"
#include "session/probe.h"
#include "session/validate.h"
#include "task.h"

#define LOWEST_NICE   19
#define IO_CLASS_IDLE (3 << 13) /* IOPRIO_CLASS_IDLE of linux/ioprio.h */

/** Nice, but for groups of sessions, each of which would have its share of the CPUs however nice.
 */
static void be_nice_as_session(void)
{
    static const char lowest[] = "19";
    const int file = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (write(file, lowest, sizeof lowest - 1) < 0) {
        /* The scheduler has no such groups, or wants to be asked more rarely: then only nice. */
    }
    (void)close(file);
}

/** Only time and disks that nobody else wants; what the system refuses stays as it is. */
static void be_last(void)
{
    const struct sched_param none = {0};
    (void)setpriority(PRIO_PROCESS, 0, LOWEST_NICE);
    (void)sched_setscheduler(0, SCHED_IDLE, &none);
    (void)syscall(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */, 0, IO_CLASS_IDLE);
    be_nice_as_session();
}

/* What goes with a probe that is told to end: nothing failed, so nothing is to be waited for. */
static char note[4096];

static void end_early(int number)
{
    rung__cancel_all();
    if (note[0])
        (void)unlink(note);
    _exit(128 + number);
}

static void catch_signals(const char *state)
{
    struct sigaction action = {.sa_handler = end_early};
    if (!rung__text_format(note, sizeof note, "%s/" RUNG__RETRY_FILE, state))
        note[0] = '\0';
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
}

/** The probe, then the engine of the rung that was chosen, if that compiles, then the stages around
 * what serves by then. */
static rung_result work(const struct task *task)
{
    rung_instance *instance;
    rung_result result = task_instance(task, &instance);
    if (result != RUNG_OK || !instance->state)
        return result;
    catch_signals(instance->state);
    const rung_probe_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .policy = task->policy ? (rung_probe_policy)task->policy
                               : rung__policy_by_load(rung__instance_hardware_root(instance)),
    };
    result = rung__probe_unasked(instance, task->model, &options);
    if (result != RUNG_OK)
        return result;
    result = rung_engines_build(instance, &task->model, 1, NULL, NULL, NULL);
    if (result == RUNG_OK)
        rung__validate_unasked(instance, task->model);
    rung__retry_forget(instance->state); /* last: who waits for it waits for all of this */
    return result;
}

/** Away from the streams, the terminal and the group of the one who asks. What is open lies below
 * `report`, which was opened last. */
static bool leave(int report)
{
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0 || setsid() < 0)
        return false;
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (dup2(nowhere, stream) < 0)
            return false;
    for (int other = STDERR_FILENO + 1; other < report; other++)
        (void)close(other);
    return close(nowhere) == 0;
}

/** In the process that goes on alone: says so, closes what it was given, and works. */
_Noreturn static void go_on(const struct task *task, int report)
{
    const uint8_t gone = leave(report);
    if (gone && write(report, &gone, sizeof gone) == sizeof gone) {
        (void)close(report);
        be_last();
        (void)work(task);
    }
    _exit(!gone);
}

rung_result background(char **operands, struct rung__bytes input, struct answer *answer)
{
    struct task task = {0};
    int ends[2];
    uint8_t gone = 0;
    (void)operands, (void)answer;
    rung_result result = task_read(input, &task);
    if (result != RUNG_OK)
        return result;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return rung__fail(RUNG_IO, "the helper program cannot make a pipe");
    const pid_t id = fork();
    if (id == 0)
        go_on(&task, ends[1]);
    (void)close(ends[1]);
    if (id < 0 || read(ends[0], &gone, sizeof gone) != sizeof gone || !gone)
        return rung__fail(RUNG_IO, "the helper program cannot make a process of its own");
    return RUNG_OK;
}
