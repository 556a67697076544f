/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_SURVEY_H
#define RUNG__SESSION_SURVEY_H

#include "session/override.h"
#include "session/recall.h"
#include "session/standing.h"

/** How all rungs stand on an instance, and which of them serves a model without wishes of its own.
 * All zero holds nothing. */
struct rung__survey {
    const struct rung__table *table;
    struct rung__recall recall;
    struct rung__hardware *hardware;
    struct rung__standing *standings; /**< in the order of the rungs */
    const struct rung__rung *chosen;  /**< NULL: none can */
    bool proven;                      /**< a probe chose it */
    bool wanted;                      /**< the override is it */
    struct rung__override override;
    char reason[RUNG__STANDING_REASON];
};

/** Loads one of each runtime if none is. That none loads is part of the answer. Results: OK,
 * NO_MEMORY. End with rung__survey_finish, also after a failure. */
rung_result rung__survey_make(struct rung_instance *instance, struct rung__survey *out);
void rung__survey_finish(struct rung__survey *survey);

/** What a probe found a rung to be that can run here still; NULL: nothing. */
const struct rung__outcome *rung__survey_probed(const struct rung__survey *survey, uint32_t index);

/** The median of the floor in the same probe, ns; 0: unknown. */
uint64_t rung__survey_floor_ns(const struct rung__survey *survey);

#endif
