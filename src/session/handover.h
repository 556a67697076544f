/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_HANDOVER_H
#define RUNG__SESSION_HANDOVER_H

#include "runtime/helper.h"
#include "session/instance.h"

/*
 * Work on a model that a helper does as this instance would do it. The helper takes an object on
 * standard input, with the members below; what is missing is as in an instance without it.
 */
#define RUNG__HANDOVER_SCHEMA    1
#define RUNG__HANDOVER_MODEL     "model"  /**< its path */
#define RUNG__HANDOVER_POLICY    "policy" /**< its name; missing: by the load of the machine */
#define RUNG__HANDOVER_UNSIGNED  "allow_unsigned"
#define RUNG__HANDOVER_HELPER    "helper"
#define RUNG__HANDOVER_LIBRARY   "library" /**< the one that asks: what is installed beside it */
#define RUNG__HANDOVER_RUNTIMES  "runtime_path"
#define RUNG__HANDOVER_TRUST     "trust_path"
#define RUNG__HANDOVER_VARIABLES "environment" /**< an object: what the instance read of it */

struct rung__handover {
    const char *subcommand; /**< of the helper */
    const char *model;      /**< its path */
    uint64_t time_limit_ns;
    bool low_priority;
    const atomic_bool *cancel; /**< once it is true the helper is killed; NULL: never */
};

/** Runs the helper and waits for its answer. Results: those of rung__helper_ask. End with
 * rung__helper_answer_finish, also after a failure. */
rung_result rung__hand_over(const struct rung_instance *instance, const struct rung__handover *what,
                            struct rung__helper_answer *out);

#endif
