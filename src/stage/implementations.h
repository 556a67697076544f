/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_IMPLEMENTATIONS_H
#define RUNG__STAGE_IMPLEMENTATIONS_H

#include "stage/contract.h"

/* All implementations, each defined in stage/<stage>/<name>.c. */

extern const struct rung__implementation rung__pre_base, rung__pre_simd, rung__pre_threaded;
extern const struct rung__implementation rung__buffer_base, rung__buffer_import, rung__buffer_ring;
extern const struct rung__implementation rung__schedule_base, rung__schedule_overlap;
extern const struct rung__implementation rung__post_base, rung__post_grid;
extern const struct rung__implementation rung__engine_base;

#endif
