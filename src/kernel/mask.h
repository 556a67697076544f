/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_MASK_H
#define RUNG__KERNEL_MASK_H

#include "artifact/heads.h"
#include "kernel/fit.h"

/** What a mask is made of. Shapes were checked at admission (artifact/heads.h). */
struct rung__mask_request {
    const float *values; /**< the model's output: the whole canvas, every channel */
    struct rung__mask_form form;
    uint16_t min_confidence; /**< for one channel */
    const struct rung__canvas *canvas;
    const struct rung__placement *placement;
};

/** Writes the class of each pixel of the content, placement.width × placement.height of them. */
typedef void rung__mask_fn(const struct rung__mask_request *request, uint8_t *to);

/** The rule for one pixel, whose scores are `step` apart. */
uint8_t rung__mask_class(const struct rung__mask_request *request, const float *scores,
                         size_t step);

/** The scalar oracle. */
rung__mask_fn rung__mask_c;
rung__mask_fn rung__mask_avx2;
rung__mask_fn rung__mask_avx512;
rung__mask_fn rung__mask_neon;

struct rung__mask_kernels {
    rung__mask_fn *run;
};

void rung__mask_init(struct rung__mask_kernels *kernels, uint64_t cpu_flags);

#endif
