/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "kernel/store_bytes.h"
#include "kernel/triangle.h"

/*
 * Weights are a·2^16 + b·2^8 + c, so that each part fits the signed 8-bit factors of a product-sum
 * of four. A line has the four samples of a column as the bytes of a 32-bit lane.
 */

#define LANES       16u
#define WORDS       3u
#define ROWS        4
#define COLUMNS     64 /* of a blend at once */
#define WEIGHT_BITS 22
#define INLINE      static inline __attribute__((always_inline))

/** Words: a of the four taps, b of them, c of them. */
static void pack(const uint32_t weights[4], struct rung__triangle_step *to)
{
    const __m128i half = _mm_set1_epi32(128), weight = _mm_loadu_si128((const __m128i *)weights);
    const __m128i upper = _mm_srai_epi32(_mm_add_epi32(weight, half), 8);
    const __m128i a = _mm_srai_epi32(_mm_add_epi32(upper, half), 8);
    const __m128i b = _mm_sub_epi32(upper, _mm_slli_epi32(a, 8));
    const __m128i c = _mm_sub_epi32(weight, _mm_slli_epi32(upper, 8));
    _mm_storeu_si128(
        (__m128i *)to->words,
        _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, _mm_setzero_si128())));
}

/** Sums of the parts of the weights, in 32-bit lanes. */
struct sums {
    __m512i a, b, c;
};

INLINE struct sums sums_start(void)
{
    return (struct sums){_mm512_setzero_si512(), _mm512_setzero_si512(),
                         _mm512_set1_epi32(1 << (WEIGHT_BITS - 1))};
}

INLINE void sums_add(struct sums *sums, __m512i samples, const __m512i weights[WORDS])
{
    sums->a = _mm512_dpbusd_epi32(sums->a, samples, weights[0]);
    sums->b = _mm512_dpbusd_epi32(sums->b, samples, weights[1]);
    sums->c = _mm512_dpbusd_epi32(sums->c, samples, weights[2]);
}

INLINE __m512i sums_total(const struct sums *sums)
{
    const __m512i upper = _mm512_add_epi32(_mm512_slli_epi32(sums->a, 8), sums->b);
    return _mm512_add_epi32(_mm512_slli_epi32(upper, 8), sums->c);
}

/* ---- horizontal ------------------------------------------------------------------------------ */

/** How the samples of a block come from a row. */
enum gather {
    NARROW, /**< all from 64 bytes */
    WIDE,   /**< all from 128 bytes */
    SPARSE  /**< those of a pixel from 16 bytes, into a quarter of the vector */
};

INLINE __m512i load_quarters(const uint8_t *row, const uint32_t offsets[4])
{
    const __m128i *parts[4];
    for (int i = 0; i < 4; i++)
        parts[i] = (const __m128i *)(row + offsets[i]);
    const __m512i one = _mm512_castsi128_si512(_mm_loadu_si128(parts[0]));
    const __m512i two = _mm512_inserti32x4(one, _mm_loadu_si128(parts[1]), 1);
    const __m512i three = _mm512_inserti32x4(two, _mm_loadu_si128(parts[2]), 2);
    return _mm512_inserti32x4(three, _mm_loadu_si128(parts[3]), 3);
}

INLINE __m512i load_samples(enum gather gather, const uint8_t *row, const uint32_t *offsets,
                            __m512i picks)
{
    if (gather == SPARSE)
        return _mm512_shuffle_epi8(load_quarters(row, offsets), picks);
    const __m512i front = _mm512_loadu_si512(row + *offsets);
    if (gather == NARROW)
        return _mm512_permutexvar_epi8(picks, front);
    return _mm512_permutex2var_epi8(front, picks, _mm512_loadu_si512(row + *offsets + 64));
}

INLINE void load_weights(const uint32_t *from, __m512i to[WORDS])
{
    for (uint32_t i = 0; i < WORDS; i++)
        to[i] = _mm512_loadu_si512(from + (size_t)i * LANES);
}

/** The totals of the only step: one product-sum goes on from the other. */
INLINE void total_step(const uint8_t *const rows[ROWS], size_t offset, __m512i picks,
                       const __m512i weights[WORDS], __m512i totals[ROWS])
{
    const __m512i half = _mm512_set1_epi32(1 << (WEIGHT_BITS - 1 - 16));
    for (int i = 0; i < ROWS; i++) {
        const __m512i samples =
            _mm512_permutexvar_epi8(picks, _mm512_loadu_si512(rows[i] + offset));
        const __m512i a = _mm512_dpbusd_epi32(half, samples, weights[0]);
        const __m512i b = _mm512_dpbusd_epi32(_mm512_slli_epi32(a, 8), samples, weights[1]);
        totals[i] = _mm512_dpbusd_epi32(_mm512_slli_epi32(b, 8), samples, weights[2]);
    }
}

