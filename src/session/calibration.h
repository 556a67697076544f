/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_CALIBRATION_H
#define RUNG__SESSION_CALIBRATION_H

#include <rung/context.h>

#include "artifact/format.h"

/**
 * The thresholds of a context: the artifact's, but for those that the options override. Results:
 * OK, INVALID_ARGUMENT.
 */
rung_result rung__calibrate(const struct rung__header *header, const rung_context_options *options,
                            struct rung__selection *out, bool *overridden);

#endif
