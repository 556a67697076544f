/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/store_bytes.h"

#include <immintrin.h>
#include <string.h>

/* As the AVX2 stores, but 16 elements are the lanes of one vector, and the last ones go by a mask.
 */

#define ELEMENTS ((size_t)16)
#define ALL      0xffffu
#define INLINE   static inline __attribute__((always_inline))

/** What 16 elements are multiplied by and what is added. */
struct factors {
    __m512 scale, bias;
};

/** Writes those of 16 elements that the mask has. */
typedef void put_elements(__m512i elements, const struct factors *factors, __mmask16 mask,
                          uint8_t *to);

/** Two roundings. */
INLINE __m512 scaled(__m512i elements, const struct factors *factors)
{
    const __m512 products = _mm512_mul_ps(_mm512_cvtepi32_ps(elements), factors->scale);
    return _mm512_add_ps(products, factors->bias);
}

INLINE void put_f32(__m512i elements, const struct factors *factors, __mmask16 mask, uint8_t *to)
{
    _mm512_mask_storeu_ps(to, mask, scaled(elements, factors));
}

INLINE void put_f16(__m512i elements, const struct factors *factors, __mmask16 mask, uint8_t *to)
{
    const __m256i halves = _mm512_cvtps_ph(scaled(elements, factors), _MM_FROUND_TO_NEAREST_INT);
    _mm256_mask_storeu_epi16(to, mask, halves);
}

/** Values are below 2^29, so the conversion, half to even, is of all of them. */
INLINE void put_i8(__m512i elements, const struct factors *factors, __mmask16 mask, uint8_t *to)
{
    const __m512i whole = _mm512_cvtps_epi32(scaled(elements, factors));
    _mm_mask_storeu_epi8(to, mask, _mm512_cvtsepi32_epi8(whole));
}

INLINE void put_u8(__m512i elements, const struct factors *factors, __mmask16 mask, uint8_t *to)
{
    (void)factors;
    _mm_mask_storeu_epi8(to, mask, _mm512_cvtepi32_epi8(elements));
}

INLINE __mmask16 first_elements(size_t count)
{
    return (__mmask16)(count < ELEMENTS ? (1u << count) - 1 : ALL);
}

/* ---- planar ---------------------------------------------------------------------------------- */

/** Three planes of a tensor and how their elements come from 16 pixels. */
struct planes {
    struct factors factors[3];
    __m512i picks[3]; /**< the channel's byte of each pixel for its lane */
    size_t bytes;     /**< of a plane */
};

#define LOW_BYTES UINT64_C(0x1111111111111111) /* of all lanes */

static struct planes planes_of(const struct rung__canvas *canvas, size_t size)
{
    struct planes planes = {.bytes = size * canvas->width * canvas->height};
    const __m512i pixels =
        _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                           _mm512_set1_epi32(3));
    for (int c = 0; c < 3; c++) {
        planes.factors[c] =
            (struct factors){_mm512_set1_ps(canvas->scale[c]), _mm512_set1_ps(canvas->bias[c])};
        planes.picks[c] = _mm512_add_epi32(pixels, _mm512_set1_epi32(c));
    }
    return planes;
}

INLINE void put_pixels(put_elements *put, const struct planes *planes, const uint8_t *from,
                       __mmask16 mask, uint8_t *to)
{
    const __m512i pixels = _mm512_loadu_si512(from);
    for (size_t c = 0; c < 3; c++, to += planes->bytes)
        put(_mm512_maskz_permutexvar_epi8(LOW_BYTES, planes->picks[c], pixels), &planes->factors[c],
            mask, to);
}

INLINE void store_planar(put_elements *put, const struct rung__canvas *canvas, const uint8_t *row,
                         size_t size, uint8_t *to)
{
    const struct planes planes = planes_of(canvas, size);
    const size_t width = canvas->width;
    size_t x = 0;
    for (; x + ELEMENTS <= width; x += ELEMENTS)
        put_pixels(put, &planes, row + 3 * x, ALL, to + size * x);
    if (x < width)
        put_pixels(put, &planes, row + 3 * x, first_elements(width - x), to + size * x);
}

/* ---- interleaved ----------------------------------------------------------------------------- */

/** Factors of elements whose first is of a channel. */
static struct factors factors_from(const struct rung__canvas *canvas, size_t channel)
{
    float scale[ELEMENTS], bias[ELEMENTS];
    for (size_t i = 0; i < ELEMENTS; i++) {
        scale[i] = canvas->scale[(channel + i) % 3];
        bias[i] = canvas->bias[(channel + i) % 3];
    }
    return (struct factors){_mm512_loadu_ps(scale), _mm512_loadu_ps(bias)};
}

INLINE __m512i load_elements(const uint8_t *from)
{
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)from));
}

INLINE void store_interleaved(put_elements *put, const struct rung__canvas *canvas,
                              const uint8_t *row, size_t size, uint8_t *to)
{
    const size_t count = (size_t)canvas->width * 3;
    /* 16 elements begin at channel 0, then 1, then 2. */
    const struct factors factors[3] = {factors_from(canvas, 0), factors_from(canvas, 1),
                                       factors_from(canvas, 2)};
    size_t at = 0;
    for (; at + 3 * ELEMENTS <= count; at += 3 * ELEMENTS)
        for (size_t i = 0; i < 3; i++)
            put(load_elements(row + at + ELEMENTS * i), &factors[i], ALL,
                to + size * (at + ELEMENTS * i));
    for (size_t i = 0; at < count; i++, at += ELEMENTS)
        put(load_elements(row + at), &factors[i], first_elements(count - at), to + size * at);
}

/** Sixteen pixels at once, with an alpha of 255. */
static void store_bgra(const struct rung__canvas *canvas, const uint8_t *row, uint8_t *to)
{
    const __m512i spread = _mm512_add_epi32(
        _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                           _mm512_set1_epi32(0x030303)),
        _mm512_set1_epi32(0x020100));
    const __m512i alpha = _mm512_set1_epi32((int32_t)0xff000000);
    const __mmask64 colours = UINT64_C(0x7777777777777777);
    for (size_t x = 0; x < canvas->width; x += ELEMENTS) {
        const __m512i pixels = _mm512_loadu_si512(row + 3 * x);
        _mm512_mask_storeu_epi32(to + 4 * x, first_elements(canvas->width - x),
                                 _mm512_mask_permutexvar_epi8(alpha, colours, spread, pixels));
    }
}

#define STORE_BYTES rung__store_bytes_avx512
#include "kernel/store_bytes_rows.h"
