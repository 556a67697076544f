/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_BLEND_H
#define RUNG__KERNEL_BLEND_H

#include <stdint.h>

/** One row of content on its way from two lines into the tensor. */
struct rung__blend_row {
    const int16_t *first[3], *second[3]; /**< h − 32768 of each channel, by lanes */
    void *to[3];                         /**< its pixels in each plane; the first of one for all */
    uint32_t weight;                     /**< of the second, 0..256 */
    uint32_t width;                      /**< pixels */
    float scale[3], bias[3];             /**< scale is already divided by 65536 */
};

/** Makes V (preprocess.md) and stores it in one layout and type. */
typedef void rung__blend(const struct rung__blend_row *row);

#endif
