/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_DEVICE_H
#define RUNG__SESSION_DEVICE_H

#include "base/json.h"
#include "session/instance.h"

/** Adds "device" and "fingerprint" to an explanation; what lacked memory may also show in
 * `*failed`. Results: OK, NO_MEMORY, UNSUPPORTED (libcrypto refuses). */
rung_result rung__explain_device(const struct rung_instance *instance, json_t *to, bool *failed);

#endif
