/* SPDX-License-Identifier: Apache-2.0 */
#include "base/histogram.h"

#define PER_POWER (1u << RUNG__HISTOGRAM_BITS)

/** Of a number that is not 0. */
static uint32_t floor_log2(uint64_t number)
{
    uint32_t power = 0;
    for (uint32_t step = 32; step; step /= 2) {
        if (number >> step) {
            number >>= step;
            power += step;
        }
    }
    return power;
}

static uint32_t bucket_of(uint64_t ns)
{
    const uint64_t kept = ns < RUNG__HISTOGRAM_LIMIT ? ns : RUNG__HISTOGRAM_LIMIT;
    if (kept < PER_POWER)
        return (uint32_t)kept;
    const uint32_t shift = floor_log2(kept) - RUNG__HISTOGRAM_BITS;
    return shift * PER_POWER + (uint32_t)(kept >> shift);
}

uint64_t rung__histogram_bound(uint32_t bucket)
{
    if (bucket < 2 * PER_POWER)
        return bucket;
    const uint32_t shift = bucket / PER_POWER - 1;
    return ((uint64_t)(bucket % PER_POWER + PER_POWER + 1) << shift) - 1;
}

static uint64_t get(const _Atomic uint64_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

/* The only writer needs no exchange to add. */
static void set(_Atomic uint64_t *number, uint64_t value)
{
    atomic_store_explicit(number, value, memory_order_relaxed);
}

void rung__histogram_add(struct rung__histogram *histogram, uint64_t ns)
{
    _Atomic uint64_t *bucket = &histogram->buckets[bucket_of(ns)];
    set(bucket, get(bucket) + 1);
    set(&histogram->count, get(&histogram->count) + 1);
    set(&histogram->total, get(&histogram->total) + ns);
    set(&histogram->last, ns);
    if (ns > get(&histogram->max))
        set(&histogram->max, ns);
}

/** The rank of a percentile among `count`, from 1. */
static uint64_t rank_of(uint64_t count, uint32_t percent)
{
    return count / 100 * percent + (count % 100 * percent + 99) / 100;
}

/** The greatest number of the bucket in which the one of this rank is. */
static uint64_t number_at(const struct rung__histogram *histogram, uint64_t rank, uint64_t max)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < RUNG__HISTOGRAM_BUCKETS; i++) {
        seen += get(&histogram->buckets[i]);
        if (seen >= rank && seen)
            return rung__histogram_bound(i) < max ? rung__histogram_bound(i) : max;
    }
    return max;
}

void rung__histogram_read(const struct rung__histogram *histogram,
                          struct rung__histogram_summary *out)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < RUNG__HISTOGRAM_BUCKETS; i++)
        count += get(&histogram->buckets[i]);
    const uint64_t max = get(&histogram->max);
    *out = (struct rung__histogram_summary){
        .count = get(&histogram->count),
        .last = get(&histogram->last),
        .total = get(&histogram->total),
        .max = max,
        .p50 = number_at(histogram, rank_of(count, 50), max),
        .p95 = number_at(histogram, rank_of(count, 95), max),
        .p99 = number_at(histogram, rank_of(count, 99), max),
    };
}
