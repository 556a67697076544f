/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_STORE_H
#define RUNG__KERNEL_STORE_H

#include "artifact/format.h"

/**
 * Writes one canvas row into the tensor, which is aligned for its elements. `values` has the three
 * stored channels one after the other, canvas-width values each, with 16 fraction bits
 * (0..255 × 65536).
 */
void rung__store_row(const struct rung__canvas *canvas, const uint32_t *values, uint32_t row,
                     void *tensor);

#endif
