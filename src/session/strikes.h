/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_STRIKES_H
#define RUNG__SESSION_STRIKES_H

#include "base/json.h"
#include "session/instance.h"

/** "strikes" of an explanation, what the dead left counted before. A folder that cannot be read is
 * said once. Results: OK, NO_MEMORY. */
rung_result rung__explain_strikes(struct rung_instance *instance, json_t *to, bool *failed);

#endif
