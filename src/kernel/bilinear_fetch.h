/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_BILINEAR_FETCH_H
#define RUNG__KERNEL_BILINEAR_FETCH_H

#include "kernel/bilinear.h"

/*
 * Rows of a picture are far apart, so that the processor's own prefetching begins anew in each:
 * the row that is needed next is fetched while this one is filtered, as far as this one is.
 */

#define RUNG__CACHE_LINE 64

/** How far the row that is needed next was fetched. */
struct rung__bilinear_ahead {
    const uint8_t *row;
    const int32_t *offsets;
    int32_t fetched;
};

static inline struct rung__bilinear_ahead
rung__bilinear_ahead(const struct rung__bilinear_columns *columns, const uint8_t *row)
{
    return (struct rung__bilinear_ahead){row, columns->offsets, columns->offsets[0]};
}

/** For one more block, which begins at x. Far apart, only what will be read is fetched. */
static inline void rung__bilinear_fetch(struct rung__bilinear_ahead *ahead, uint32_t x,
                                        uint32_t block)
{
    const int32_t *offsets = ahead->offsets + x, last = offsets[block - 1];
    if (last - ahead->fetched > (int32_t)block * RUNG__CACHE_LINE) {
        for (uint32_t i = 0; i < block; i++)
            __builtin_prefetch(ahead->row + offsets[i]);
        ahead->fetched = last;
    }
    for (; ahead->fetched <= last; ahead->fetched += RUNG__CACHE_LINE)
        __builtin_prefetch(ahead->row + ahead->fetched);
}

#endif
