/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_BYTE_ROWS_H
#define RUNG__KERNEL_BYTE_ROWS_H

#include "kernel/preprocess.h"

/*
 * Canvas rows of whole bytes, which the resamplers `triangle` and `nearest` make: V = byte << 16.
 * Such a row is canvas-width pixels of three bytes in the order they are stored in.
 */

/** Bytes behind a row that vector code may read. */
#define RUNG__BYTE_ROW_SLACK 64u

/** The bytes of a row and its slack, a multiple of 64. */
uint64_t rung__byte_row_bytes(const struct rung__canvas *canvas);

/** Writes one canvas row into the tensor, as rung__store_row does with the values byte << 16. */
typedef void rung__store_bytes(const struct rung__canvas *canvas, const uint8_t *row, uint32_t y,
                               void *tensor);

/** How a resampler makes rows. */
struct rung__byte_rows {
    /** Makes row `y` of the content, and nothing behind it. `to` holds the row made before. */
    void (*content)(void *user, uint32_t y, uint8_t *to);
    void *user;
    rung__store_bytes *store;
};

/** Makes the rows first..end of the canvas, fill included. */
void rung__byte_rows(const struct rung__byte_rows *rows, const struct rung__preprocess_frame *frame,
                     uint32_t first, uint32_t end, uint8_t *row);

#endif
