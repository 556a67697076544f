/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "kernel/scan.h"

#define LANES 8u
#define ALL   0xffu

/** Appends the scores of the lanes of `in`. */
static uint32_t append(struct rung__scan_marks *marks, uint32_t marked, const float *scores,
                       uint32_t first, uint32_t in)
{
    for (; in; in &= in - 1, marked++) {
        const uint32_t at = first + (uint32_t)__builtin_ctz(in);
        marks->positions[marked] = at;
        marks->scores[marked] = scores[at];
    }
    return marked;
}

static void mark(const float *scores, uint32_t count, struct rung__scan_range range,
                 struct rung__scan_marks *marks)
{
    const __m256 least = _mm256_set1_ps(range.least), below = _mm256_set1_ps(range.below);
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    uint32_t marked = 0, i = 0;
    for (; i + LANES <= count; i += LANES) {
        const __m256 values = _mm256_loadu_ps(scores + i);
        const __m256 enough = _mm256_cmp_ps(values, least, _CMP_GE_OQ);
        const __m256 in = _mm256_and_ps(enough, _mm256_cmp_ps(values, below, _CMP_LT_OQ));
        const uint32_t mask = (uint32_t)_mm256_movemask_ps(in);
        if (mask != ALL) {
            marked = append(marks, marked, scores, i, mask);
            continue;
        }
        _mm256_storeu_ps(marks->scores + marked, values);
        _mm256_storeu_si256((__m256i *)(marks->positions + marked),
                            _mm256_add_epi32(lane, _mm256_set1_epi32((int)i)));
        marked += LANES;
    }
    for (; i < count; i++)
        marked =
            append(marks, marked, scores, i, scores[i] >= range.least && scores[i] < range.below);
    marks->count = marked;
}

/* ---- confidences --------------------------------------------------------------------------- */

#define NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

static __m256 step_of(__m256 p, __m256 r, float coefficient)
{
    return _mm256_add_ps(_mm256_mul_ps(p, r), _mm256_set1_ps(coefficient));
}

/** rung__exp of numbers up to 0. */
static __m256 exp_of(__m256 x)
{
    x = _mm256_max_ps(x, _mm256_set1_ps(-87.0f));
    const __m256 n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504f)), NEAREST);
    __m256 r = _mm256_sub_ps(x, _mm256_mul_ps(n, _mm256_set1_ps(0.693359375f)));
    r = _mm256_sub_ps(r, _mm256_mul_ps(n, _mm256_set1_ps(-2.12194440e-4f)));
    __m256 p = step_of(_mm256_set1_ps(1.9875691500e-4f), r, 1.3981999507e-3f);
    p = step_of(p, r, 8.3334519073e-3f);
    p = step_of(p, r, 4.1665795894e-2f);
    p = step_of(p, r, 1.6666665459e-1f);
    p = step_of(p, r, 5.0000001201e-1f);
    __m256 y = _mm256_add_ps(_mm256_mul_ps(p, _mm256_mul_ps(r, r)), r);
    y = _mm256_add_ps(y, _mm256_set1_ps(1.0f));
    const __m256i exponent = _mm256_slli_epi32(_mm256_cvttps_epi32(n), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(y), exponent));
}

/**
 * (65535·part + divisor/2) / divisor, whole. The sum is below 2^41 and a quotient that is not whole
 * misses the next whole number by 2^-25 or more, so that a double cannot round up to it.
 */
static __m128i quotient(__m128i part, __m128i divisor)
{
    const __m256d half = _mm256_cvtepi32_pd(_mm_srli_epi32(divisor, 1));
    const __m256d scaled = _mm256_mul_pd(_mm256_cvtepi32_pd(part), _mm256_set1_pd(65535.0));
    return _mm256_cvttpd_epi32(
        _mm256_div_pd(_mm256_add_pd(scaled, half), _mm256_cvtepi32_pd(divisor)));
}

static __m256i sigmoids(__m256 x)
{
    const __m256i one = _mm256_set1_epi32(1 << 24);
    const __m256 e = exp_of(_mm256_or_ps(x, _mm256_set1_ps(-0.0f)));
    const __m256i small = _mm256_cvttps_epi32(
        _mm256_round_ps(_mm256_mul_ps(e, _mm256_set1_ps(16777216.0f)), NEAREST));
    const __m256i divisor = _mm256_add_epi32(one, small);
    const __m256 is_large = _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_GE_OQ);
    const __m256i part = _mm256_blendv_epi8(small, one, _mm256_castps_si256(is_large));
    const __m128i low = quotient(_mm256_castsi256_si128(part), _mm256_castsi256_si128(divisor));
    const __m128i high =
        quotient(_mm256_extracti128_si256(part, 1), _mm256_extracti128_si256(divisor, 1));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

static __m256i shares(__m256 x)
{
    x = _mm256_min_ps(_mm256_max_ps(x, _mm256_setzero_ps()), _mm256_set1_ps(1.0f));
    return _mm256_cvttps_epi32(
        _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(65535.0f)), NEAREST));
}

static void rate(bool is_logit, struct rung__scan_marks *marks)
{
    /* What lies behind the last one is rated too, whatever it is: there is room. */
    for (uint32_t i = 0; i < marks->count; i += LANES) {
        const __m256 x = _mm256_loadu_ps(marks->scores + i);
        const __m256i confidences = is_logit ? sigmoids(x) : shares(x);
        const __m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(confidences),
                                                _mm256_extracti128_si256(confidences, 1));
        _mm_storeu_si128((__m128i *)(marks->confidences + i), packed);
    }
}

/* ---- best scores --------------------------------------------------------------------------- */

