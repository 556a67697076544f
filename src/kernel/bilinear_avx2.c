/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "kernel/bilinear.h"
#include "kernel/bilinear_fetch.h"
#include "kernel/blend_avx2.h"

/*
 * Blocks of 16 pixels: four registers with two pairs in each half of 128 bits, which a shuffle and
 * a transposition turn into one register of pairs a channel.
 */

#define BLOCK 16u

/** 16-bit lanes of pairs p0 + p1·256: p0·(256 − w) + p1·w − 32768 = p0·256 + (p1 − p0)·w − 32768.
 */
static inline __m256i weigh(__m256i pairs, __m256i weights)
{
    const __m256i difference = _mm256_maddubs_epi16(pairs, _mm256_set1_epi16(0x01ff));
    const __m256i product = _mm256_mullo_epi16(difference, weights);
    const __m256i start = _mm256_xor_si256(_mm256_slli_epi16(pairs, 8), _mm256_set1_epi16(-32768));
    return _mm256_add_epi16(start, product);
}

static inline __m128i load_two(const uint8_t *row, const int32_t *offsets)
{
    const __m128i first = _mm_loadl_epi64((const __m128i *)(row + offsets[0]));
    const double *second = (const double *)(row + offsets[1]);
    return _mm_castpd_si128(_mm_loadh_pd(_mm_castsi128_pd(first), second));
}

/** Lanes 0, 1, 8 and 9. */
static inline __m256i load_four(const uint8_t *row, const int32_t *offsets)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load_two(row, offsets)),
                                   load_two(row, offsets + 8), 1);
}

static inline void store_line(int16_t *line, __m256i pairs, __m256i weights)
{
    _mm256_storeu_si256((__m256i *)line, weigh(pairs, weights));
}

/** Each shuffle is of what load_four reads. */
static inline void filter_block(const uint8_t *row, const int32_t *offsets, const uint16_t *weights,
                                const __m256i shuffles[4], int16_t *line, size_t pitch)
{
    const __m256i w = _mm256_loadu_si256((const __m256i *)weights);
    const __m256i p = _mm256_shuffle_epi8(load_four(row, offsets), shuffles[0]);
    const __m256i q = _mm256_shuffle_epi8(load_four(row, offsets + 2), shuffles[1]);
    const __m256i r = _mm256_shuffle_epi8(load_four(row, offsets + 4), shuffles[2]);
    const __m256i s = _mm256_shuffle_epi8(load_four(row, offsets + 6), shuffles[3]);
    const __m256i pq_01 = _mm256_unpacklo_epi32(p, q), rs_01 = _mm256_unpacklo_epi32(r, s);
    const __m256i pq_2 = _mm256_unpackhi_epi32(p, q), rs_2 = _mm256_unpackhi_epi32(r, s);
    store_line(line, _mm256_unpacklo_epi64(pq_01, rs_01), w);
    store_line(line + pitch, _mm256_unpackhi_epi64(pq_01, rs_01), w);
    store_line(line + 2 * pitch, _mm256_unpacklo_epi64(pq_2, rs_2), w);
}

static void filter(const struct rung__bilinear_columns *columns, const uint8_t *row,
                   const uint8_t *ahead, int16_t *lines, size_t pitch)
{
    const __m256i plain =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)columns->plain_shuffle));
    const __m256i plains[4] = {plain, plain, plain, plain};
    struct rung__bilinear_ahead fetched = rung__bilinear_ahead(columns, ahead);
    uint32_t x = 0;
    for (; x < columns->plain_blocks * BLOCK; x += BLOCK) {
        rung__bilinear_fetch(&fetched, x, BLOCK);
        filter_block(row, columns->offsets + x, columns->weights + x, plains, lines + x, pitch);
    }
    for (; x < columns->blocks * BLOCK; x += BLOCK) {
        const uint8_t *shuffle = columns->shuffles + (size_t)x * RUNG__BILINEAR_READ;
        __m256i shuffles[4];
        for (uint32_t i = 0; i < 4; i++, shuffle += 16)
            shuffles[i] =
                _mm256_loadu2_m128i((const __m128i *)(shuffle + 64), (const __m128i *)shuffle);
        rung__bilinear_fetch(&fetched, x, BLOCK);
        filter_block(row, columns->offsets + x, columns->weights + x, shuffles, lines + x, pitch);
    }
}

static void filter_gray(const struct rung__bilinear_columns *columns, const uint8_t *row,
                        const uint8_t *ahead, int16_t *line)
{
    struct rung__bilinear_ahead fetched = rung__bilinear_ahead(columns, ahead);
    for (uint32_t x = 0; x < columns->blocks * BLOCK; x += BLOCK) {
        uint16_t pairs[BLOCK];
        for (uint32_t lane = 0; lane < BLOCK; lane++)
            memcpy(&pairs[lane], row + columns->offsets[x + lane], sizeof *pairs);
        rung__bilinear_fetch(&fetched, x, BLOCK);
        store_line(line + x, _mm256_loadu_si256((const __m256i *)pairs),
                   _mm256_loadu_si256((const __m256i *)(columns->weights + x)));
    }
}

static const struct rung__bilinear_kernels kernels = {
    .block = BLOCK,
    .order = {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15},
    .filter = filter,
    .filter_gray = filter_gray,
    .blends = {[RUNG_LAYOUT_PLANAR] = {[RUNG_DTYPE_F32] = rung__blend_planar_f32_avx2,
                                       [RUNG_DTYPE_F16] = rung__blend_planar_f16_avx2,
                                       [RUNG_DTYPE_I8] = rung__blend_planar_i8_avx2,
                                       [RUNG_DTYPE_U8] = rung__blend_planar_u8_avx2},
               [RUNG_LAYOUT_INTERLEAVED] = {[RUNG_DTYPE_F32] = rung__blend_interleaved_f32_avx2,
                                            [RUNG_DTYPE_F16] = rung__blend_interleaved_f16_avx2,
                                            [RUNG_DTYPE_I8] = rung__blend_interleaved_i8_avx2,
                                            [RUNG_DTYPE_U8] = rung__blend_interleaved_u8_avx2},
               [RUNG_LAYOUT_BGRA] = {[RUNG_DTYPE_U8] = rung__blend_bgra_avx2}},
};

static void make_tables(const struct rung__preprocess_frame *frame)
{
    rung__bilinear_tables(&kernels, frame);
}

static void rows(const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                 void *scratch)
{
    rung__bilinear_rows(&kernels, frame, first, end, scratch);
}

const struct rung__resampler rung__bilinear_avx2 = {rung__bilinear_tables_bytes, make_tables,
                                                    rung__bilinear_scratch_bytes, rows};
