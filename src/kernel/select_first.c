/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/select_grid.h"

#include <string.h>

/*
 * The first keys in order. A sample of the candidates tells a limit that the wanted keys are very
 * likely below; only keys up to it are made and sorted. Should they be too few, all are.
 */

#define DIGIT_BITS  8u
#define DIGITS      6u /* the number, in the lowest 16 bits, already rises */
#define DIGIT_SHIFT 16u
#define BINS        (1u << DIGIT_BITS)

#define SAMPLE      1024u       /* candidates */
#define SAMPLE_STEP 0x9e3779b1u /* 2^32 by the golden ratio: even, and in step with nothing */

static uint32_t digit_of(uint64_t key, uint32_t digit)
{
    return (uint32_t)(key >> (DIGIT_SHIFT + digit * DIGIT_BITS)) & (BINS - 1);
}

static void count_digits(const uint64_t *keys, uint32_t count, uint32_t bins[DIGITS][BINS])
{
    memset(bins, 0, DIGITS * sizeof *bins);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t digit = 0; digit < DIGITS; digit++)
            bins[digit][digit_of(keys[i], digit)]++;
}

static void scatter(const uint64_t *keys, uint32_t count, uint32_t digit, uint32_t bins[BINS],
                    uint64_t *out)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < BINS; i++) {
        const uint32_t size = bins[i];
        bins[i] = start;
        start += size;
    }
    for (uint32_t i = 0; i < count; i++)
        out[bins[digit_of(keys[i], digit)]++] = keys[i];
}

/** Sorts keys whose numbers rise, digit by digit from the lowest; returns which of both has them.
 */
static uint64_t *sort(uint64_t *keys, uint32_t count, uint64_t *spare)
{
    uint32_t bins[DIGITS][BINS];
    count_digits(keys, count, bins);
    for (uint32_t digit = 0; count > 0 && digit < DIGITS; digit++) {
        if (bins[digit][digit_of(keys[0], digit)] == count)
            continue; /* all the same */
        uint64_t *const sorted = spare;
        scatter(keys, count, digit, bins[digit], sorted);
        spare = keys;
        keys = sorted;
    }
    return keys;
}

/** What is likely not below the first `wanted` keys. */
static uint64_t likely_limit(const struct rung__select_parts *parts,
                             const struct rung__candidate *candidates, uint32_t count,
                             const struct rung__selection *selection, uint32_t k, uint64_t *keys,
                             uint64_t *spare)
{
    const uint32_t wanted = selection->considered;
    if (count < 4 * SAMPLE || wanted > count / 2)
        return UINT64_MAX;
    struct rung__candidate *sample = (struct rung__candidate *)spare;
    for (uint32_t i = 0; i < SAMPLE; i++)
        sample[i] = candidates[(uint64_t)(uint32_t)(i * SAMPLE_STEP) * count >> 32];
    uint32_t admitted;
    parts->admit(sample, SAMPLE, selection, k, UINT64_MAX, keys, &admitted);
    /* So many of the sample are expected among the wanted; the rest is four to five deviations. */
    const uint32_t expected = (uint32_t)((uint64_t)SAMPLE * wanted / count);
    const uint32_t rank = expected + expected / 4 + 16;
    return rank < admitted ? sort(keys, admitted, spare)[rank] : UINT64_MAX;
}

struct rung__select_first rung__select_first(const struct rung__select_parts *parts,
                                             const struct rung__candidate *candidates,
                                             uint32_t count,
                                             const struct rung__selection *selection, uint32_t k,
                                             uint64_t *keys, uint64_t *spare)
{
    const uint32_t wanted = selection->considered;
    const uint64_t limit = likely_limit(parts, candidates, count, selection, k, keys, spare);
    uint32_t admitted;
    uint32_t kept = parts->admit(candidates, count, selection, k, limit, keys, &admitted);
    if (kept < admitted && kept < wanted)
        kept = parts->admit(candidates, count, selection, k, UINT64_MAX, keys, &admitted);
    return (struct rung__select_first){sort(keys, kept, spare),
                                       admitted < wanted ? admitted : wanted, admitted};
}
