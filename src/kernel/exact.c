/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/exact.h"

#include <float.h>

/* A wider intermediate would round twice. */
_Static_assert(FLT_EVAL_METHOD == 0, "f32 operations must round to f32");

/* binary32: 23 stored bits of fraction; 150 = 127 (bias) + 23. */
#define FRACTION_BITS 23
#define FRACTION_MASK 0x7fffffu
#define HIDDEN_BIT    0x800000u
#define UNIT_EXPONENT 150

/** value / 2^shift, halves to even; shift 1..63. */
static uint64_t shift_even(uint64_t value, uint32_t shift)
{
    const uint64_t whole = value >> shift;
    const uint64_t rest = value & ((UINT64_C(1) << shift) - 1);
    const uint64_t half = UINT64_C(1) << (shift - 1);
    return whole + (rest > half || (rest == half && (whole & 1)));
}

int64_t rung__round_even(float value)
{
    const uint32_t bits = rung__f32_bits(value);
    const int32_t exponent = (int32_t)(bits >> FRACTION_BITS & 0xff) - UNIT_EXPONENT;
    const uint64_t significand = (bits & FRACTION_MASK) | HIDDEN_BIT;
    int64_t magnitude;
    if (exponent < -24)
        magnitude = 0; /* below a half; subnormals are here too */
    else if (exponent < 0)
        magnitude = (int64_t)shift_even(significand, (uint32_t)-exponent);
    else if (exponent <= 38)
        magnitude = (int64_t)(significand << exponent);
    else
        magnitude = INT64_C(1) << 62;
    return bits >> 31 ? -magnitude : magnitude;
}

uint64_t rung__divide_even(uint64_t n, uint64_t d)
{
    const uint64_t whole = n / d, rest = n % d;
    const uint64_t missing = d - rest;
    return whole + (rest > missing || (rest == missing && (whole & 1)));
}

float rung__rational_to_f32(int64_t n, int64_t d)
{
    if (n == 0)
        return 0.0f;
    const uint64_t divisor = (uint64_t)d;
    const uint64_t magnitude = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    uint64_t whole = magnitude / divisor, rest = magnitude % divisor;
    uint64_t lost = 0;
    int32_t exponent = 0;
    /* 26 bits: the 24 of the result, one that halves, one for everything below. */
    for (; whole < UINT64_C(1) << 25; exponent--) {
        rest *= 2;
        const bool digit = rest >= divisor;
        rest -= digit ? divisor : 0;
        whole = whole * 2 + digit;
    }
    for (; whole >= UINT64_C(1) << 26; exponent++) {
        lost |= whole & 1;
        whole >>= 1;
    }
    whole |= lost || rest != 0;
    /* Rounding up to 2^24 carries into the exponent, as it should. */
    const uint32_t significand = (uint32_t)shift_even(whole, 2) - HIDDEN_BIT;
    const uint32_t biased = (uint32_t)(exponent + 2 + UNIT_EXPONENT);
    return rung__f32_from_bits((n < 0 ? 0x80000000u : 0) + (biased << FRACTION_BITS) + significand);
}

float rung__root(float value)
{
    const uint32_t bits = rung__f32_bits(value);
    if (bits == 0)
        return 0.0f;
    /* An even exponent, and a whole number of 49 or 50 bits: its root has 25. */
    const int32_t exponent = (int32_t)(bits >> FRACTION_BITS) - UNIT_EXPONENT;
    const int32_t shift = 25 + ((exponent - 25) & 1);
    const uint64_t square = (uint64_t)((bits & FRACTION_MASK) | HIDDEN_BIT) << shift;
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 24; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= square)
            root |= bit;
    /* An odd root is never exact, since its square would be odd: there are no halves. */
    const uint32_t significand = (uint32_t)((root + 1) >> 1) - HIDDEN_BIT;
    const uint32_t biased = (uint32_t)((exponent - shift) / 2 + 1 + UNIT_EXPONENT);
    return rung__f32_from_bits((biased << FRACTION_BITS) + significand);
}

uint16_t rung__f32_to_f16(float value)
{
    const uint32_t bits = rung__f32_bits(value);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) /* NaN, made quiet */
        return (uint16_t)(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    if (magnitude >= 0x477ff000u) /* 65,520 is the first to round to infinity */
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude >= 0x38800000u) /* 2^-14: normal, the bias goes from 127 to 15 */
        return (uint16_t)(sign | shift_even(magnitude - (112u << FRACTION_BITS), 13));
    if (magnitude < 0x33000000u) /* below 2^-25, half of the smallest */
        return (uint16_t)sign;
    /* Subnormal: in units of 2^-24. */
    const uint32_t significand = (magnitude & FRACTION_MASK) | HIDDEN_BIT;
    return (uint16_t)(sign | shift_even(significand, 126 - (magnitude >> FRACTION_BITS)));
}

