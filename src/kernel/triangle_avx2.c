/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "kernel/store_bytes.h"
#include "kernel/triangle.h"

/*
 * Weights are h·2^8 + l, so that each part fits the 16-bit factors of a product-sum of pairs. A
 * line has two parts: for each column the samples of rows 0 and 1 as 16-bit words, then those of 2
 * and 3.
 */

#define LANES       8u
#define UNIT        4u /* lanes of half a vector */
#define WINDOW      16u
#define WORDS       4u
#define ROWS        4
#define COLUMNS     32 /* of a blend at once */
#define DIGIT_BITS  8
#define WEIGHT_BITS 22
#define INLINE      static inline __attribute__((always_inline))

/** Words: h of taps 0 and 1, l of them, h of taps 2 and 3, l of them. */
static void pack(const uint32_t weights[4], struct rung__triangle_step *to)
{
    const __m128i half = _mm_set1_epi32(1 << (DIGIT_BITS - 1));
    const __m128i weight = _mm_loadu_si128((const __m128i *)weights);
    const __m128i high = _mm_srai_epi32(_mm_add_epi32(weight, half), DIGIT_BITS);
    const __m128i low = _mm_sub_epi32(weight, _mm_slli_epi32(high, DIGIT_BITS));
    _mm_storeu_si128((__m128i *)to->words,
                     _mm_shuffle_epi32(_mm_packs_epi32(high, low), _MM_SHUFFLE(3, 1, 2, 0)));
}

/** Sums of the two parts of the weights. */
struct sums {
    __m256i high, low;
};

INLINE struct sums sums_start(void)
{
    return (struct sums){_mm256_setzero_si256(), _mm256_set1_epi32(1 << (WEIGHT_BITS - 1))};
}

INLINE void sums_add(struct sums *sums, __m256i samples, __m256i high, __m256i low)
{
    sums->high = _mm256_add_epi32(sums->high, _mm256_madd_epi16(samples, high));
    sums->low = _mm256_add_epi32(sums->low, _mm256_madd_epi16(samples, low));
}

/** 0..256 */
INLINE __m256i sums_end(const struct sums *sums)
{
    const __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(sums->high, DIGIT_BITS), sums->low);
    return _mm256_srli_epi32(sum, WEIGHT_BITS);
}

/** Stores the columns of two units, of which the second may replace the last of the first. */
INLINE void store_pair(const struct sums *first, const struct sums *second, uint32_t columns,
                       uint32_t *to)
{
    const __m256i words = _mm256_or_si256(sums_end(first), _mm256_slli_epi32(sums_end(second), 16));
    const __m256i samples = _mm256_min_epi16(words, _mm256_set1_epi16(255));
    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(samples));
    _mm_storeu_si128((__m128i *)(to + columns), _mm256_extracti128_si256(samples, 1));
}

INLINE __m256i load_two(const uint8_t *first, const uint8_t *second)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)first)),
                                   _mm_loadu_si128((const __m128i *)second), 1);
}

/** From picks of bytes those of the words of samples `first` and `first` + 1. */
INLINE __m256i words_of(__m256i picks, int first)
{
    const __m256i lanes = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 0, 1, 0, 4, 0, 5, 0, 8, 0, 9, 0, 12, 0, 13, 0));
    const __m256i bytes =
        _mm256_shuffle_epi8(picks, _mm256_add_epi8(lanes, _mm256_set1_epi8((int8_t)first)));
    return _mm256_or_si256(bytes, _mm256_set1_epi16((int16_t)0x8000)); /* above each byte: zero */
}

/** Where the samples of a block are. */
struct block {
    const uint8_t *const *rows; /**< two */
    size_t at[2];               /**< the windows of its units */
    __m256i near, far;          /**< picks of taps 0 and 1, and of 2 and 3 */
};

/** Two taps of eight columns, or all four, of two rows. */
INLINE void add_taps(const struct block *block, const uint32_t *weights, bool all,
                     struct sums sums[2])
{
    const __m256i *words = (const __m256i *)weights;
    for (int i = 0; i < 2; i++) {
        const uint8_t *row = block->rows[i];
        const __m256i samples = load_two(row + block->at[0], row + block->at[1]);
        sums_add(&sums[i], _mm256_shuffle_epi8(samples, block->near), _mm256_loadu_si256(words),
                 _mm256_loadu_si256(words + 1));
        if (all)
            sums_add(&sums[i], _mm256_shuffle_epi8(samples, block->far),
                     _mm256_loadu_si256(words + 2), _mm256_loadu_si256(words + 3));
    }
}

/** Steps of four taps, and one of two behind them. */
struct reach {
    uint32_t steps;
    bool rest;
};

