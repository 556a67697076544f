/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_HISTOGRAM_H
#define RUNG__BASE_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * Lengths of time, counted by size in memory that never grows. Each power of two from 32 on is
 * divided into 32 buckets, so that a bucket is at most 1/32 (3.1 %) wide; below 32 each number has
 * its own. One thread at a time adds; any thread reads meanwhile.
 */

#define RUNG__HISTOGRAM_BITS 5u /**< a power of two has 2^5 buckets */
/** What is longer counts as this long: 2^40 ns are 18 minutes. */
#define RUNG__HISTOGRAM_LIMIT   ((UINT64_C(1) << 40) - 1)
#define RUNG__HISTOGRAM_BUCKETS ((40u - RUNG__HISTOGRAM_BITS + 1) << RUNG__HISTOGRAM_BITS)

/** All zero is an empty one. */
struct rung__histogram {
    _Atomic uint64_t count, last, total, max;
    _Atomic uint64_t buckets[RUNG__HISTOGRAM_BUCKETS];
};

/** What was added. `last`, `total` and `max` are exact; a percentile is the greatest number of the
 * bucket that it is in, or `max` where that is less. */
struct rung__histogram_summary {
    uint64_t count, last, total, max;
    uint64_t p50, p95, p99;
};

/** Adds one. No other thread may be adding to the same one. */
void rung__histogram_add(struct rung__histogram *histogram, uint64_t ns);

/** Percentiles are taken of what is in the buckets while they are read. */
void rung__histogram_read(const struct rung__histogram *histogram,
                          struct rung__histogram_summary *out);

/** The greatest number of a bucket. */
uint64_t rung__histogram_bound(uint32_t bucket);

#endif
