/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "kernel/scan.h"

#define LANES 16u

/** The first `count` lanes, all of them from LANES on. */
static __mmask16 lanes(uint32_t count)
{
    return (__mmask16)(count < LANES ? (1u << count) - 1 : 0xffff);
}

static void mark(const float *scores, uint32_t count, struct rung__scan_range range,
                 struct rung__scan_marks *marks)
{
    const __m512 least = _mm512_set1_ps(range.least), below = _mm512_set1_ps(range.below);
    __m512i positions = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t marked = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        const __mmask16 valid = lanes(count - i);
        const __m512 values = _mm512_maskz_loadu_ps(valid, scores + i);
        const __mmask16 enough = _mm512_mask_cmp_ps_mask(valid, values, least, _CMP_GE_OQ);
        const __mmask16 in = _mm512_mask_cmp_ps_mask(enough, values, below, _CMP_LT_OQ);
        if (in) {
            /* Compressing to memory is slow on some processors. */
            _mm512_storeu_si512(marks->positions + marked,
                                _mm512_maskz_compress_epi32(in, positions));
            _mm512_storeu_ps(marks->scores + marked, _mm512_maskz_compress_ps(in, values));
            marked += (uint32_t)__builtin_popcount(in);
        }
        positions = _mm512_add_epi32(positions, _mm512_set1_epi32(LANES));
    }
    marks->count = marked;
}

/* ---- confidences --------------------------------------------------------------------------- */

#define NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

static __m512 step_of(__m512 p, __m512 r, float coefficient)
{
    return _mm512_add_ps(_mm512_mul_ps(p, r), _mm512_set1_ps(coefficient));
}

/** rung__exp of numbers up to 0. */
static __m512 exp_of(__m512 x)
{
    x = _mm512_max_ps(x, _mm512_set1_ps(-87.0f));
    const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), NEAREST);
    __m512 r = _mm512_sub_ps(x, _mm512_mul_ps(n, _mm512_set1_ps(0.693359375f)));
    r = _mm512_sub_ps(r, _mm512_mul_ps(n, _mm512_set1_ps(-2.12194440e-4f)));
    __m512 p = step_of(_mm512_set1_ps(1.9875691500e-4f), r, 1.3981999507e-3f);
    p = step_of(p, r, 8.3334519073e-3f);
    p = step_of(p, r, 4.1665795894e-2f);
    p = step_of(p, r, 1.6666665459e-1f);
    p = step_of(p, r, 5.0000001201e-1f);
    __m512 y = _mm512_add_ps(_mm512_mul_ps(p, _mm512_mul_ps(r, r)), r);
    y = _mm512_add_ps(y, _mm512_set1_ps(1.0f));
    const __m512i exponent = _mm512_slli_epi32(_mm512_cvttps_epi32(n), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(y), exponent));
}

/**
 * (65535·part + divisor/2) / divisor, whole. The sum is below 2^41 and a quotient that is not whole
 * misses the next whole number by 2^-25 or more, so that a double cannot round up to it.
 */
static __m256i quotient(__m256i part, __m256i divisor)
{
    const __m512d half = _mm512_cvtepi32_pd(_mm256_srli_epi32(divisor, 1));
    const __m512d scaled = _mm512_mul_pd(_mm512_cvtepi32_pd(part), _mm512_set1_pd(65535.0));
    return _mm512_cvttpd_epi32(
        _mm512_div_pd(_mm512_add_pd(scaled, half), _mm512_cvtepi32_pd(divisor)));
}

static __m512i sigmoids(__m512 x)
{
    const __m512i one = _mm512_set1_epi32(1 << 24);
    const __m512 e = exp_of(_mm512_or_ps(x, _mm512_set1_ps(-0.0f)));
    const __m512i small = _mm512_cvttps_epi32(
        _mm512_roundscale_ps(_mm512_mul_ps(e, _mm512_set1_ps(16777216.0f)), NEAREST));
    const __m512i divisor = _mm512_add_epi32(one, small);
    const __m512i part =
        _mm512_mask_mov_epi32(small, _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GE_OQ), one);
    const __m256i low = quotient(_mm512_castsi512_si256(part), _mm512_castsi512_si256(divisor));
    const __m256i high =
        quotient(_mm512_extracti64x4_epi64(part, 1), _mm512_extracti64x4_epi64(divisor, 1));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

static __m512i shares(__m512 x)
{
    x = _mm512_min_ps(_mm512_max_ps(x, _mm512_setzero_ps()), _mm512_set1_ps(1.0f));
    return _mm512_cvttps_epi32(
        _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(65535.0f)), NEAREST));
}

static void rate(bool is_logit, struct rung__scan_marks *marks)
{
    for (uint32_t i = 0; i < marks->count; i += LANES) {
        const __m512 x = _mm512_maskz_loadu_ps(lanes(marks->count - i), marks->scores + i);
        const __m512i confidences = is_logit ? sigmoids(x) : shares(x);
        _mm256_storeu_si256((__m256i *)(marks->confidences + i),
                            _mm512_cvtepi32_epi16(confidences));
    }
}

/* ---- best scores --------------------------------------------------------------------------- */

