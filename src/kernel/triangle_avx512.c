/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "artifact/format.h"
#include "kernel/store_bytes.h"
#include "kernel/triangle.h"

/*
 * Weights are a·2^16 + b·2^8 + c, so that each part fits the signed 8-bit factors of a product-sum
 * of four. A line has the four samples of a column as the bytes of a 32-bit lane.
 */

#define BLOCK       4 /* pixels, one in each quarter of a vector */
#define ROWS        4
#define COLUMNS     64 /* of a blend at once */
#define WEIGHT_BITS 22

static uint32_t bytes_of(const int32_t digits[4])
{
    return (uint32_t)(uint8_t)digits[0] | (uint32_t)(uint8_t)digits[1] << 8 |
           (uint32_t)(uint8_t)digits[2] << 16 | (uint32_t)(uint8_t)digits[3] << 24;
}

/** Words: a of the four taps, b of them, c of them. */
static void pack(const uint32_t weights[4], struct rung__triangle_step *to)
{
    int32_t a[4], b[4], c[4];
    for (int i = 0; i < 4; i++) {
        const int32_t rest = (int32_t)(weights[i] + 128) >> 8;
        c[i] = (int32_t)weights[i] - rest * 256;
        a[i] = (rest + 128) >> 8;
        b[i] = rest - a[i] * 256;
    }
    *to = (struct rung__triangle_step){{bytes_of(a), bytes_of(b), bytes_of(c), 0}};
}

/** Sums of the parts of the weights. */
struct sums {
    __m512i a, b, c;
};

static inline struct sums sums_start(void)
{
    return (struct sums){_mm512_setzero_si512(), _mm512_setzero_si512(),
                         _mm512_set1_epi32(1 << (WEIGHT_BITS - 1))};
}

static inline void sums_add(struct sums *sums, __m512i samples, __m512i a, __m512i b, __m512i c)
{
    sums->a = _mm512_dpbusd_epi32(sums->a, samples, a);
    sums->b = _mm512_dpbusd_epi32(sums->b, samples, b);
    sums->c = _mm512_dpbusd_epi32(sums->c, samples, c);
}

/** 0..256 */
static inline __m512i sums_end(const struct sums *sums)
{
    const __m512i upper = _mm512_add_epi32(_mm512_slli_epi32(sums->a, 8), sums->b);
    const __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(upper, 8), sums->c);
    return _mm512_srli_epi32(sum, WEIGHT_BITS);
}

/** In each quarter four bytes of every one, in turn. */
static inline __m512i sums_pack(const struct sums sums[4])
{
    return _mm512_packus_epi16(_mm512_packus_epi32(sums_end(&sums[0]), sums_end(&sums[1])),
                               _mm512_packus_epi32(sums_end(&sums[2]), sums_end(&sums[3])));
}

static inline __m512i load_four(const uint8_t *row, const uint32_t offsets[BLOCK])
{
    const __m128i *parts[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        parts[i] = (const __m128i *)(row + offsets[i]);
    const __m512i first = _mm512_castsi128_si512(_mm_loadu_si128(parts[0]));
    const __m512i two = _mm512_inserti32x4(first, _mm_loadu_si128(parts[1]), 1);
    const __m512i three = _mm512_inserti32x4(two, _mm_loadu_si128(parts[2]), 2);
    return _mm512_inserti32x4(three, _mm_loadu_si128(parts[3]), 3);
}

/** From four bytes of every row in each quarter, the fourth unused, to twelve columns. */
static __m512i columns_of_rows(void)
{
    uint8_t from[64] = {0};
    for (int column = 0; column < 3 * BLOCK; column++)
        for (int i = 0; i < ROWS; i++)
            from[ROWS * column + i] = (uint8_t)(column / 3 * 16 + 4 * i + column % 3);
    return _mm512_loadu_si512(from);
}

static void filter(const struct rung__triangle_axis *axis, const uint8_t *const rows[4],
                   uint32_t first, uint32_t end, uint8_t *line)
{
    const __m512i picks = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)axis->picks));
    const __m512i columns = columns_of_rows();
    const struct rung__triangle_step *weights = axis->weights + (size_t)first * axis->steps * BLOCK;
    for (uint32_t block = first; block < end; block++) {
        const uint32_t *offsets = axis->offsets + (size_t)block * BLOCK;
        struct sums sums[ROWS] = {sums_start(), sums_start(), sums_start(), sums_start()};
        size_t at = 0;
        for (uint32_t step = 0; step < axis->steps; step++, weights += BLOCK) {
            const __m512i packed = _mm512_loadu_si512(weights);
            const __m512i a = _mm512_shuffle_epi32(packed, 0x00);
            const __m512i b = _mm512_shuffle_epi32(packed, 0x55);
            const __m512i c = _mm512_shuffle_epi32(packed, 0xaa);
            for (int i = 0; i < ROWS; i++) {
                const __m512i samples = load_four(rows[i] + at, offsets);
                sums_add(&sums[i], _mm512_shuffle_epi8(samples, picks), a, b, c);
            }
            at += axis->step_bytes;
        }
        _mm512_storeu_si512(line + (size_t)block * BLOCK * 3 * ROWS,
                            _mm512_permutexvar_epi8(columns, sums_pack(sums)));
    }
}

static inline __m512i blend_columns(const struct rung__triangle_window *window, size_t at)
{
    struct sums sums[4] = {sums_start(), sums_start(), sums_start(), sums_start()};
    for (uint32_t step = 0; step < window->steps; step++) {
        const __m512i *samples = (const __m512i *)(window->lines[step] + at * ROWS);
        const uint32_t *weights = window->weights[step].words;
        const __m512i a = _mm512_set1_epi32((int32_t)weights[0]);
        const __m512i b = _mm512_set1_epi32((int32_t)weights[1]);
        const __m512i c = _mm512_set1_epi32((int32_t)weights[2]);
        for (int i = 0; i < 4; i++)
            sums_add(&sums[i], _mm512_loadu_si512(samples + i), a, b, c);
    }
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, sums_pack(sums));
}

static void blend(const struct rung__triangle_window *window, uint32_t count, uint8_t *to)
{
    for (uint32_t at = 0; at < count; at += COLUMNS) {
        const uint32_t left = count - at;
        const __mmask64 mask = left < COLUMNS ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
        _mm512_mask_storeu_epi8(to + at, mask, blend_columns(window, at));
    }
}

static const struct rung__triangle_parts parts = {
    BLOCK, ROWS, pack, filter, blend, rung__store_bytes_avx512,
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

void rung__triangle_init_avx512(struct rung__preprocess_kernels *kernels)
{
    kernels->resamplers[RUNG_RESAMPLER_TRIANGLE] =
        (struct rung__resampler){tables_bytes, make_tables, scratch_bytes, rows};
}
