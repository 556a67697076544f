/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_RESAMPLE_H
#define RUNG__KERNEL_RESAMPLE_H

#include <stdint.h>

/*
 * The tables of the resamplers (preprocess.md), one axis each: for every content pixel, which
 * samples of the crop it is made of and with what weight. Integers only, computed once a frame.
 * `outputs` is 1..16384, `samples` 1..65535.
 */

/** Two neighbouring samples (the same one at a border) and the weight of the second, 0..256. */
struct rung__pair {
    uint32_t first, second, weight;
};

void rung__axis_bilinear(uint32_t outputs, uint32_t samples, struct rung__pair *pairs);

/** The sample of each content pixel. */
void rung__axis_nearest(uint32_t outputs, uint32_t samples, uint32_t *indices);

/** A run of samples. Both ends of a window never fall from one content pixel to the next. */
struct rung__window {
    uint32_t first, count;
};

/** No window of the axis is longer: the pitch of its table of weights. */
uint32_t rung__axis_triangle_taps(uint32_t outputs, uint32_t samples);

/** `weights` holds `outputs` rows of rung__axis_triangle_taps; 2^22 = 1. */
void rung__axis_triangle(uint32_t outputs, uint32_t samples, struct rung__window *windows,
                         uint32_t *weights);

#endif
