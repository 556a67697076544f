/* SPDX-License-Identifier: Apache-2.0 */
#include "ticks.h"

#include <time.h>

#include "look.h"
#include "signals.h"

#define SECOND_NS 1000000000u

/* The longest sleep: how late an interruption is seen, and a silent source. */
#define SLEEP_NS 50000000u

/** Wakes early for a signal, and to look at what changes without a tick. */
static void sleep_until(uint64_t deadline_ns)
{
    const uint64_t latest = now_ns() + SLEEP_NS;
    const uint64_t until = deadline_ns < latest ? deadline_ns : latest;
    const struct timespec time = {
        .tv_sec = (time_t)(until / SECOND_NS),
        .tv_nsec = (long)(until % SECOND_NS),
    };
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

/** One tick, if it is due. An exit status, after a message. */
static int tick(struct watch *watch, const struct watch_output *output, uint64_t *next_due_ns)
{
    bool is_published;
    rung_result result = rung_scene_step(watch->scene, next_due_ns);
    if (result == RUNG_OK)
        result = look(watch, output, &is_published);
    if (result != RUNG_OK)
        return fail_with(result);
    int status = is_published && output->publish ? output->publish(watch) : EXIT_DONE;
    if (status == EXIT_DONE && output->tick)
        status = output->tick(watch);
    look_remove_ended(watch);
    return status;
}

static bool is_enough(const struct watch *watch, const struct tick_limits *limits,
                      uint64_t aborted_before)
{
    const uint64_t passed_ns = watch->now_ns - watch->begin_ns;
    return signals_caught() || (limits->scenes && watch->counters.published >= limits->scenes) ||
           (limits->seconds && passed_ns >= (uint64_t)limits->seconds * SECOND_NS) ||
           look_is_over(watch, aborted_before);
}

int ticks_run(struct watch *watch, const struct watch_output *output,
              const struct tick_limits *limits)
{
    /* The others follow the first tick: half a period behind the first frames, so that a source of
     * the same rate has its frame ready at each, whichever of the two is a little late. */
    uint64_t due_ns = watch->begin_ns + SECOND_NS / watch->rate / 2;
    while (!signals_caught() && now_ns() < due_ns)
        sleep_until(due_ns);
    for (;;) {
        const uint64_t aborted_before = watch->counters.aborted;
        const int status = tick(watch, output, &due_ns);
        if (status != EXIT_DONE || is_enough(watch, limits, aborted_before))
            return status;
        sleep_until(due_ns);
    }
}
