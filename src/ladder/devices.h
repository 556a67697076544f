/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_DEVICES_H
#define RUNG__LADDER_DEVICES_H

#include "hardware/hardware.h"

/* What a rung is for, as questions to the record of a machine. A device that this process was not
 * given does not count. */

bool rung__has_nvidia_gpu(const struct rung__hardware *hardware);
bool rung__has_rocm_gpu(const struct rung__hardware *hardware); /**< AMD's, and the way to it */
bool rung__has_intel_gpu(const struct rung__hardware *hardware);
bool rung__has_intel_npu(const struct rung__hardware *hardware);
bool rung__has_hexagon(const struct rung__hardware *hardware); /**< of V68 to V81 */
bool rung__has_gpu(const struct rung__hardware *hardware);     /**< anybody's, but no host's */
bool rung__has_x86_cpu(const struct rung__hardware *hardware);

#endif