INLINE void total_steps(enum gather gather, const struct rung__triangle_axis *axis,
                        const uint8_t *const rows[ROWS], const uint32_t *offsets, __m512i picks,
                        const uint32_t *by_step, __m512i totals[ROWS])
{
    struct sums sums[ROWS] = {sums_start(), sums_start(), sums_start(), sums_start()};
    size_t at = 0;
    for (uint32_t step = 0; step < axis->steps; step++, at += axis->step_bytes) {
        __m512i weights[WORDS];
        load_weights(by_step + (size_t)step * WORDS * LANES, weights);
        for (int i = 0; i < ROWS; i++)
            sums_add(&sums[i], load_samples(gather, rows[i] + at, offsets, picks), weights);
    }
    /* The roundings of very many weights could add up to a level above the last. */
    const __m512i most = _mm512_set1_epi32((1 << (WEIGHT_BITS + 8)) - 1);
    for (int i = 0; i < ROWS; i++)
        totals[i] = _mm512_min_epu32(sums_total(&sums[i]), most);
}

/** Of each lane the 8 bits above those of the weights, the rows side by side. */
INLINE __m512i join_rows(const __m512i totals[ROWS])
{
    const __m512i shifts = _mm512_set1_epi64(INT64_C(0x3636363616161616)); /* 22, and 32 + 22 */
    __m512i joined = _mm512_multishift_epi64_epi8(shifts, totals[0]);
    for (int i = 1; i < ROWS; i++)
        joined = _mm512_mask_multishift_epi64_epi8(joined, UINT64_C(0x1111111111111111) << i,
                                                   shifts, totals[i]);
    return joined;
}

/** Puts the three columns of each quarter next to each other. */
INLINE __m512i close_quarters(__m512i columns)
{
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15), columns);
}

/** Copies of axis and rows, which no store can change, stay in registers. */
INLINE void filter(enum gather gather, const struct rung__triangle_axis *shared,
                   const uint8_t *const rows[ROWS], uint32_t first, uint32_t end, uint8_t *line)
{
    const size_t units = gather == SPARSE ? 4 : 1, columns = gather == SPARSE ? 12 : LANES;
    const struct rung__triangle_axis axis = *shared;
    const uint8_t *const from[ROWS] = {rows[0], rows[1], rows[2], rows[3]};
    for (size_t block = first; block < end; block++) {
        const __m512i picks = _mm512_loadu_si512(axis.picks + block * LANES);
        __m512i totals[ROWS];
        rung__triangle_prefetch(&axis, from, block);
        total_steps(gather, &axis, from, axis.offsets + block * units, picks,
                    axis.weights + block * axis.steps * WORDS * LANES, totals);
        const __m512i joined = join_rows(totals);
        _mm512_storeu_si512(line + block * columns * ROWS,
                            gather == SPARSE ? close_quarters(joined) : joined);
    }
}

static void filter_step(const struct rung__triangle_axis *shared, const uint8_t *const rows[ROWS],
                        uint32_t first, uint32_t end, uint8_t *line)
{
    const struct rung__triangle_axis axis = *shared;
    const uint8_t *const from[ROWS] = {rows[0], rows[1], rows[2], rows[3]};
    for (size_t block = first; block < end; block++) {
        const __m512i picks = _mm512_loadu_si512(axis.picks + block * LANES);
        __m512i weights[WORDS], totals[ROWS];
        rung__triangle_prefetch(&axis, from, block);
        load_weights(axis.weights + block * WORDS * LANES, weights);
        total_step(from, axis.offsets[block], picks, weights, totals);
        _mm512_storeu_si512(line + block * LANES * ROWS, join_rows(totals));
    }
}

static void filter_narrow(const struct rung__triangle_axis *axis, const uint8_t *const rows[ROWS],
                          uint32_t first, uint32_t end, uint8_t *line)
{
    if (axis->steps == 1)
        filter_step(axis, rows, first, end, line);
    else
        filter(NARROW, axis, rows, first, end, line);
}

