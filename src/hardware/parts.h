/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__HARDWARE_PARTS_H
#define RUNG__HARDWARE_PARTS_H

#include "hardware/hardware.h"
#include "hardware/machine.h"

/* The parts of the record, each filled by a file of its own. Results of all: OK, NO_MEMORY. */

void rung__hardware_read_cpu(struct rung__machine *machine, struct rung__hardware *out);
rung_result rung__hardware_read_pci(struct rung__machine *machine, struct rung__hardware *out);
rung_result rung__hardware_read_platform(struct rung__machine *machine, struct rung__hardware *out);
void rung__hardware_read_soc(struct rung__machine *machine, struct rung__hardware *out);
rung_result rung__hardware_read_opencl(struct rung__machine *machine, struct rung__hardware *out);

/** The next free device, zeroed, or NULL when there are too many, which is counted. */
struct rung__device *rung__hardware_add_device(struct rung__hardware *hardware);

/** The first name with this beginning in a folder of sysfs is the device's node, in /dev/`below`;
 * one that is known already stays. */
rung_result rung__hardware_find_node(struct rung__machine *machine, struct rung__device *device,
                                     const char *folder, const char *beginning, const char *below);

bool rung__vendor_is_virtual(uint32_t vendor);

/** Fills in the version of the device's driver, and looks for its node. */
void rung__hardware_complete(struct rung__machine *machine, const struct rung__hardware *hardware,
                             struct rung__device *device);

/* From the processor itself, for this machine where the kernel tells nothing. */
void rung__cpuid_read(struct rung__hardware *out);

#endif