static __m256i magnitude_of(__m256 values)
{
    return _mm256_and_si256(_mm256_castps_si256(values), _mm256_set1_epi32(0x7fffffff));
}

/** All ones where the greatest magnitude, in bits, is that of a number that is not usable. */
static __m256i is_bad(__m256i magnitude)
{
    return _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x4f7fffff));
}

/** Of a few vectors of rows side by side. */
static inline __attribute__((always_inline)) void
best_of_columns(const struct rung__scan_rows *rows, const float *values, uint32_t vectors,
                float *scores)
{
    const __m256 none = _mm256_set1_ps(-__builtin_inff());
    __m256 best[4];
    __m256i magnitude[4];
    for (uint32_t v = 0; v < vectors; v++) {
        best[v] = none;
        magnitude[v] = _mm256_setzero_si256();
    }
    for (uint32_t p = 0; p < rows->others; p++, values += rows->step)
        for (uint32_t v = 0; v < vectors; v++) {
            const __m256 plane = _mm256_loadu_ps(values + (size_t)v * LANES);
            magnitude[v] = _mm256_max_epi32(magnitude[v], magnitude_of(plane));
        }
    for (uint32_t p = 0; p < rows->classes; p++, values += rows->step)
        for (uint32_t v = 0; v < vectors; v++) {
            const __m256 plane = _mm256_loadu_ps(values + (size_t)v * LANES);
            magnitude[v] = _mm256_max_epi32(magnitude[v], magnitude_of(plane));
            best[v] = _mm256_max_ps(best[v], plane);
        }
    for (uint32_t v = 0; v < vectors; v++) {
        const __m256 bad = _mm256_castsi256_ps(is_bad(magnitude[v]));
        _mm256_storeu_ps(scores + (size_t)v * LANES, _mm256_blendv_ps(best[v], none, bad));
    }
}

static void best_of_planes(const struct rung__scan_rows *rows, uint32_t first, uint32_t count,
                           float *scores)
{
    const float *values = rows->values + first;
    uint32_t i = 0;
    for (; i + 4 * LANES <= count; i += 4 * LANES)
        best_of_columns(rows, values + i, 4, scores + i);
    for (; i + LANES <= count; i += LANES)
        best_of_columns(rows, values + i, 1, scores + i);
    rung__scan_best_of_planes_c(rows, first + i, count - i, scores + i);
}

static float greatest(__m256 values)
{
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps(values, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_shuffle_ps(four, four, 1)));
}

static void best_of_table(const struct rung__scan_rows *rows, uint32_t first, uint32_t count,
                          float *scores)
{
    const uint32_t columns = rows->others + rows->classes;
    /* The last vector of a row ends with it, and must not reach back to the others. */
    if (columns < rows->others + LANES || rows->others > LANES) {
        rung__scan_best_of_table_c(rows, first, count, scores);
        return;
    }
    const __m256 none = _mm256_set1_ps(-__builtin_inff());
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256 is_other =
        _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32((int)rows->others), lane));
    const float *row = rows->values + first * rows->step;
    for (uint32_t i = 0; i < count; i++, row += rows->step) {
        __m256 values = _mm256_loadu_ps(row);
        __m256 best = _mm256_blendv_ps(values, none, is_other);
        __m256i magnitude = magnitude_of(values);
        for (uint32_t c = LANES; c < columns; c += LANES) {
            values = _mm256_loadu_ps(row + (c + LANES <= columns ? c : columns - LANES));
            magnitude = _mm256_max_epi32(magnitude, magnitude_of(values));
            best = _mm256_max_ps(best, values);
        }
        scores[i] = _mm256_movemask_epi8(is_bad(magnitude)) ? -__builtin_inff() : greatest(best);
    }
}

static uint32_t count_in(const float *scores, uint32_t count, struct rung__scan_range range)
{
    const __m256 least = _mm256_set1_ps(range.least), below = _mm256_set1_ps(range.below);
    __m256i sums = _mm256_setzero_si256(); /* of lanes, −1 for each that is in */
    uint32_t lanes[LANES], in = 0, i = 0;
    for (; i + LANES <= count; i += LANES) {
        const __m256 values = _mm256_loadu_ps(scores + i);
        const __m256 enough = _mm256_cmp_ps(values, least, _CMP_GE_OQ);
        const __m256 both = _mm256_and_ps(enough, _mm256_cmp_ps(values, below, _CMP_LT_OQ));
        sums = _mm256_add_epi32(sums, _mm256_castps_si256(both));
    }
    for (; i < count; i++)
        in += scores[i] >= range.least && scores[i] < range.below;
    _mm256_storeu_si256((__m256i *)lanes, sums);
    for (i = 0; i < LANES; i++)
        in -= lanes[i];
    return in;
}

static void fold(const float *scores, uint32_t count, uint32_t width, float *greatest)
{
    uint32_t i = 0;
    for (; i < width; i += LANES)
        _mm256_storeu_ps(greatest + i, _mm256_set1_ps(-__builtin_inff()));
    for (i = 0; i + LANES <= count; i += LANES) {
        float *to = greatest + (i & (width - 1));
        /* NaN gives the second operand. */
        _mm256_storeu_ps(to, _mm256_max_ps(_mm256_loadu_ps(scores + i), _mm256_loadu_ps(to)));
    }
    for (; i < count; i++) {
        float *to = greatest + (i & (width - 1));
        *to = scores[i] > *to ? scores[i] : *to;
    }
}

void rung__scan_init_avx2(struct rung__scan_kernels *kernels)
{
    kernels->mark = mark;
    kernels->rate = rate;
    kernels->best_of_planes = best_of_planes;
    kernels->best_of_table = best_of_table;
    kernels->count_in = count_in;
    kernels->fold = fold;
}
