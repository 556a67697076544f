/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/select_grid.h"

/*
 * The first keys in order. A sample of the candidates tells a limit that the wanted keys are very
 * likely below; only keys up to it are made and sorted. Should they be too few, all are.
 */

#define DIGIT_BITS 8u
#define BINS       (1u << DIGIT_BITS)
/* Digits of a key. The number, in the lowest 16 bits, already rises. */
#define DIGIT_X          2u
#define DIGIT_CONFIDENCE 6u
#define DIGIT_END        8u

#define FEW 24u /* keys, which are sorted sooner than bins are cleared */

#define SAMPLE      1024u       /* candidates */
#define SAMPLE_STEP 0x9e3779b1u /* 2^32 by the golden ratio: even, and in step with nothing */

static uint32_t digit_of(uint64_t key, uint32_t digit)
{
    return (uint32_t)(key >> digit * DIGIT_BITS) & (BINS - 1);
}

/** Sorts by some digits, from the lowest on; returns which of both memories has the keys then. */
static uint64_t *by_digits(uint64_t *keys, uint32_t count, uint64_t *spare, uint32_t digit,
                           uint32_t end)
{
    for (; digit < end; digit++) {
        uint32_t bins[BINS] = {0}, start = 0;
        for (uint32_t i = 0; i < count; i++)
            bins[digit_of(keys[i], digit)]++;
        if (count == 0 || bins[digit_of(keys[0], digit)] == count)
            continue; /* all the same */
        for (uint32_t i = 0; i < BINS; i++) {
            const uint32_t size = bins[i];
            bins[i] = start;
            start += size;
        }
        for (uint32_t i = 0; i < count; i++)
            spare[bins[digit_of(keys[i], digit)]++] = keys[i];
        uint64_t *const sorted = spare;
        spare = keys;
        keys = sorted;
    }
    return keys;
}

/** Sorts what takes at most so many moves; false when it would take more. */
static bool settle(uint64_t *keys, uint32_t count, uint32_t enough)
{
    uint32_t moves = 0;
    for (uint32_t i = 1; i < count && moves <= enough; i++) {
        const uint64_t key = keys[i];
        uint32_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
        moves += i - at;
    }
    return moves <= enough;
}

/**
 * Sorts keys whose numbers rise; returns which of both memories has them then. Most often few have
 * the same confidence. Settling those moves no key past another that is equal but for the number,
 * so the numbers rise still if all digits have to be gone through.
 */
static uint64_t *sort(uint64_t *keys, uint32_t count, uint64_t *spare)
{
    if (count <= FEW && settle(keys, count, FEW * FEW))
        return keys;
    uint64_t *sorted = by_digits(keys, count, spare, DIGIT_CONFIDENCE, DIGIT_END);
    if (settle(sorted, count, 2 * count)) /* they are nearly sorted */
        return sorted;
    return by_digits(sorted, count, sorted == keys ? spare : keys, DIGIT_X, DIGIT_END);
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
