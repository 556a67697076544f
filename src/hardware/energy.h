/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__HARDWARE_ENERGY_H
#define RUNG__HARDWARE_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

/* What the processor packages have taken, by the counters of Linux' powercap (RAPL). */

#define RUNG__PACKAGES 16u

/** A package's counter, which begins anew at 0 behind `range_uj`. */
struct rung__package_energy {
    uint32_t zone; /**< its number among the zones */
    uint64_t uj, range_uj;
};

/** The counters of all packages at one moment, or of none. */
struct rung__energy {
    uint32_t count;  /**< 0: they cannot be read */
    const char *why; /**< the reason of that, a constant; NULL when they were read */
    struct rung__package_energy packages[RUNG__PACKAGES];
};

/** Reads them below `root` ("" is this machine), some ten small files. */
void rung__energy_read(const char *root, struct rung__energy *out);

/**
 * What all packages together took between two readings that are `ns` apart, in microjoules: of
 * everything that ran on them, not of this process alone. False with the reason, a constant, where
 * either cannot be read, the packages are others, or a counter may have gone round more than once.
 */
bool rung__energy_between(const struct rung__energy *begin, const struct rung__energy *end,
                          uint64_t ns, uint64_t *uj, const char **why);

#endif
