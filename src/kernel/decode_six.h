/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_DECODE_SIX_H
#define RUNG__KERNEL_DECODE_SIX_H

#include "kernel/decode_common.h"

/** How a head finds the box in a row of six values. */
typedef struct rung__box rung__box_fn(const float *row, const struct rung__canvas *canvas);

/** Decodes [N, 6]: four values that make a box, a score, a class. */
void rung__decode_six(const struct rung__decode_request *request, struct rung__decoded *decoded,
                      rung__box_fn *box_of);

/** The same by a scan. */
void rung__decode_six_scan(const struct rung__decode_request *request,
                           struct rung__decoded *decoded, rung__box_fn *box_of);

#endif
