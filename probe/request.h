/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_PROBE_REQUEST_H
#define RUNG_PROBE_REQUEST_H

#include "ladder/trial.h"

/**
 * Reads a model file, which the one who asks has admitted, and loads the runtime, as the operands
 * RUNG LIBRARY PLUGIN THREADS say. `view` is what the file says. Results: OK, INTEGRITY,
 * UNSUPPORTED, those of opening the runtime, NO_MEMORY.
 */
rung_result request_read(struct rung__bytes file, char **operands, struct rung__artifact_view *view,
                         struct rung__trial_request *out);

#endif
