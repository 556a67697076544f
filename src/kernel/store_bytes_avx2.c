/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/store_bytes.h"

#include <immintrin.h>
#include <string.h>

/*
 * Rows go by 16 elements, each in the type of the tensor; the last ones through a buffer. A byte b
 * stands for V = b·2^16, and V·(scale / 2^16) is b·scale: a power of two moves from one factor to
 * the other, and neither leaves the normal numbers.
 */

#define ELEMENTS  ((size_t)16)
#define BYTES_MAX (ELEMENTS * sizeof(float))
#define INLINE    static inline __attribute__((always_inline))

/** What 16 elements are multiplied by and what is added. */
struct factors {
    __m256 scale[2], bias[2];
};

/** Writes 16 elements. */
typedef void put_elements(__m128i bytes, const struct factors *factors, uint8_t *to);

/** Two roundings. */
INLINE __m256 scaled(__m128i bytes, __m256 scale, __m256 bias)
{
    const __m256 values = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
    return _mm256_add_ps(_mm256_mul_ps(values, scale), bias);
}

INLINE __m256 scaled_front(__m128i bytes, const struct factors *factors)
{
    return scaled(bytes, factors->scale[0], factors->bias[0]);
}

INLINE __m256 scaled_back(__m128i bytes, const struct factors *factors)
{
    return scaled(_mm_unpackhi_epi64(bytes, bytes), factors->scale[1], factors->bias[1]);
}

INLINE void put_f32(__m128i bytes, const struct factors *factors, uint8_t *to)
{
    _mm256_storeu_ps((float *)to, scaled_front(bytes, factors));
    _mm256_storeu_ps((float *)to + 8, scaled_back(bytes, factors));
}

INLINE void put_f16(__m128i bytes, const struct factors *factors, uint8_t *to)
{
    const __m128i front = _mm256_cvtps_ph(scaled_front(bytes, factors), _MM_FROUND_TO_NEAREST_INT);
    const __m128i back = _mm256_cvtps_ph(scaled_back(bytes, factors), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128((__m128i *)to, front);
    _mm_storeu_si128((__m128i *)to + 1, back);
}

/** Values are below 2^29, so the conversion, half to even, is of all of them. */
INLINE void put_i8(__m128i bytes, const struct factors *factors, uint8_t *to)
{
    const __m256i words = _mm256_packs_epi32(_mm256_cvtps_epi32(scaled_front(bytes, factors)),
                                             _mm256_cvtps_epi32(scaled_back(bytes, factors)));
    const __m256i ordered = _mm256_permute4x64_epi64(words, 0xd8);
    _mm_storeu_si128((__m128i *)to, _mm_packs_epi16(_mm256_castsi256_si128(ordered),
                                                    _mm256_extracti128_si256(ordered, 1)));
}

INLINE void put_u8(__m128i bytes, const struct factors *factors, uint8_t *to)
{
    (void)factors;
    _mm_storeu_si128((__m128i *)to, bytes);
}

/** Writes `count` elements, 1..16, of `size` bytes. */
INLINE void put_some(put_elements *put, __m128i bytes, const struct factors *factors, size_t size,
                     size_t count, uint8_t *to)
{
    if (count >= ELEMENTS) {
        put(bytes, factors, to);
    } else {
        uint8_t rest[BYTES_MAX];
        put(bytes, factors, rest);
        memcpy(to, rest, size * count);
    }
}

/* ---- planar ---------------------------------------------------------------------------------- */

/** The bytes of one channel of 16 pixels. */
INLINE __m128i channel_of(const __m128i pixels[3], const __m128i picks[3])
{
    return _mm_or_si128(
        _mm_or_si128(_mm_shuffle_epi8(pixels[0], picks[0]), _mm_shuffle_epi8(pixels[1], picks[1])),
        _mm_shuffle_epi8(pixels[2], picks[2]));
}

/** Where the bytes of a channel of 16 pixels are in each of their three vectors. */
static void picks_of(size_t channel, __m128i picks[3])
{
    for (size_t part = 0; part < 3; part++) {
        uint8_t at[16];
        for (size_t i = 0; i < 16; i++) {
            const size_t byte = 3 * i + channel;
            at[i] = byte / 16 == part ? (uint8_t)(byte % 16) : 0x80;
        }
        picks[part] = _mm_loadu_si128((const __m128i *)at);
    }
}

INLINE void store_planar(put_elements *put, const struct rung__canvas *canvas, const uint8_t *row,
                         size_t size, uint8_t *to)
{
    const size_t width = canvas->width;
    for (size_t c = 0; c < 3; c++, to += size * width * canvas->height) {
        const __m256 scale = _mm256_set1_ps(canvas->scale[c]);
        const __m256 bias = _mm256_set1_ps(canvas->bias[c]);
        const struct factors factors = {{scale, scale}, {bias, bias}};
        __m128i picks[3];
        picks_of(c, picks);
        for (size_t x = 0; x < width; x += ELEMENTS) {
            const __m128i *from = (const __m128i *)(row + 3 * x);
            const __m128i pixels[3] = {_mm_loadu_si128(from), _mm_loadu_si128(from + 1),
                                       _mm_loadu_si128(from + 2)};
            put_some(put, channel_of(pixels, picks), &factors, size, width - x, to + size * x);
        }
    }
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
    return (struct factors){{_mm256_loadu_ps(scale), _mm256_loadu_ps(scale + 8)},
                            {_mm256_loadu_ps(bias), _mm256_loadu_ps(bias + 8)}};
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
            put(_mm_loadu_si128((const __m128i *)(row + at) + i), &factors[i],
                to + size * (at + ELEMENTS * i));
    for (size_t i = 0; at < count; i++, at += ELEMENTS)
        put_some(put, _mm_loadu_si128((const __m128i *)(row + at)), &factors[i], size, count - at,
                 to + size * at);
}

/** Four pixels at once, with an alpha of 255. */
static void store_bgra(const struct rung__canvas *canvas, const uint8_t *row, uint8_t *to)
{
    const __m128i spread = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    const __m128i alpha = _mm_set1_epi32((int32_t)0xff000000);
    for (size_t x = 0; x < canvas->width; x += 4) {
        const __m128i pixels = _mm_loadu_si128((const __m128i *)(row + 3 * x));
        put_some(put_u8, _mm_or_si128(_mm_shuffle_epi8(pixels, spread), alpha), NULL, 1,
                 4 * (canvas->width - x), to + 4 * x);
    }
}

#define STORE_BYTES rung__store_bytes_avx2
#include "kernel/store_bytes_rows.h"
