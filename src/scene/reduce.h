/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SCENE_REDUCE_H
#define RUNG__SCENE_REDUCE_H

#include <stdbool.h>

#include <rung/targets.h>

/*
 * The best targets of many, in memory that is given: as many as there is room for stay, in the
 * order of a scene (confidence descending, then y, x, id).
 */

/** A target's place in that order, and where it comes from. */
struct rung__order_key {
    uint64_t height; /**< 65535 − confidence and y, as numbers that rise with the order */
    uint64_t id;
    uint32_t x;      /**< likewise */
    uint32_t origin; /**< the caller's; of equal targets the lesser comes first */
};

/** A heap whose first is the last in the order. */
struct rung__reduction {
    struct rung__order_key *keys; /**< the caller's, `capacity` of them */
    uint32_t capacity, count;
    bool left_out; /**< there was more than room for */
};

/** Takes a target in, for which the last one may have to go. */
void rung__reduction_add(struct rung__reduction *reduction, const rung_target *target,
                         uint32_t origin);

/** Brings them into the order. Only reading may follow. */
void rung__reduction_sort(struct rung__reduction *reduction);

#endif
