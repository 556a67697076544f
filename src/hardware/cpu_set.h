/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__HARDWARE_CPU_SET_H
#define RUNG__HARDWARE_CPU_SET_H

#include <stdbool.h>
#include <stdint.h>

/** The most CPUs that Linux can be built for (CONFIG_NR_CPUS). */
#define RUNG__CPUS_MOST 8192

struct rung__cpu_set {
    uint64_t words[RUNG__CPUS_MOST / 64];
};

static inline bool rung__cpu_set_has(const struct rung__cpu_set *set, uint32_t cpu)
{
    return cpu < RUNG__CPUS_MOST && (set->words[cpu / 64] >> cpu % 64 & 1) != 0;
}

static inline void rung__cpu_set_add(struct rung__cpu_set *set, uint32_t cpu)
{
    if (cpu < RUNG__CPUS_MOST)
        set->words[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

uint32_t rung__cpu_set_count(const struct rung__cpu_set *set);

/** Keeps what is also in `other`; false, and nothing changed, when that would be nothing. */
bool rung__cpu_set_keep(struct rung__cpu_set *set, const struct rung__cpu_set *other);

/** Reads a list of the kernel's, "0-3,8"; false, and an empty set, when it is none. */
bool rung__cpu_set_parse(const char *text, struct rung__cpu_set *out);

#endif
