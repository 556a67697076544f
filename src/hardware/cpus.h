/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__HARDWARE_CPUS_H
#define RUNG__HARDWARE_CPUS_H

#include <stdint.h>

struct rung__machine;

/** How many CPUs this process may use. */
struct rung__cpus {
    uint32_t logical;  /**< in the affinity mask and the cpuset, cut to the quota; at least 1 */
    uint32_t physical; /**< cores behind them, cut likewise; at least 1 */
};

/**
 * Reads the affinity of the calling thread and, below `root` ("" is this machine; a test hands it
 * another machine's tree), the topology, and the cpuset and quota of cgroup v1 or v2. A tree of
 * another machine that holds /proc/self/status tells the affinity itself. What cannot be read does
 * not limit.
 */
void rung__cpus_read(const char *root, struct rung__cpus *out);

/** The same; what cannot be read counts in the machine. */
void rung__cpus_count(struct rung__machine *machine, struct rung__cpus *out);

/** Threads of one run: the physical cores, minus two on machines with more than four (ladder.md).
 */
uint32_t rung__cpus_default_threads(const struct rung__cpus *cpus);

#endif
