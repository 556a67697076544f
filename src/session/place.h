/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_PLACE_H
#define RUNG__SESSION_PLACE_H

#include "session/context.h"

/*
 * Where a context runs: the rung that serves it, the stages that were resolved there, and the
 * memory of frames. All of it is made anew when the device is lost.
 */

/** Results: those of rung_context_create. End with rung__place_finish, also after a failure. */
rung_result rung__place_init(struct rung_context *context,
                             const struct rung__context_stages *given);
/** The context has no place then. It may have none already. */
void rung__place_finish(struct rung_context *context);

#endif
