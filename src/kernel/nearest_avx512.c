/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "kernel/nearest.h"
#include "kernel/store_bytes.h"

/*
 * One permutation makes as many pixels as lie in 128 bytes of the row. Where those are fewer than
 * four on average, the AVX2 kernel is as fast.
 */

#define WINDOW     128u
#define WRITTEN    64u
#define PIXELS     (WRITTEN / 3) /* the most of a run */
#define PIXELS_FEW 4u

/** Pixels that are made at once. */
struct run {
    uint32_t from;          /**< where the window begins in the row */
    uint32_t first, count;  /**< pixels */
    uint8_t picks[WRITTEN]; /**< bytes of the window */
};

struct plan {
    uint32_t count; /**< 0: the AVX2 kernel makes the row */
    struct run runs[];
};

static uint32_t most_runs(uint32_t width)
{
    return width / PIXELS_FEW;
}

static uint64_t plan_bytes(uint32_t width)
{
    return sizeof(struct plan) + most_runs(width) * sizeof(struct run);
}

/** The next run, from pixel `first` on. Its window does not leave the row. */
static void make_run(const struct rung__nearest_columns *columns, uint32_t first, struct run *run)
{
    const uint32_t *offsets = columns->offsets, last = columns->row_bytes - WINDOW;
    *run = (struct run){.first = first, .from = offsets[first] < last ? offsets[first] : last};
    for (; run->count < PIXELS && first + run->count < columns->count; run->count++) {
        const uint32_t at = offsets[first + run->count] - run->from;
        for (uint32_t c = 0; c < 3; c++) {
            if (at + columns->channels[c] >= WINDOW)
                return;
            run->picks[3 * run->count + c] = (uint8_t)(at + columns->channels[c]);
        }
    }
}

static void make_plan(const struct rung__nearest_columns *columns)
{
    const uint32_t most = columns->row_bytes < WINDOW ? 0 : most_runs(columns->count);
    struct plan *plan = columns->plan;
    uint32_t x = 0, count = 0;
    for (; x < columns->count && count < most; x += plan->runs[count++].count)
        make_run(columns, x, &plan->runs[count]);
    plan->count = x < columns->count ? 0 : count;
}

static void row(const struct rung__nearest_columns *columns, const uint8_t *from, uint8_t *to)
{
    const struct plan *plan = columns->plan;
    if (plan->count == 0)
        rung__nearest_row_avx2(columns, from, to);
    for (const struct run *run = plan->runs, *end = run + plan->count; run < end; run++) {
        const __m512i front = _mm512_loadu_si512(from + run->from);
        const __m512i back = _mm512_loadu_si512(from + run->from + WRITTEN);
        const __m512i pixels =
            _mm512_permutex2var_epi8(front, _mm512_loadu_si512(run->picks), back);
        if (3 * (columns->count - run->first) >= WRITTEN)
            _mm512_storeu_si512(to + (size_t)3 * run->first, pixels);
        else
            _mm512_mask_storeu_epi8(to + (size_t)3 * run->first,
                                    (UINT64_C(1) << (3 * run->count)) - 1, pixels);
    }
}

static const struct rung__nearest_parts parts = {plan_bytes, make_plan, row,
                                                 rung__store_bytes_avx512};

const struct rung__resampler rung__nearest_avx512 = {
    rung__nearest_tables_bytes, rung__nearest_make_tables, rung__nearest_scratch_bytes,
    rung__nearest_rows, &parts};
