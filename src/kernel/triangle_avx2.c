/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "artifact/format.h"
#include "kernel/store_bytes.h"
#include "kernel/triangle.h"

/*
 * Weights are h·2^8 + l, so that each part fits the 16-bit factors of a product-sum of pairs. A
 * line has two parts: for each column the samples of rows 0 and 1 as 16-bit words, then those of 2
 * and 3.
 */

#define BLOCK       2 /* pixels, one in each half of a vector */
#define ROWS        4
#define COLUMNS     32 /* of a blend at once */
#define DIGIT_BITS  8
#define WEIGHT_BITS 22

static uint32_t pair_of(int32_t first, int32_t second)
{
    return (uint32_t)(uint16_t)first | (uint32_t)second << 16;
}

/** Words: h of taps 0 and 1, l of them, h of taps 2 and 3, l of them. */
static void pack(const uint32_t weights[4], struct rung__triangle_step *to)
{
    int32_t high[4], low[4];
    for (int i = 0; i < 4; i++) {
        high[i] = (int32_t)(weights[i] + (1u << (DIGIT_BITS - 1))) >> DIGIT_BITS;
        low[i] = (int32_t)weights[i] - (high[i] << DIGIT_BITS);
    }
    *to = (struct rung__triangle_step){{pair_of(high[0], high[1]), pair_of(low[0], low[1]),
                                        pair_of(high[2], high[3]), pair_of(low[2], low[3])}};
}

/** Sums of the two parts of the weights. */
struct sums {
    __m256i high, low;
};

static inline struct sums sums_start(void)
{
    return (struct sums){_mm256_setzero_si256(), _mm256_set1_epi32(1 << (WEIGHT_BITS - 1))};
}

static inline void sums_add(struct sums *sums, __m256i samples, __m256i high, __m256i low)
{
    sums->high = _mm256_add_epi32(sums->high, _mm256_madd_epi16(samples, high));
    sums->low = _mm256_add_epi32(sums->low, _mm256_madd_epi16(samples, low));
}

/** 0..256 */
static inline __m256i sums_end(const struct sums *sums)
{
    const __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(sums->high, DIGIT_BITS), sums->low);
    return _mm256_srli_epi32(sum, WEIGHT_BITS);
}

/** Stores the six columns of two pixels; behind them two that the next pixels replace. */
static inline void store_pair(const struct sums *first, const struct sums *second, uint32_t *to)
{
    const __m256i words = _mm256_or_si256(sums_end(first), _mm256_slli_epi32(sums_end(second), 16));
    const __m256i samples = _mm256_min_epi16(words, _mm256_set1_epi16(255));
    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(samples));
    _mm_storeu_si128((__m128i *)(to + 3), _mm256_extracti128_si256(samples, 1));
}

static inline __m256i load_two(const uint8_t *first, const uint8_t *second)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)first)),
                                   _mm_loadu_si128((const __m128i *)second), 1);
}

/** What brings samples 2·half and 2·half + 1 of each channel into its 32-bit lane as words. */
static __m256i picks_of(const struct rung__triangle_axis *axis, uint32_t half)
{
    uint8_t picks[16];
    for (uint32_t i = 0; i < 16; i++)
        picks[i] = i & 1 ? 0x80 : axis->picks[i / 4 * 4 + 2 * half + i % 4 / 2];
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)picks));
}

static void filter(const struct rung__triangle_axis *axis, const uint8_t *const rows[4],
                   uint32_t first, uint32_t end, uint8_t *line)
{
    const __m256i near = picks_of(axis, 0), far = picks_of(axis, 1);
    const struct rung__triangle_step *weights = axis->weights + (size_t)first * axis->steps * BLOCK;
    uint32_t *to = (uint32_t *)line + (size_t)first * BLOCK * 3;
    for (uint32_t block = first; block < end; block++, to += (size_t)BLOCK * 3) {
        size_t left = axis->offsets[block * BLOCK], right = axis->offsets[block * BLOCK + 1];
        struct sums sums[ROWS] = {sums_start(), sums_start(), sums_start(), sums_start()};
        for (uint32_t step = 0; step < axis->steps; step++, weights += BLOCK) {
            const __m256i packed = _mm256_loadu_si256((const __m256i *)weights);
            const __m256i high0 = _mm256_shuffle_epi32(packed, 0x00);
            const __m256i low0 = _mm256_shuffle_epi32(packed, 0x55);
            const __m256i high1 = _mm256_shuffle_epi32(packed, 0xaa);
            const __m256i low1 = _mm256_shuffle_epi32(packed, 0xff);
            for (int i = 0; i < ROWS; i++) {
                const __m256i samples = load_two(rows[i] + left, rows[i] + right);
                sums_add(&sums[i], _mm256_shuffle_epi8(samples, near), high0, low0);
                sums_add(&sums[i], _mm256_shuffle_epi8(samples, far), high1, low1);
            }
            left += axis->step_bytes;
            right += axis->step_bytes;
        }
        store_pair(&sums[0], &sums[1], to);
        store_pair(&sums[2], &sums[3], to + axis->pitch);
    }
}

static inline __m256i blend_columns(const struct rung__triangle_window *window, size_t at)
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
    BLOCK, 2 * sizeof(uint32_t), pack, filter, blend, rung__store_bytes_avx2,
};

static uint64_t tables_bytes(const struct rung__canvas *canvas,
                             const struct rung__placement *placement)
{
    return rung__triangle_tables_bytes(&parts, canvas, placement);
}

static void make_tables(const struct rung__preprocess_frame *frame)
{
    rung__triangle_make_tables(&parts, frame);
}

static uint64_t scratch_bytes(const struct rung__canvas *canvas,
                              const struct rung__placement *placement)
{
    return rung__triangle_scratch_bytes(&parts, canvas, placement);
}

static void rows(const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                 void *scratch)
{
    rung__triangle_rows(&parts, frame, first, end, scratch);
}

void rung__triangle_init_avx2(struct rung__preprocess_kernels *kernels)
{
    kernels->resamplers[RUNG_RESAMPLER_TRIANGLE] =
        (struct rung__resampler){tables_bytes, make_tables, scratch_bytes, rows};
}
