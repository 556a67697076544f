/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/select.h"

#include <string.h>

/*
 * The scalar oracle of Selection (targets.md). Keys are unique, for each ends in the candidate's
 * number, so any way of sorting gives the same order. A heap gives the first ones without sorting
 * the rest, in place.
 */

bool rung__candidate_is_admitted(const struct rung__candidate *candidate,
                                 const struct rung__selection *selection, uint32_t k)
{
    if (candidate->confidence == 0 || candidate->w == 0 || candidate->h == 0)
        return false;
    if (candidate->confidence >= selection->min_confidence)
        return true;
    const bool band_is_on =
        selection->band_confidence || selection->band_min || selection->band_max;
    const uint32_t side = candidate->w < candidate->h ? candidate->w : candidate->h;
    const uint64_t size = (uint64_t)side << k;
    return band_is_on && candidate->confidence >= selection->band_confidence &&
           size >= selection->band_min && size < selection->band_max;
}

static uint64_t key_of(const struct rung__candidate *candidate, uint32_t index)
{
    return (uint64_t)(65535 - candidate->confidence) << 48 | (uint64_t)candidate->y << 32 |
           (uint64_t)candidate->x << 16 | index;
}

/** Moves the key at `at` down to its place in a heap whose smallest key is first. */
static void sift(uint64_t *keys, uint32_t count, uint32_t at)
{
    const uint64_t key = keys[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && keys[child + 1] < keys[child])
            child++;
        if (key < keys[child])
            break;
        keys[at] = keys[child];
        at = child;
    }
    keys[at] = key;
}

/** The numbers of the first `wanted` keys in rising order. */
static void take_first(uint64_t *keys, uint32_t count, uint32_t wanted, uint32_t *order)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sift(keys, count, i);
    for (uint32_t i = 0; i < wanted; i++) {
        order[i] = (uint32_t)(keys[0] & 0xffff);
        keys[0] = keys[--count];
        sift(keys, count, 0);
    }
}

/** The length that two runs share. */
static uint32_t overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size)
{
    const uint32_t start = a > b ? a : b;
    const uint32_t a_end = a + a_size, b_end = b + b_size;
    const uint32_t end = a_end < b_end ? a_end : b_end;
    return end > start ? end - start : 0;
}

bool rung__candidate_rules_out(const struct rung__candidate *target,
                               const struct rung__candidate *candidate,
                               const struct rung__selection *selection)
{
    if ((selection->flags & RUNG_SUPPRESS_PER_CLASS) && target->class_id != candidate->class_id)
        return false;
    const uint64_t shared = (uint64_t)overlap(target->x, target->w, candidate->x, candidate->w) *
                            overlap(target->y, target->h, candidate->y, candidate->h);
    if (shared == 0)
        return false;
    const uint64_t area = (uint64_t)candidate->w * candidate->h;
    if ((selection->flags & RUNG_SUPPRESS_CONTAINMENT) && shared == area)
        return true;
    const uint64_t together = (uint64_t)target->w * target->h + area - shared;
    return shared * 65535 >= together * selection->iou;
}

/** Keeps what is accepted at the front of `order`, in order; returns how many that is. */
static uint32_t suppress(const struct rung__candidate *candidates,
                         const struct rung__selection *selection, uint32_t *order, uint32_t count)
{
    uint32_t accepted = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct rung__candidate *candidate = &candidates[order[i]];
        uint32_t j = 0;
        while (j < accepted &&
               !rung__candidate_rules_out(&candidates[order[j]], candidate, selection))
            j++;
        if (j == accepted)
            order[accepted++] = order[i];
    }
    return accepted;
}

uint64_t rung__select_workspace_c(const struct rung__selection *selection, uint32_t count)
{
    const uint32_t considered = selection->considered < count ? selection->considered : count;
    return (uint64_t)count * sizeof(uint64_t) + ((uint64_t)considered + 1) / 2 * sizeof(uint64_t);
}

void rung__select_c(const struct rung__candidate *candidates, uint32_t count,
                    const struct rung__selection *selection, uint32_t k, void *workspace,
                    struct rung__selected *selected)
{
    uint64_t *keys = workspace;
    uint32_t *order = (uint32_t *)(keys + count);
    uint32_t admitted = 0;
    for (uint32_t i = 0; i < count; i++)
        if (rung__candidate_is_admitted(&candidates[i], selection, k))
            keys[admitted++] = key_of(&candidates[i], i);

    const uint32_t considered = admitted < selection->considered ? admitted : selection->considered;
    take_first(keys, admitted, considered, order);

    uint32_t accepted = considered;
    if (selection->flags & RUNG_SUPPRESS)
        accepted = suppress(candidates, selection, order, considered);

    const uint32_t emitted = accepted < selection->max_targets ? accepted : selection->max_targets;
    if (emitted > 0)
        memcpy(selected->order, order, emitted * sizeof *order);
    selected->count = emitted;
    selected->admitted = admitted;
    selected->accepted = accepted;
    selected->incomplete = admitted > considered || accepted > emitted;
}
