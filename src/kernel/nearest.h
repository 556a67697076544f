/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_NEAREST_H
#define RUNG__KERNEL_NEAREST_H

#include "kernel/byte_rows.h"

/* What the vector kernels of the resampler `nearest` share. */

/** The columns of one placement. */
struct rung__nearest_columns {
    const uint32_t *offsets; /**< of the pixels in bytes */
    uint32_t count;
    uint32_t row_bytes;   /**< of the crop: nothing behind them is read */
    uint32_t channels[3]; /**< where the stored ones are in a pixel */
    bool as_they_lie;     /**< the crop's bytes are those of the content */
    void *plan;           /**< the instruction set's own */
};

/** Makes the pixels of a content row and writes nothing behind them. */
typedef void rung__nearest_row(const struct rung__nearest_columns *columns, const uint8_t *from,
                               uint8_t *to);

rung__nearest_row rung__nearest_row_avx2;

/** The part of an instruction set. */
struct rung__nearest_parts {
    /* How the row is made, in the tables; NULL: `row` needs no plan. */
    uint64_t (*plan_bytes)(uint32_t width);
    void (*make_plan)(const struct rung__nearest_columns *columns);
    rung__nearest_row *row;
    rung__store_bytes *store;
};

/* The functions of a rung__resampler. */
uint64_t rung__nearest_tables_bytes(const struct rung__resampler *self,
                                    const struct rung__canvas *canvas,
                                    const struct rung__placement *placement);
void rung__nearest_make_tables(const struct rung__resampler *self,
                               const struct rung__preprocess_frame *frame);
uint64_t rung__nearest_scratch_bytes(const struct rung__resampler *self,
                                     const struct rung__canvas *canvas,
                                     const struct rung__placement *placement);
void rung__nearest_rows(const struct rung__resampler *self,
                        const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                        void *scratch);

extern const struct rung__resampler rung__nearest_avx2;
extern const struct rung__resampler rung__nearest_avx512;
extern const struct rung__resampler rung__nearest_neon;

#endif
