/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the rungs that answered rightly is taken. */
#include "ladder/probe.h"

/* A path is left for another only where it is worth it; less than 3 % is noise. */
#define WORTH 0.97

static double ms(const struct rung__trial *trial)
{
    return (double)trial->outcome.median_ns / 1e6;
}

bool rung__trial_is_right(const struct rung__trial *trial)
{
    return trial->answered && trial->outcome.kind != RUNG__OUTCOME_WRONG;
}

bool rung__outcome_beats(const struct rung__outcome *outcome, const struct rung__outcome *other)
{
    return (double)outcome->median_ns < (double)other->median_ns * WORTH;
}

bool rung__probe_beats(const struct rung__trial *trial, const struct rung__trial *floor)
{
    return rung__trial_is_right(trial) && rung__outcome_beats(&trial->outcome, &floor->outcome);
}

/**
 * The fastest that beats the floor, and of those as fast the one that stands above. What stands
 * below the floor is there for machines without it: on a busy one it may look faster, since it
 * takes fewer threads.
 */
static struct rung__trial *find_winner(struct rung__trial *trials, struct rung__trial *floor)
{
    struct rung__trial *fastest = NULL;
    for (struct rung__trial *trial = trials; trial < floor; trial++)
        if (rung__probe_beats(trial, floor) && (!fastest || ms(trial) < ms(fastest)))
            fastest = trial;
    for (struct rung__trial *trial = trials; trial < floor && fastest; trial++)
        if (rung__probe_beats(trial, floor) && ms(trial) * WORTH <= ms(fastest))
            return trial;
    return floor;
}

void rung__probe_decide(struct rung__trial *trials, uint32_t count, struct rung__trial *floor)
{
    struct rung__trial *winner = find_winner(trials, floor);
    for (uint32_t i = 0; i < count; i++) {
        if (!rung__trial_is_right(&trials[i]))
            continue;
        if (&trials[i] > floor)
            rung__outcome_set(&trials[i].outcome, RUNG__OUTCOME_SLOWER,
                              "%.1f ms; it is for where %s does not work", ms(&trials[i]),
                              floor->rung->id);
        else if (&trials[i] != winner)
            rung__outcome_set(&trials[i].outcome, RUNG__OUTCOME_SLOWER,
                              "%.1f ms against the %.1f ms of %s", ms(&trials[i]), ms(winner),
                              winner->rung->id);
        else if (winner == floor)
            rung__outcome_set(
                &winner->outcome, RUNG__OUTCOME_CHOSEN,
                "%.1f ms; it is the floor, and nothing here beats it by more than 3 %%",
                ms(winner));
        else
            rung__outcome_set(&winner->outcome, RUNG__OUTCOME_CHOSEN,
                              "%.1f ms against the floor's %.1f ms", ms(winner), ms(floor));
    }
}
