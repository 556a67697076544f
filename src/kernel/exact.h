/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_EXACT_H
#define RUNG__KERNEL_EXACT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Arithmetic that is the same everywhere: f32 operations rounded once, ties to even, no libm. The
 * build compiles everything with contraction off; a test looks for fused instructions in the
 * objects.
 */

static inline uint32_t rung__f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float rung__f32_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/** To the nearest integer, halves to even. From 2^62 on (and for inf and NaN): 2^62, with the sign.
 */
int64_t rung__round_even(float value);

/** The same of −2^22 to 2^22: f32 itself rounds where its step is 1. */
static inline int32_t rung__round_even_near(float value)
{
    return (int32_t)((value + 0x1.8p23f) - 0x1.8p23f);
}

/** n / d rounded to nearest even in integers; d > 0. */
uint64_t rung__divide_even(uint64_t n, uint64_t d);

/** n / d correctly rounded to f32, nearest even; d > 0, |n| and d below 2^63. */
float rung__rational_to_f32(int64_t n, int64_t d);

/** The f32 nearest to the square root; for 0 and for normal numbers above it. */
float rung__root(float value);

/** binary16 bits, nearest even, subnormals kept, overflow to infinity, NaN stays NaN. */
uint16_t rung__f32_to_f16(float value);
/** Exact. */
float rung__f16_to_f32(uint16_t bits);

/*
 * How far from the true functions these are was measured over all f32 (tests/check/check_exact.c
 * holds it over some of them). All of them rise: a larger argument has no smaller result.
 */

/** exp of targets.md: x clamped to -87..88. Less than 1 unit in the last place, 2^-23.5, off. */
float rung__exp(float x);

/** Sigmoid of a logit as a confidence, 0..65535. At most 0.502 off, of which 0.5 is rounding. */
uint16_t rung__sigmoid_confidence(float logit);

/** Sigmoid in units of 2^-24: 0..2^24. At most 1.01 of them off. */
uint32_t rung__sigmoid24(float x);

/** Hyperbolic tangent in units of 2^-24: −2^24..2^24, odd. At most 1.51 of them off. */
int32_t rung__tanh24(float x);

/** roundeven(clamp(c, 0, 1) × 65535). */
uint16_t rung__confidence(float value);

/** a^0.6 × b^0.4 of two confidences: the whole number nearest to the fifth root of a³·b². */
uint16_t rung__confidence_blend(uint16_t a, uint16_t b);

/** True when the magnitude is below 2^32, told from the bits. */
static inline bool rung__is_usable(float value)
{
    return (rung__f32_bits(value) & 0x7fffffffu) < 0x4f800000u;
}

#endif
