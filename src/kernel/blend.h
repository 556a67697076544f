/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_BLEND_H
#define RUNG__KERNEL_BLEND_H

#include <stddef.h>
#include <stdint.h>

#include <rung/types.h>

/** One row of content on its way from two lines into the tensor. */
struct rung__blend_row {
    const int16_t *first[3], *second[3]; /**< h − 32768 (NEON: h) of each channel, by lanes */
    void *to[3];                         /**< its pixels in each plane; the first of one for all */
    size_t below;                        /**< bytes to the same pixel of the next row */
    uint32_t weight;                     /**< of the second, 0..256 */
    uint32_t width;                      /**< pixels */
    float scale[3], bias[3];             /**< scale is already divided by 65536 */
};

/** Makes V (preprocess.md) and stores it. */
typedef void rung__blend(const struct rung__blend_row *row);

/*
 * By layout and type. Lines go by blocks, whose lanes hold these pixels:
 * AVX2: 16, as 0..3, 8..11, 4..7 and 12..15;
 * AVX-512: 32, as 0..3, 16..19, 4..7, 20..23, 8..11, 24..27, 12..15 and 28..31;
 * NEON: 16, in order.
 */
extern rung__blend *const rung__blends_avx2[RUNG_LAYOUT_BGRA + 1][RUNG_DTYPE_U8 + 1];
extern rung__blend *const rung__blends_avx512[RUNG_LAYOUT_BGRA + 1][RUNG_DTYPE_U8 + 1];
extern rung__blend *const rung__blends_neon[RUNG_LAYOUT_BGRA + 1][RUNG_DTYPE_U8 + 1];

#endif