static void filter_wide(const struct rung__triangle_axis *axis, const uint8_t *const rows[ROWS],
                        uint32_t first, uint32_t end, uint8_t *line)
{
    filter(WIDE, axis, rows, first, end, line);
}

static void filter_sparse(const struct rung__triangle_axis *axis, const uint8_t *const rows[ROWS],
                          uint32_t first, uint32_t end, uint8_t *line)
{
    filter(SPARSE, axis, rows, first, end, line);
}

static const struct rung__triangle_filter filters[] = {
    {LANES, LANES, LANES, 64, filter_narrow},
    {LANES, LANES, LANES, 128, filter_wide},
    {LANES, 4, 3, 16, filter_sparse},
};

/* ---- vertical -------------------------------------------------------------------------------- */

/** 64 columns from the totals of four times 16. */
INLINE __m512i join_columns(const __m512i totals[4])
{
    __m512i levels[4];
    for (int i = 0; i < 4; i++)
        levels[i] = _mm512_srli_epi32(totals[i], WEIGHT_BITS); /* 0..256 */
    const __m512i bytes = _mm512_packus_epi16(_mm512_packus_epi32(levels[0], levels[1]),
                                              _mm512_packus_epi32(levels[2], levels[3]));
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), bytes);
}

INLINE void spread_weights(const struct rung__triangle_step *step, __m512i to[WORDS])
{
    for (uint32_t i = 0; i < WORDS; i++)
        to[i] = _mm512_set1_epi32((int32_t)step->words[i]);
}

INLINE __m512i load_columns(const uint8_t *line, size_t at)
{
    return _mm512_loadu_si512(line + at * ROWS);
}

INLINE void store_levels(__m512i levels, uint32_t at, uint32_t count, uint8_t *to)
{
    if (at + COLUMNS <= count)
        _mm512_storeu_si512(to + at, levels);
    else
        _mm512_mask_storeu_epi8(to + at, (UINT64_C(1) << (count - at)) - 1, levels);
}

#define FEW 2

/** A few steps, their number a constant: one product-sum goes on from the other. */
INLINE void blend_few(const struct rung__triangle_window *window, uint32_t steps, uint32_t count,
                      uint8_t *to)
{
    const __m512i half = _mm512_set1_epi32(1 << (WEIGHT_BITS - 1 - 16));
    const uint8_t *lines[FEW];
    __m512i weights[FEW][WORDS];
    for (uint32_t step = 0; step < steps; step++) {
        lines[step] = window->lines[step];
        spread_weights(&window->weights[step], weights[step]);
    }
    for (uint32_t at = 0; at < count; at += COLUMNS) {
        __m512i totals[4] = {half, half, half, half};
        for (uint32_t word = 0; word < WORDS; word++)
            for (uint32_t i = 0; i < 4; i++) {
                if (word > 0)
                    totals[i] = _mm512_slli_epi32(totals[i], 8);
                for (uint32_t step = 0; step < steps; step++)
                    totals[i] = _mm512_dpbusd_epi32(
                        totals[i], load_columns(lines[step], at + LANES * i), weights[step][word]);
            }
        store_levels(join_columns(totals), at, count, to);
    }
}

static void blend_many(const struct rung__triangle_window *window, uint32_t count, uint8_t *to)
{
    for (uint32_t at = 0; at < count; at += COLUMNS) {
        struct sums sums[4] = {sums_start(), sums_start(), sums_start(), sums_start()};
        __m512i totals[4];
        for (uint32_t step = 0; step < window->steps; step++) {
            __m512i weights[WORDS];
            spread_weights(&window->weights[step], weights);
            for (uint32_t i = 0; i < 4; i++)
                sums_add(&sums[i], load_columns(window->lines[step], at + LANES * i), weights);
        }
        for (int i = 0; i < 4; i++)
            totals[i] = sums_total(&sums[i]);
        store_levels(join_columns(totals), at, count, to);
    }
}

static void blend(const struct rung__triangle_window *window, uint32_t count, uint8_t *to)
{
    if (window->steps == 1)
        blend_few(window, 1, count, to);
    else if (window->steps == 2)
        blend_few(window, 2, count, to);
    else
        blend_many(window, count, to);
}

static const struct rung__triangle_parts parts = {
    filters, sizeof filters / sizeof *filters, WORDS, ROWS, pack, blend, rung__store_bytes_avx512,
};

const struct rung__resampler rung__triangle_avx512 = {
    rung__triangle_tables_bytes, rung__triangle_make_tables, rung__triangle_scratch_bytes,
    rung__triangle_rows, &parts};
