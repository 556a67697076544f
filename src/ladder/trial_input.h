/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_TRIAL_INPUT_H
#define RUNG__LADDER_TRIAL_INPUT_H

#include "provider/provider.h"

/** Fills the input that a model of this file is tried with: the same on every rung and machine.
 * Results: OK, NO_MEMORY. */
rung_result rung__trial_fill_input(const struct rung__artifact_view *view,
                                   struct rung__model_memory *memory);

#endif