/** −inf where the greatest magnitude, in bits, is that of a number that is not usable. */
static __m512 checked(__m512 best, __m512i magnitude)
{
    const __mmask16 bad =
        _mm512_cmp_epi32_mask(magnitude, _mm512_set1_epi32(0x4f800000), _MM_CMPINT_NLT);
    return _mm512_mask_mov_ps(best, bad, _mm512_set1_ps(-__builtin_inff()));
}

static __m512i magnitude_of(__m512 values)
{
    return _mm512_and_si512(_mm512_castps_si512(values), _mm512_set1_epi32(0x7fffffff));
}

/** Of a few vectors of rows side by side; `valid` lanes of each. */
static inline __attribute__((always_inline)) void
best_of_columns(const struct rung__scan_rows *rows, const float *values, uint32_t vectors,
                __mmask16 valid, float *scores)
{
    __m512 best[4];
    __m512i magnitude[4];
    for (uint32_t v = 0; v < vectors; v++) {
        best[v] = _mm512_set1_ps(-__builtin_inff());
        magnitude[v] = _mm512_setzero_si512();
    }
    for (uint32_t p = 0; p < rows->others; p++, values += rows->step)
        for (uint32_t v = 0; v < vectors; v++) {
            const __m512 plane = _mm512_maskz_loadu_ps(valid, values + (size_t)v * LANES);
            magnitude[v] = _mm512_max_epi32(magnitude[v], magnitude_of(plane));
        }
    for (uint32_t p = 0; p < rows->classes; p++, values += rows->step)
        for (uint32_t v = 0; v < vectors; v++) {
            const __m512 plane = _mm512_maskz_loadu_ps(valid, values + (size_t)v * LANES);
            magnitude[v] = _mm512_max_epi32(magnitude[v], magnitude_of(plane));
            best[v] = _mm512_max_ps(best[v], plane);
        }
    for (uint32_t v = 0; v < vectors; v++)
        _mm512_mask_storeu_ps(scores + (size_t)v * LANES, valid, checked(best[v], magnitude[v]));
}

static void best_of_planes(const struct rung__scan_rows *rows, uint32_t first, uint32_t count,
                           float *scores)
{
    const float *values = rows->values + first;
    uint32_t i = 0;
    for (; i + 4 * LANES <= count; i += 4 * LANES)
        best_of_columns(rows, values + i, 4, (__mmask16)0xffff, scores + i);
    for (; i < count; i += LANES)
        best_of_columns(rows, values + i, 1, lanes(count - i), scores + i);
}

static void best_of_table(const struct rung__scan_rows *rows, uint32_t first, uint32_t count,
                          float *scores)
{
    const uint32_t columns = rows->others + rows->classes;
    if (columns < LANES || rows->others > LANES) {
        rung__scan_best_of_table_c(rows, first, count, scores);
        return;
    }
    const float *row = rows->values + first * rows->step;
    const __mmask16 no_others = (__mmask16)~lanes(rows->others);
    for (uint32_t i = 0; i < count; i++, row += rows->step) {
        __m512 values = _mm512_loadu_ps(row);
        __m512 best = _mm512_mask_mov_ps(_mm512_set1_ps(-__builtin_inff()), no_others, values);
        __m512i magnitude = magnitude_of(values);
        for (uint32_t c = LANES; c < columns; c += LANES) {
            const __mmask16 valid = lanes(columns - c);
            values = _mm512_maskz_loadu_ps(valid, row + c);
            magnitude = _mm512_max_epi32(magnitude, magnitude_of(values));
            best = _mm512_mask_max_ps(best, valid, best, values);
        }
        scores[i] = _mm512_reduce_max_ps(best);
        if (_mm512_cmp_epi32_mask(magnitude, _mm512_set1_epi32(0x4f800000), _MM_CMPINT_NLT))
            scores[i] = -__builtin_inff();
    }
}

static uint32_t count_in(const float *scores, uint32_t count, struct rung__scan_range range)
{
    const __m512 least = _mm512_set1_ps(range.least), below = _mm512_set1_ps(range.below);
    uint32_t in = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        const __mmask16 valid = lanes(count - i);
        const __m512 values = _mm512_maskz_loadu_ps(valid, scores + i);
        const __mmask16 enough = _mm512_mask_cmp_ps_mask(valid, values, least, _CMP_GE_OQ);
        in += (uint32_t)__builtin_popcount(
            _mm512_mask_cmp_ps_mask(enough, values, below, _CMP_LT_OQ));
    }
    return in;
}

static void fold(const float *scores, uint32_t count, uint32_t width, float *greatest)
{
    for (uint32_t i = 0; i < width; i += LANES)
        _mm512_storeu_ps(greatest + i, _mm512_set1_ps(-__builtin_inff()));
    for (uint32_t i = 0; i < count; i += LANES) {
        float *to = greatest + (i & (width - 1));
        const __mmask16 valid = lanes(count - i);
        const __m512 before = _mm512_loadu_ps(to);
        /* NaN gives the second operand. */
        const __m512 values = _mm512_mask_loadu_ps(before, valid, scores + i);
        _mm512_storeu_ps(to, _mm512_max_ps(values, before));
    }
}

void rung__scan_init_avx512(struct rung__scan_kernels *kernels)
{
    kernels->mark = mark;
    kernels->rate = rate;
    kernels->best_of_planes = best_of_planes;
    kernels->best_of_table = best_of_table;
    kernels->count_in = count_in;
    kernels->fold = fold;
}
