/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_PLAN_H
#define RUNG__STAGE_PLAN_H

#include "base/json.h"
#include "stage/contract.h"

/** What takes the first implementation with a validation record, else base. */
#define RUNG__PLAN_AUTO "auto"

/** Which implementation each stage is to have: ids, and nothing else. Immutable once it is read. */
struct rung__plan {
    char ids[RUNG__STAGES][RUNG__STAGE_ID_BYTES];
    bool allow_fallback; /**< allow_compatibility_fallback */
};

/** Every stage "auto", fallbacks allowed. */
struct rung__plan rung__plan_default(void);

/** The member that a stage has in a plan's JSON, such as "preprocessor". */
const char *rung__plan_key(enum rung__stage stage);

/**
 * Sets one id. `where` names its source in the sentence. Results: OK, INVALID_ARGUMENT (it can be
 * no id; whether there is such an implementation is the registry's matter).
 */
rung_result rung__plan_set(struct rung__plan *plan, enum rung__stage stage, const char *id,
                           const char *where);

/** Reads JSON; members that are missing keep their defaults. Results: OK, INVALID_ARGUMENT,
 * NO_MEMORY. */
rung_result rung__plan_parse(struct rung__bytes text, const char *what, struct rung__plan *out);

/** The JSON that reads as this plan; NULL without memory. */
json_t *rung__plan_json(const struct rung__plan *plan);

#endif
