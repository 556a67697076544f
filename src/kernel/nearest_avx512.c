/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/nearest.h"
#include "kernel/store_bytes.h"

/* Gathers are no faster by longer vectors: only the stores are. */
static const struct rung__nearest_parts parts = {rung__nearest_row_avx2, rung__store_bytes_avx512};

static void rows(const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                 void *scratch)
{
    rung__nearest_rows(&parts, frame, first, end, scratch);
}

const struct rung__resampler rung__nearest_avx512 = {
    rung__nearest_tables_bytes, rung__nearest_make_tables, rung__nearest_scratch_bytes, rows};