INLINE void sum_pair(const struct rung__triangle_axis *axis, struct block block,
                     const uint32_t *weights, struct reach reach, struct sums sums[2])
{
    for (uint32_t step = 0; step < reach.steps; step++, weights += (size_t)WORDS * LANES) {
        add_taps(&block, weights, true, sums);
        block.at[0] += axis->step_bytes;
        block.at[1] += axis->step_bytes;
    }
    if (reach.rest)
        add_taps(&block, weights, false, sums);
}

/**
 * Copies of axis and rows, which no store can change, stay in registers, and so do the sums of two
 * rows.
 */
INLINE void filter(const struct rung__triangle_axis *shared, const uint8_t *const rows[ROWS],
                   uint32_t first, uint32_t end, uint8_t *line, uint32_t columns,
                   struct reach reach)
{
    const struct rung__triangle_axis axis = *shared;
    const uint8_t *const from[ROWS] = {rows[0], rows[1], rows[2], rows[3]};
    uint32_t *to = (uint32_t *)line + (size_t)first * 2 * columns;
    for (size_t i = first; i < end; i++, to += (size_t)2 * columns) {
        const __m256i picks = _mm256_loadu_si256((const __m256i *)(axis.picks + i * LANES));
        const uint32_t *weights = axis.weights + i * axis.steps * WORDS * LANES;
        rung__triangle_prefetch(&axis, from, i);
        for (size_t pair = 0; pair < 2; pair++) {
            const struct block block = {from + 2 * pair,
                                        {axis.offsets[2 * i], axis.offsets[2 * i + 1]},
                                        words_of(picks, 0),
                                        words_of(picks, 2)};
            struct sums sums[2] = {sums_start(), sums_start()};
            sum_pair(&axis, block, weights, reach, sums);
            store_pair(&sums[0], &sums[1], columns, to + pair * axis.pitch);
        }
    }
}

static struct reach reach_of(const struct rung__triangle_axis *axis)
{
    const uint32_t pairs = (axis->taps + 1) / 2;
    return (struct reach){pairs / 2, pairs & 1};
}

/** Both halves full: pixels are near each other. */
static void filter_dense(const struct rung__triangle_axis *axis, const uint8_t *const rows[ROWS],
                         uint32_t first, uint32_t end, uint8_t *line)
{
    const struct reach reach = reach_of(axis), one = {1, false};
    if (reach.steps == 1 && !reach.rest)
        filter(axis, rows, first, end, line, 4, one);
    else
        filter(axis, rows, first, end, line, 4, reach);
}

/** A pixel in each half. */
static void filter_sparse(const struct rung__triangle_axis *axis, const uint8_t *const rows[ROWS],
                          uint32_t first, uint32_t end, uint8_t *line)
{
    filter(axis, rows, first, end, line, 3, reach_of(axis));
}

static const struct rung__triangle_filter filters[] = {
    {LANES, UNIT, 4, WINDOW, filter_dense},
    {LANES, UNIT, 3, WINDOW, filter_sparse},
};

INLINE __m256i blend_columns(const struct rung__triangle_window *window, size_t at)
{
    struct sums sums[4] = {sums_start(), sums_start(), sums_start(), sums_start()};
    for (uint32_t step = 0; step < window->steps; step++) {
        const __m256i *pairs = (const __m256i *)(window->lines[step] + at * sizeof(uint32_t));
        const uint32_t *weights = window->weights[step].words;
        for (int half = 0; half < 2; half++, weights += 2) {
            const __m256i high = _mm256_set1_epi32((int32_t)weights[0]);
            const __m256i low = _mm256_set1_epi32((int32_t)weights[1]);
            for (int i = 0; i < 4; i++)
                sums_add(&sums[i], _mm256_loadu_si256(pairs + i), high, low);
            pairs = (const __m256i *)((const uint32_t *)pairs + window->pitch);
        }
    }
    const __m256i front = _mm256_packus_epi32(sums_end(&sums[0]), sums_end(&sums[1]));
    const __m256i back = _mm256_packus_epi32(sums_end(&sums[2]), sums_end(&sums[3]));
    return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(front, back),
                                       _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

static void blend(const struct rung__triangle_window *window, uint32_t count, uint8_t *to)
{
    uint32_t at = 0;
    for (; at + COLUMNS <= count; at += COLUMNS)
        _mm256_storeu_si256((__m256i *)(to + at), blend_columns(window, at));
    if (at < count) {
        uint8_t rest[COLUMNS];
        _mm256_storeu_si256((__m256i *)rest, blend_columns(window, at));
        memcpy(to + at, rest, count - at);
    }
}

static const struct rung__triangle_parts parts = {
    filters, sizeof filters / sizeof *filters, WORDS, 2 * sizeof(uint32_t), pack,
    blend,   rung__store_bytes_avx2,
};

const struct rung__resampler rung__triangle_avx2 = {
    rung__triangle_tables_bytes, rung__triangle_make_tables, rung__triangle_scratch_bytes,
    rung__triangle_rows, &parts};
