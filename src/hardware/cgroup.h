/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__HARDWARE_CGROUP_H
#define RUNG__HARDWARE_CGROUP_H

#include "hardware/cpu_set.h"
#include "hardware/machine.h"

/**
 * Takes from `allowed` what the cpuset of this process's control group, version 1 or 2, leaves out,
 * and gives its quota in whole CPUs, rounded up; 0 is none. What cannot be read does not limit.
 */
uint32_t rung__cgroup_limit(struct rung__machine *machine, struct rung__cpu_set *allowed);

#endif
