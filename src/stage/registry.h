/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_REGISTRY_H
#define RUNG__STAGE_REGISTRY_H

#include "stage/catalog.h"
#include "stage/plan.h"
#include "stage/record.h"

/** What one stage has, and why. */
struct rung__resolution {
    char requested[RUNG__STAGE_ID_BYTES];
    const struct rung__implementation *effective;
    struct rung__why reason; /**< why it is not what was requested, or why auto took it */
    bool fell_back;
};

/**
 * Resolves a plan: for each stage base, what was asked for by id, or for "auto" the first
 * implementation that can serve here and has a validation record for this environment. What an id
 * that was asked for needs of a stage that is "auto" is taken there. Constructs nothing. Results:
 * OK, INVALID_ARGUMENT (an id that is unknown, with the known ones; fallbacks that go in a circle),
 * UNSUPPORTED (it cannot serve here, and the plan allows no fallback or there is none).
 */
rung_result rung__registry_resolve(const struct rung__catalog *catalog,
                                   const struct rung__plan *plan,
                                   const struct rung__stage_context *context,
                                   const struct rung__records *records,
                                   struct rung__resolution out[RUNG__STAGES]);

/**
 * The first implementation along the fallbacks of `from` that can serve: a request, or for NULL the
 * context. Results: OK, INVALID_ARGUMENT (a circle, an unknown id), UNSUPPORTED.
 */
rung_result rung__registry_fall_back(const struct rung__catalog *catalog,
                                     const struct rung__implementation *from,
                                     const struct rung__stage_context *context, const void *request,
                                     const struct rung__implementation **out);

#endif
