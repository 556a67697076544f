/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_BILINEAR_FETCH_H
#define RUNG__KERNEL_BILINEAR_FETCH_H

#include "base/memory.h"
#include "kernel/bilinear.h"

/*
 * Rows of a picture are far apart, so that the processor's own prefetching begins anew in each:
 * a row that is needed soon is fetched while another is filtered, as far as that one is.
 */

/** A row that is needed soon. */
struct rung__bilinear_ahead {
    const uint8_t *row, *fetched; /**< the latter: up to here */
    uint32_t read, limit;         /**< bytes of one read, and of a block at most */
};

/** Where pixels are so far apart (bytes), most lines of the cache would never be used. */
#define RUNG__BILINEAR_APART_MAX 128u

static inline struct rung__bilinear_ahead
rung__bilinear_ahead(const struct rung__bilinear_columns *columns, const uint8_t *row,
                     uint32_t block)
{
    return (struct rung__bilinear_ahead){row, row + columns->offsets[0], columns->read,
                                         block * RUNG__BILINEAR_APART_MAX};
}

/** For one more block. */
static inline void rung__bilinear_fetch(struct rung__bilinear_ahead *ahead, const int32_t *offsets,
                                        uint32_t block)
{
    const uint8_t *end = ahead->row + offsets[block - 1] + ahead->read;
    if (end - ahead->fetched > (ptrdiff_t)ahead->limit)
        ahead->fetched = end;
    for (; ahead->fetched < end; ahead->fetched += RUNG__CACHE_LINE)
        __builtin_prefetch(ahead->fetched);
}

/** Goes on to the next block of as many pixels, which have so many bytes of shuffles each. */
static inline void rung__bilinear_next(struct rung__bilinear_columns *columns, uint32_t block,
                                       uint32_t shuffle)
{
    columns->blocks--;
    columns->offsets += block;
    columns->weights += 2 * (size_t)block;
    columns->shuffles += (size_t)block * shuffle;
}

#endif
