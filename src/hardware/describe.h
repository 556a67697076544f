/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__HARDWARE_DESCRIBE_H
#define RUNG__HARDWARE_DESCRIBE_H

#include "base/json.h"
#include "hardware/hardware.h"

/** The record as JSON, "device" of `rung explain`; what lacked memory shows in `*failed`. */
json_t *rung__hardware_json(const struct rung__hardware *hardware, bool *failed);

#endif