float rung__f16_to_f32(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
    const uint32_t exponent = bits >> 10 & 0x1fu;
    const uint32_t fraction = bits & 0x3ffu;
    if (exponent == 0x1f)
        return rung__f32_from_bits(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) {
        const uint32_t magnitude = rung__f32_bits((float)fraction * 0x1p-24f);
        return rung__f32_from_bits(sign | magnitude);
    }
    return rung__f32_from_bits(sign | (exponent + 112) << FRACTION_BITS | fraction << 13);
}

float rung__exp(float x)
{
    static const float coefficients[] = {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                                         1.6666665459e-1f, 5.0000001201e-1f};
    if (!(x > -87.0f)) /* NaN too */
        x = -87.0f;
    if (x > 88.0f)
        x = 88.0f;

    /* x = n·ln 2 + r; ln 2 in two parts, so that n·high is exact. */
    const int32_t n = rung__round_even_near(x * 1.44269504f);
    const float high = (float)n * 0.693359375f;
    const float low = (float)n * -2.12194440e-4f;
    float r = x - high;
    r = r - low;

    float p = 1.9875691500e-4f;
    for (size_t i = 0; i < sizeof coefficients / sizeof *coefficients; i++) {
        p = p * r;
        p = p + coefficients[i];
    }
    const float square = r * r;
    float y = p * square;
    y = y + r;
    y = y + 1.0f;
    return rung__f32_from_bits(rung__f32_bits(y) + ((uint32_t)n << FRACTION_BITS));
}

/** 1 in the units of exp24. */
#define ONE24 (UINT64_C(1) << 24)

/** exp(−|x|) in units of 2^-24, to nearest even. */
static uint64_t exp24(float x)
{
    const float e = rung__exp(x < 0.0f ? x : -x);
    return (uint64_t)rung__round_even(e * 16777216.0f);
}

/** Sigmoid as a whole number of units, of which 1 has `scale`. */
static uint64_t sigmoid_of(float x, uint64_t scale)
{
    const uint64_t small = exp24(x);
    const uint64_t divisor = ONE24 + small;
    const uint64_t part = x >= 0.0f ? ONE24 : small;
    return (scale * part + divisor / 2) / divisor;
}

uint16_t rung__sigmoid_confidence(float logit)
{
    return (uint16_t)sigmoid_of(logit, 65535);
}

uint32_t rung__sigmoid24(float x)
{
    return (uint32_t)sigmoid_of(x, ONE24);
}

int32_t rung__tanh24(float x)
{
    /* (1 − e) / (1 + e) with e = exp(−2|x|) */
    const uint64_t small = exp24(x * 2.0f);
    const uint64_t divisor = ONE24 + small;
    const int32_t size = (int32_t)((ONE24 * (ONE24 - small) + divisor / 2) / divisor);
    return x < 0.0f ? -size : size;
}

/** A whole number of 96 bits, the lowest 32 first. */
struct wide {
    uint32_t limb[3];
};

/** The product of five factors below 2^17, times `scale`; it stays below 2^96. */
static struct wide product(const uint32_t factors[5], uint32_t scale)
{
    struct wide wide = {{scale, 0, 0}};
    for (int f = 0; f < 5; f++) {
        uint64_t carry = 0;
        for (int i = 0; i < 3; i++) {
            carry += (uint64_t)wide.limb[i] * factors[f];
            wide.limb[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return wide;
}

static bool is_at_most(const struct wide *a, const struct wide *b)
{
    for (int i = 2; i > 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i];
    return a->limb[0] <= b->limb[0];
}

uint16_t rung__confidence_blend(uint16_t a, uint16_t b)
{
    /* q is right when (q − ½)^5 ≤ a³·b² < (q + ½)^5; times 32, both are whole and one is odd. */
    const struct wide wanted = product((const uint32_t[]){a, a, a, b, b}, 32);
    uint32_t root = 0;
    for (uint32_t bit = 1u << 15; bit; bit >>= 1) {
        const uint32_t side = 2 * (root | bit) - 1;
        const struct wide power = product((const uint32_t[]){side, side, side, side, side}, 1);
        if (is_at_most(&power, &wanted))
            root |= bit;
    }
    return (uint16_t)root;
}

uint16_t rung__confidence(float value)
{
    if (!(value > 0.0f))
        return 0;
    if (value >= 1.0f)
        return 65535;
    return (uint16_t)rung__round_even_near(value * 65535.0f);
}
