/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/reduce.h"

#define CONFIDENCE_MAX 65535u

/** A signed number as one that is as great among unsigned ones. */
static uint32_t rising(int32_t number)
{
    return (uint32_t)number ^ 0x80000000u;
}

static bool is_behind(const struct rung__order_key *a, const struct rung__order_key *b)
{
    if (a->height != b->height)
        return a->height > b->height;
    if (a->x != b->x)
        return a->x > b->x;
    if (a->id != b->id)
        return a->id > b->id;
    return a->origin > b->origin;
}

/** Puts a key where a heap of `count` has a gap at `at`, or deeper. */
static void sink(struct rung__order_key *heap, uint32_t count, uint32_t at,
                 struct rung__order_key key)
{
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_behind(&heap[child + 1], &heap[child]))
            child++;
        if (!is_behind(&heap[child], &key))
            break;
        heap[at] = heap[child];
    }
    heap[at] = key;
}

/** Puts a key where a heap has a gap at its end, or higher. */
static void rise(struct rung__order_key *heap, uint32_t at, struct rung__order_key key)
{
    while (at && is_behind(&key, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = key;
}

void rung__reduction_add(struct rung__reduction *reduction, const rung_target *target,
                         uint32_t origin)
{
    const struct rung__order_key key = {
        .height = (uint64_t)(CONFIDENCE_MAX - target->confidence) << 32 | rising(target->y),
        .id = target->target_id,
        .x = rising(target->x),
        .origin = origin,
    };
    if (reduction->count < reduction->capacity) {
        rise(reduction->keys, reduction->count++, key);
        return;
    }
    reduction->left_out = true;
    if (is_behind(&reduction->keys[0], &key))
        sink(reduction->keys, reduction->count, 0, key);
}

void rung__reduction_sort(struct rung__reduction *reduction)
{
    struct rung__order_key *keys = reduction->keys;
    for (uint32_t rest = reduction->count; rest > 1; rest--) {
        const struct rung__order_key last = keys[0];
        sink(keys, rest - 1, 0, keys[rest - 1]);
        keys[rest - 1] = last;
    }
}
