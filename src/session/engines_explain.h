/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_ENGINES_EXPLAIN_H
#define RUNG__SESSION_ENGINES_EXPLAIN_H

#include "base/json.h"
#include "session/instance.h"

/** Adds "engines" to an explanation; what lacked memory may also show in `*failed`. Where the
 * folder is of no use there are none, and the log says so once. Results: OK, NO_MEMORY. */
rung_result rung__explain_engines(struct rung_instance *instance, json_t *to, bool *failed);

#endif
