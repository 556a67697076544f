/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_OVERRIDE_H
#define RUNG__SESSION_OVERRIDE_H

#include "ladder/rungs.h"
#include "ladder/store.h"
#include "session/instance.h"

/** What a user or an administrator wants in place of what a probe chose. All zero: nothing. */
struct rung__override {
    const struct rung__rung *rung; /**< NULL: there is none, or it is no rung */
    char id[RUNG__RUNG_ID_BYTES];  /**< as it is written; "" for none */
    const char *from;              /**< "RUNG_RUNG", or "rung use" */
    bool strict;                   /**< it serves or the call fails; else it hands down */
};

/** Who wants it, in words: "named by RUNG_RUNG", "wanted by the user (rung use)". */
const char *rung__override_reason(const struct rung__override *override);

/** RUNG_RUNG, else what rung_instance_use kept. One that cannot be read, or is no rung, is said
 * once and passed over. Results: OK, NO_MEMORY. */
rung_result rung__instance_override(struct rung_instance *instance, struct rung__override *out);

#endif
