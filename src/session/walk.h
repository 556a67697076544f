/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_WALK_H
#define RUNG__SESSION_WALK_H

#include "session/model.h"
#include "session/recall.h"

#define RUNG__WALK_REASON 256

/** A walk down the rungs until one serves. */
struct rung__walk {
    const struct rung__recall *recall;
    const struct rung__rung *wanted; /**< by the user, before all others; NULL: none */
    const struct rung__rung *ends;   /**< where it ends: it serves already; NULL: none */
    struct rung__serving *serving;
    const struct rung__rung *awaits; /**< the first whose engine is not built yet; NULL: none */
    rung_result first;               /**< what the first refusal was */
    char *refusals;                  /**< NULL: none */
    bool failed; /**< one of them is a failure: no rung that the model keeps off, nor one without
                      its engine yet */
};

/** Whether the rung is one for this model at all; false, and why. A form that stands in for the
 * model in f32 serves only where it passed its gate. */
bool rung__walk_may_serve(const struct rung_model *model, const struct rung__rung *rung,
                          char reason[RUNG__WALK_REASON]);

/** True when a probe's outcome is one of another library than this process has loaded. */
bool rung__walk_is_elsewhere(struct rung_instance *instance, const struct rung__rung *rung,
                             const struct rung__outcome *outcome);

/** True for what the runtime below cannot do, or not yet (NOT_FOUND: its engine is not built); what
 * is wrong with the file is so on every rung. */
bool rung__walk_may_go_on(rung_result result);

/** Tries a rung. False when the walk is over, with `*result`. */
bool rung__walk_try(const struct rung_model *model, struct rung__walk *walk,
                    const struct rung__rung *rung, rung_result *result);

/** Tries the rungs below one that were proven to be right too, and faster than the floor; false
 * when one of them ends the walk. */
bool rung__walk_try_below(const struct rung_model *model, struct rung__walk *walk,
                          const struct rung__rung *above, rung_result *result);

/**
 * First the rung that the user wants, then the one that a probe chose with those below it, then the
 * floors: nothing else serves unproven.
 */
rung_result rung__walk_down(const struct rung_model *model, struct rung__walk *walk);

/** Writes down in the serving why it was taken, and logs what was passed over. */
void rung__walk_explain(const struct rung_model *model, const struct rung__walk *walk);

#endif
