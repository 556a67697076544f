/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_GUARD_H
#define RUNG__SESSION_GUARD_H

#include "ladder/rungs.h"
#include "session/instance.h"

/**
 * rung__provider_load on a rung, in this process. What is no floor runs once before it counts as
 * loaded, and all of that is a try (ladder/attempts.h): a rung that killed its process twice in a
 * row with the model is refused. `model` is the content digest. Without a state folder things go on
 * without the guard, which is said once. Results: those of rung__provider_load, and UNSUPPORTED
 * (refused).
 */
rung_result rung__guarded_load(struct rung_instance *instance, const struct rung__rung *rung,
                               const char *model, const struct rung__model_request *request,
                               void **loaded, struct rung__model_report *report);

#endif
