/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/text.h"

#define MS UINT64_C(1000000) /* in ns */

/* What a child left behind may hold its streams open; so long they are still read after its end. */
#define GRACE_NS (200 * MS)
/* A killed process whose driver hangs may stay for ever; so long its end is waited for. */
#define KILL_NS (5000 * MS)
/* How often is looked whether the child has ended, or is to end, where nothing tells. */
#define LOOK_MS 20

struct conversation {
    const struct rung__process_options *options;
    struct rung__process_outcome *outcome;
    struct rung__child child;
    enum rung__child_state state;
    size_t written;
};

static void write_input(struct conversation *talk)
{
    struct rung__bytes input = talk->options->input;
    while (talk->written < input.size) {
        ssize_t part =
            write((int)talk->child.input, input.data + talk->written, input.size - talk->written);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0 && errno == EAGAIN)
            return;
        if (part < 0)
            break; /* it does not want to read, which is its own affair */
        talk->written += (size_t)part;
    }
    (void)rung__descriptor_close(&talk->child.input);
}

static rung_result read_stream(intptr_t *descriptor, size_t limit, struct rung__buffer *to,
                               bool *cut)
{
    uint8_t part[16384];
    ssize_t got = read((int)*descriptor, part, sizeof part);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return RUNG_OK;
    if (got <= 0) {
        (void)rung__descriptor_close(descriptor);
        return RUNG_OK;
    }
    size_t room = limit - to->size;
    if ((size_t)got > room)
        *cut = true;
    return rung__buffer_append(to, part, (size_t)got < room ? (size_t)got : room);
}

static int milliseconds_until(uint64_t time)
{
    uint64_t now = rung__clock_now();
    if (time == RUNG__CLOCK_NEVER)
        return -1;
    if (now >= time)
        return 0;
    uint64_t rounded_up = (time - now - 1) / MS + 1;
    return rounded_up < INT_MAX ? (int)rounded_up : INT_MAX;
}

static struct pollfd wait_on(intptr_t descriptor, short events)
{
    return (struct pollfd){.fd = descriptor ? (int)descriptor : -1, .events = events};
}

/* Waits until something can be read, written or told about the end, at most until `limit`. */
static rung_result exchange(struct conversation *talk, uint64_t limit)
{
    struct rung__child *child = &talk->child;
    struct rung__process_outcome *outcome = talk->outcome;
    const size_t most = talk->options->output_limit;
    const bool runs = talk->state == RUNG__CHILD_RUNS;
    struct pollfd streams[] = {wait_on(child->input, POLLOUT), wait_on(child->output, POLLIN),
                               wait_on(child->errors, POLLIN),
                               wait_on(runs ? child->watch : 0, POLLIN)};
    int timeout = milliseconds_until(limit);
    if (runs && (!child->watch || talk->options->cancel) && (timeout < 0 || timeout > LOOK_MS))
        timeout = LOOK_MS;
    if (poll(streams, sizeof streams / sizeof *streams, timeout) <= 0)
        return RUNG_OK;

    rung_result result = RUNG_OK;
    if (streams[0].revents)
        write_input(talk);
    if (streams[1].revents)
        result = read_stream(&child->output, most, &outcome->output, &outcome->output_cut);
    if (!result && streams[2].revents)
        result = read_stream(&child->errors, most, &outcome->errors, &outcome->errors_cut);
    return result;
}

static bool is_cancelled(const struct conversation *talk)
{
    return talk->options->cancel && atomic_load(talk->options->cancel);
}

/* Serves the streams until the child has ended and they with it, or a time limit passes. */
static rung_result converse(struct conversation *talk)
{
    struct rung__child *child = &talk->child;
    uint64_t limit = talk->options->deadline;
    rung_result result = RUNG_OK;
    if (!talk->options->input.size)
        (void)rung__descriptor_close(&child->input);
    while (!result) {
        if (talk->state == RUNG__CHILD_RUNS) {
            talk->state = rung__child_state(child);
            if (talk->state != RUNG__CHILD_RUNS) {
                limit = rung__clock_now() + GRACE_NS;
                (void)rung__descriptor_close(&child->input);
            }
        }
        if (talk->state != RUNG__CHILD_RUNS && !child->output && !child->errors)
            break;
        if (rung__clock_now() >= limit || is_cancelled(talk))
            break;
        result = exchange(talk, limit);
    }
    return result;
}

