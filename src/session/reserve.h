/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_RESERVE_H
#define RUNG__SESSION_RESERVE_H

#include "session/context.h"

/**
 * Allocates what preprocessing needs of any frame, and of any crop of one, up to this size; both 0:
 * up to the canvas' size. Results: OK, INVALID_ARGUMENT, NO_MEMORY.
 */
rung_result rung__reserve(struct rung_context *context, uint32_t width, uint32_t height);

#endif
