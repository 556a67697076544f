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
#include "base/json.h"
#include "base/text.h"
#include "ladder/cancel.h"
#include "ladder/policy.h"
#include "ladder/retry.h"
#include "probe.h"
#include "session/instance.h"
#include "session/probe.h"

#define LOWEST_NICE   19
#define IO_CLASS_IDLE (3 << 13) /* IOPRIO_CLASS_IDLE of linux/ioprio.h */

/** What is to be done; the texts are of `json`. */
struct task {
    json_t *json;
    const char *model, *library;
    uint32_t policy;
    const json_t *variables;
    rung_instance_options options;
};

static rung_result read_task(struct rung__bytes input, struct task *to)
{
    struct rung__json_reader reader;
    rung_result result = rung__json_parse(input, "the task", &to->json);
    if (result != RUNG_OK)
        return result;
    rung__json_reader_init(&reader, to->json, "the task");
    (void)rung__json_u64(&reader, "schema", RUNG__BACKGROUND_SCHEMA, RUNG__BACKGROUND_SCHEMA, true,
                         RUNG__BACKGROUND_SCHEMA);
    to->model = rung__json_text(&reader, RUNG__BACKGROUND_MODEL, true);
    to->library = rung__json_text(&reader, RUNG__BACKGROUND_LIBRARY, false);
    to->variables = rung__json_member(&reader, RUNG__BACKGROUND_VARIABLES);
    const char *policy = rung__json_text(&reader, RUNG__BACKGROUND_POLICY, false);
    to->options = (rung_instance_options){
        .struct_size = sizeof to->options,
        .version = RUNG_STRUCT_VERSION,
        .runtime_path = rung__json_text(&reader, RUNG__BACKGROUND_RUNTIMES, false),
        .trust_path = rung__json_text(&reader, RUNG__BACKGROUND_TRUST, false),
        .helper_path = rung__json_text(&reader, RUNG__BACKGROUND_HELPER, true),
        .probe = RUNG_PROBE_OFF,
    };
    if (rung__json_bool(&reader, RUNG__BACKGROUND_UNSIGNED, true, false))
        to->options.flags |= RUNG_INSTANCE_ALLOW_UNSIGNED;
    if (policy && !rung__name_value(&rung__policy_names, policy, &to->policy))
        rung__json_refuse(&reader, "there is no policy \"%s\"", policy);
    return rung__json_reader_end(&reader);
}

/** The variables as the instance read them, whatever became of them since. */
static rung_result take_variable(const json_t *variables, const char *name)
{
    const char *value = json_string_value(json_object_get(variables, name));
    if (value)
        return rung__environment_set(name, value);
    (void)unsetenv(name);
    return RUNG_OK;
}

static rung_result take_variables(const json_t *variables)
{
    rung_result result = RUNG_OK;
#define TAKE(field, name, text)                                                                    \
    if (result == RUNG_OK)                                                                         \
        result = take_variable(variables, name);
    RUNG__ENVIRONMENT(TAKE)
#undef TAKE
    return result;
}

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

/** The probe, then the engine of the rung that was chosen, if that compiles. */
static rung_result work(const struct task *task)
{
    rung_instance *instance;
    rung_result result = take_variables(task->variables);
    if (result == RUNG_OK)
        result = rung_instance_create(&task->options, &instance);
    if (result != RUNG_OK || !instance->state)
        return result;
    instance->library = task->library ? rung__text_new("%s", task->library) : NULL;
    catch_signals(instance->state);
    const rung_probe_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .policy = task->policy ? (rung_probe_policy)task->policy
                               : rung__policy_by_load(rung__instance_hardware_root(instance)),
    };
    result = rung__probe_unasked(instance, task->model, &options);
    return result == RUNG_OK ? rung_engines_build(instance, &task->model, 1, NULL, NULL, NULL)
                             : result;
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
    rung_result result = read_task(input, &task);
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