/* Kills what is left and notes how the child ended. */
static rung_result conclude(struct conversation *talk)
{
    struct rung__process_outcome *outcome = talk->outcome;
    const char *program = talk->options->arguments[0];
    if (talk->state == RUNG__CHILD_RUNS) /* it may have ended with the last of its time */
        talk->state = rung__child_state(&talk->child);
    const bool killed = talk->state == RUNG__CHILD_RUNS;
    if (talk->state == RUNG__CHILD_LOST)
        return rung__fail(RUNG_IO,
                          "nobody knows how %s ended: this process ignores SIGCHLD or waits for "
                          "children that are not its own",
                          program);

    rung__child_kill(&talk->child);
    const uint64_t limit = rung__clock_now() + KILL_NS;
    struct pollfd watch = wait_on(talk->child.watch, POLLIN);
    while (rung__child_state(&talk->child) == RUNG__CHILD_RUNS && rung__clock_now() < limit)
        (void)poll(&watch, 1, talk->child.watch ? milliseconds_until(limit) : LOOK_MS);
    int status = rung__child_collect(&talk->child);

    if (killed) {
        outcome->end = is_cancelled(talk) ? RUNG__PROCESS_CANCELLED : RUNG__PROCESS_TIMEOUT;
        outcome->code = 0;
    } else if (WIFSIGNALED(status)) {
        outcome->end = RUNG__PROCESS_SIGNALLED;
        outcome->code = WTERMSIG(status);
    } else {
        outcome->end = RUNG__PROCESS_EXITED;
        outcome->code = WEXITSTATUS(status);
    }
    return RUNG_OK;
}

/* A child that does not read its input must not end us: SIGPIPE is held back meanwhile, and the one
 * that came is taken away unless it was there before. */
struct held_signal {
    sigset_t mask;
    bool was_pending;
};

static bool sigpipe_is_pending(void)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGPIPE) == 1;
}

static void hold_sigpipe(struct held_signal *held)
{
    sigset_t sigpipe;
    sigemptyset(&sigpipe);
    sigaddset(&sigpipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &sigpipe, &held->mask);
    held->was_pending = sigpipe_is_pending();
}

static void release_sigpipe(const struct held_signal *held)
{
    if (!held->was_pending && sigpipe_is_pending()) {
        sigset_t sigpipe;
        int taken;
        sigemptyset(&sigpipe);
        sigaddset(&sigpipe, SIGPIPE);
        (void)sigwait(&sigpipe, &taken);
    }
    pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
}

rung_result rung__process_run(const struct rung__process_options *options,
                              struct rung__process_outcome *outcome)
{
    struct conversation talk = {.options = options, .outcome = outcome};
    struct held_signal held;
    *outcome = (struct rung__process_outcome){0};
    rung_result result = rung__child_start(options, &talk.child);
    if (result)
        return result;

    hold_sigpipe(&held);
    result = converse(&talk);
    rung_result concluded = conclude(&talk);
    release_sigpipe(&held);
    rung__child_close(&talk.child);
    if (!result)
        result = concluded;
    if (result)
        rung__process_finish(outcome);
    return result;
}

void rung__process_finish(struct rung__process_outcome *outcome)
{
    rung__buffer_finish(&outcome->output);
    rung__buffer_finish(&outcome->errors);
}

void rung__process_describe(const struct rung__process_outcome *outcome, char *to, size_t size)
{
    switch (outcome->end) {
    case RUNG__PROCESS_EXITED:
        (void)rung__text_format(to, size, "ended with status %d", outcome->code);
        break;
    case RUNG__PROCESS_SIGNALLED:
        (void)rung__text_format(to, size, "killed by signal %d (%s)", outcome->code,
                                strsignal(outcome->code));
        break;
    case RUNG__PROCESS_TIMEOUT:
        (void)rung__text_format(to, size, "did not end in time and was killed");
        break;
    case RUNG__PROCESS_CANCELLED:
        (void)rung__text_format(to, size, "was cancelled");
        break;
    }
}
