/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct sweep sweep_start(const char *name)
{
    const char *given = getenv("CHECK_SEED");
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    const uint64_t seed =
        given ? strtoull(given, NULL, 0) : (uint64_t)now.tv_sec * 1000003u + (uint64_t)now.tv_nsec;
    printf("%s: CHECK_SEED=%" PRIu64 "\n", name, seed);
    fflush(stdout);
    return (struct sweep){seed};
}

/* SplitMix64: every seed is good, also 0. */
uint32_t sweep_bits(struct sweep *sweep)
{
    uint64_t z = sweep->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 32);
}

uint32_t sweep_range(struct sweep *sweep, uint32_t low, uint32_t high)
{
    return low + sweep_bits(sweep) % (high - low + 1);
}
