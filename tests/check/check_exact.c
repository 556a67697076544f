/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic that is the same everywhere is also right. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernel/exact.h"
#include "naive.h"
#include "sweep.h"

__extension__ typedef unsigned __int128 wide;

static bool is_nan_f16(uint32_t bits)
{
    return (bits & 0x7fff) > 0x7c00;
}

static void every_f16_survives_the_way_through_f32(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits <= 0xffff; bits++) {
        const float value = rung__f16_to_f32((uint16_t)bits);
        const uint16_t back = rung__f32_to_f16(value);
        if (is_nan_f16(bits)) {
            assert_true(value != value);
            assert_true(is_nan_f16(back));
            assert_int_equal(back & 0x8000, bits & 0x8000);
        } else
            assert_int_equal(back, bits);
    }
}

static void assert_f16(uint32_t bits)
{
    const float value = rung__f32_from_bits(bits);
    if ((bits & 0x7fffffff) < 0x7f800000)
        assert_int_equal(rung__f32_to_f16(value), naive_f16(value));
}

static void f32_goes_to_the_nearest_f16(void **state)
{
    struct sweep sweep = sweep_start("f16");
    (void)state;
    /* Each f16, the middle between it and the next, and the f32 on both sides of these. */
    for (uint32_t bits = 0; bits < 0x7c00; bits++) {
        const float low = rung__f16_to_f32((uint16_t)bits);
        const float high = bits == 0x7bff ? 65536.0f : rung__f16_to_f32((uint16_t)(bits + 1));
        const uint32_t middle = rung__f32_bits(low + (high - low) / 2);
        for (uint32_t i = 0; i < 3; i++) {
            assert_f16(middle + i - 1);
            assert_f16(0x80000000u | (middle + i - 1));
            if (rung__f32_bits(low) + i > 0)
                assert_f16(rung__f32_bits(low) + i - 1);
        }
    }
    for (uint32_t i = 0; i < 100000; i++)
        assert_f16(sweep_bits(&sweep));
    assert_int_equal(rung__f32_to_f16(rung__f32_from_bits(0x7f800000)), 0x7c00);
    assert_int_equal(rung__f32_to_f16(rung__f32_from_bits(0xff800000)), 0xfc00);
}

static void halves_go_to_the_even_neighbour(void **state)
{
    struct sweep sweep = sweep_start("round_even");
    (void)state;
    assert_int_equal(rung__round_even(0.5f), 0);
    assert_int_equal(rung__round_even(1.5f), 2);
    assert_int_equal(rung__round_even(-2.5f), -2);
    assert_int_equal(rung__round_even(0x1.fffffep-2f), 0);
    assert_int_equal(rung__round_even(0x1.000002p-1f), 1);
    assert_int_equal(rung__round_even(8388609.0f), 8388609);
    assert_int_equal(rung__round_even(0x1p61f), INT64_C(1) << 61);
    for (int32_t i = -(1 << 22); i <= 1 << 22; i++) { /* every half */
        const float half = (float)i * 0.5f;
        assert_int_equal(rung__round_even_near(half), rung__round_even(half));
        assert_int_equal(rung__round_even_near((float)i), i);
    }
    assert_int_equal(rung__round_even(-0x1p100f), -(INT64_C(1) << 62));
    for (uint32_t i = 0; i < 200000; i++) {
        /* magnitudes 2^-4 .. 2^40 */
        const uint32_t exponent = sweep_range(&sweep, 123, 167) << 23;
        const float value = rung__f32_from_bits((sweep_bits(&sweep) & 0x807fffffu) | exponent);
        assert_int_equal(rung__round_even(value), naive_round((double)value));
        if (fabsf(value) <= 0x1p22f)
            assert_int_equal(rung__round_even_near(value), naive_round((double)value));
    }
}

static void whole_quotients_are_rounded_once(void **state)
{
    (void)state;
    for (uint64_t d = 1; d < 40; d++)
        for (uint64_t n = 0; n < 200; n++) {
            const uint64_t q = rung__divide_even(n, d);
            const uint64_t distance = q * d > n ? q * d - n : n - q * d;
            assert_true(2 * distance < d || (2 * distance == d && q % 2 == 0));
        }
    assert_int_equal(rung__divide_even(UINT64_MAX, UINT64_MAX), 1);
    assert_int_equal(rung__divide_even(UINT64_MAX - 1, UINT64_MAX), 1);
}

/** n/d lies no further from f than half a step of f, and f is even at exactly half a step. */
static void assert_rational(int64_t n, int64_t d)
{
    const uint32_t bits = rung__f32_bits(rung__rational_to_f32(n, d));
    const uint64_t significand = (bits & 0x7fffffu) | 0x800000u;
    const int exponent = (int)(bits >> 23 & 0xff) - 150;
    const uint64_t magnitude = (uint64_t)(n < 0 ? -n : n);
    assert_int_equal(bits >> 31, n < 0);
    /* In units of a half step: 2n/d against 2s ± 1. */
    wide left = (wide)magnitude * 2, unit = (wide)(uint64_t)d;
    if (exponent < 0)
        left <<= -exponent;
    else
        unit <<= exponent;
    const wide low = unit * (2 * significand - 1), high = unit * (2 * significand + 1);
    /* Below a power of two the step is half as long. */
    const wide low_enough = significand == 0x800000u ? unit * 2 * significand - unit / 2 : low;
    assert_true(left >= low_enough && left <= high);
    if (left == high || (significand != 0x800000u && left == low))
        assert_int_equal(significand % 2, 0);
}

static void rationals_are_rounded_once(void **state)
{
    struct sweep sweep = sweep_start("rational");
    (void)state;
    assert_int_equal(rung__f32_bits(rung__rational_to_f32(0, 7)), 0);
    assert_int_equal(rung__f32_bits(rung__rational_to_f32(1, 3)), 0x3eaaaaab);
    assert_int_equal(rung__f32_bits(rung__rational_to_f32(-2, 3)), 0xbf2aaaab);
    /* Above 2^24 the step is 2: two ties, then a value on either side of the first. */
    assert_int_equal(rung__f32_bits(rung__rational_to_f32(0x1000001, 1)), 0x4b800000);
    assert_int_equal(rung__f32_bits(rung__rational_to_f32(0x1000003, 1)), 0x4b800002);
    assert_int_equal(rung__f32_bits(rung__rational_to_f32(0x2000001, 2)), 0x4b800000);
    assert_int_equal(rung__f32_bits(rung__rational_to_f32(0x2000003, 2)), 0x4b800001);
    assert_int_equal(rung__f32_bits(rung__rational_to_f32(INT64_MAX, 1)), 0x5f000000);
    assert_int_equal(rung__f32_bits(rung__rational_to_f32(1, INT64_MAX)), 0x20000000);
    for (uint32_t i = 0; i < 200000; i++) {
        const uint32_t n_bits = sweep_range(&sweep, 1, 40), d_bits = sweep_range(&sweep, 1, 40);
        const uint64_t n = (uint64_t)sweep_bits(&sweep) << 32 | sweep_bits(&sweep);
        const uint64_t d = (uint64_t)sweep_bits(&sweep) << 32 | sweep_bits(&sweep);
        const int64_t signed_n = (int64_t)((n >> (64 - n_bits)) | 1);
        assert_rational(i % 2 ? signed_n : -signed_n, (int64_t)((d >> (64 - d_bits)) | 1));
    }
}

static void confidences_are_clamped_and_rounded(void **state)
{
    (void)state;
    assert_int_equal(rung__confidence(-1.0f), 0);
    assert_int_equal(rung__confidence(-0.0f), 0);
    assert_int_equal(rung__confidence(0.5f / 65536.0f), 0);
    assert_int_equal(rung__confidence(0.5f), 32768); /* 32,767.5 */
    assert_int_equal(rung__confidence(0x1.fffffep-1f), 65535);
    assert_int_equal(rung__confidence(7.0f), 65535);
    assert_int_equal(rung__confidence(rung__f32_from_bits(0x7fc00000)), 0);
    assert_int_equal(rung__sigmoid_confidence(0.0f), 32768);
    assert_int_equal(rung__sigmoid_confidence(-0.0f), 32768);
    assert_int_equal(rung__sigmoid_confidence(1e30f), 65535);
    assert_int_equal(rung__sigmoid_confidence(-1e30f), 0);
}

static void the_sigmoid_is_symmetric(void **state)
{
    (void)state;
    for (int i = -4000; i <= 4000; i++) {
        const float x = (float)i / 256.0f;
        const int sum = rung__sigmoid_confidence(x) + rung__sigmoid_confidence(-x);
        assert_in_range(sum, 65534, 65536);
    }
}

/** The bounds that exact.h states, as multiples of the last place of the true exp, and in units. */
static void assert_bounds(float x)
{
    const double exact = exp((double)x), sigmoid = 1 / (1 + exp(-(double)x));
    int exponent;
    (void)frexp(exact, &exponent);
    if (x >= -87.0f && x <= 88.0f) {
        assert_true(fabs((double)rung__exp(x) - exact) < ldexp(1, exponent - 24));
        assert_true(fabs((double)rung__exp(x) - exact) < 0x1.6ap-24 * exact); /* 2^-23.5 */
    }
    assert_true(fabs(rung__sigmoid_confidence(x) - 65535 * sigmoid) <= 0.502);
    assert_true(fabs(rung__sigmoid24(x) - 0x1p24 * sigmoid) <= 1.01);
    assert_true(fabs(rung__tanh24(x) - 0x1p24 * tanh((double)x)) <= 1.51);
}

/** A larger x, of which none of the functions is smaller. */
static void assert_risen(float from, float to)
{
    assert_true(rung__exp(to) >= rung__exp(from));
    assert_true(rung__sigmoid_confidence(to) >= rung__sigmoid_confidence(from));
    assert_true(rung__sigmoid24(to) >= rung__sigmoid24(from));
    assert_true(rung__tanh24(to) >= rung__tanh24(from));
}

static void exp_sigmoid_and_tangent_rise_within_their_bounds(void **state)
{
    /* Where the greatest errors are: of exp, of the confidence, of the other two. */
    static const float worst[] = {70.4030991f, 15.5968428f, 5.27558899f, -2.52943897f, 1.27118874f};
    struct sweep sweep = sweep_start("exp");
    float before = 0.0f;
    (void)state;
    for (size_t i = 0; i < sizeof worst / sizeof *worst; i++)
        assert_bounds(worst[i]);
    /* All magnitudes from 2^-33 to 88. */
    for (uint32_t bits = 0x2f000000u; bits <= 0x42b00000u; bits += sweep_range(&sweep, 1, 1000)) {
        const float x = rung__f32_from_bits(bits);
        assert_bounds(x);
        assert_bounds(-x);
        assert_risen(before, x);
        assert_risen(-x, -before);
        before = x;
    }
}

static void sigmoid_and_tangent_have_their_ends(void **state)
{
    (void)state;
    assert_int_equal(rung__sigmoid24(0.0f), 1 << 23);
    assert_int_equal(rung__sigmoid24(1e30f), 1 << 24);
    assert_int_equal(rung__sigmoid24(-1e30f), 0);
    assert_int_equal(rung__tanh24(0.0f), 0);
    assert_int_equal(rung__tanh24(-0.0f), 0);
    assert_int_equal(rung__tanh24(0x1p31f), 1 << 24);
    for (int i = 0; i <= 4000; i++)
        assert_int_equal(rung__tanh24((float)-i / 256.0f), -rung__tanh24((float)i / 256.0f));
}

static wide fifth_power(wide x)
{
    return x * x * x * x * x;
}

static void assert_blend(uint16_t a, uint16_t b)
{
    const uint16_t q = rung__confidence_blend(a, b);
    const wide wanted = (wide)a * a * a * b * b * 32;
    assert_true(fifth_power(2 * (wide)q + 1) > wanted);
    if (q > 0)
        assert_true(fifth_power(2 * (wide)q - 1) < wanted);
}

static void the_blend_is_the_nearest_fifth_root(void **state)
{
    static const uint16_t edges[] = {0, 1, 2, 3, 32767, 32768, 65534, 65535};
    struct sweep sweep = sweep_start("blend");
    (void)state;
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < 8; j++)
            assert_blend(edges[i], edges[j]);
    for (uint32_t c = 0; c <= 65535; c++)
        assert_int_equal(rung__confidence_blend((uint16_t)c, (uint16_t)c), c);
    for (uint32_t i = 0; i < 200000; i++)
        assert_blend((uint16_t)sweep_bits(&sweep), (uint16_t)(sweep_bits(&sweep) >> i % 16));
    /* 0.5^0.6 · 0.25^0.4 = 0.5^1.4 */
    assert_int_equal(rung__confidence_blend(32768, 16384), 24834);
}

static void only_magnitudes_below_two_to_the_32_are_usable(void **state)
{
    (void)state;
    assert_true(rung__is_usable(0x1.fffffep31f));
    assert_true(rung__is_usable(-0x1.fffffep31f));
    assert_false(rung__is_usable(0x1p32f));
    assert_false(rung__is_usable(-0x1p32f));
    assert_false(rung__is_usable(rung__f32_from_bits(0xff800000)));
    assert_false(rung__is_usable(rung__f32_from_bits(0x7f800001)));
}

static void a_root_is_the_nearest_one(void **state)
{
    struct sweep sweep = sweep_start("root");
    (void)state;
    assert_int_equal(rung__f32_bits(rung__root(0.0f)), 0);
    for (uint32_t exponent = 1; exponent < 255; exponent++)
        for (uint32_t i = 0; i < 1000; i++) {
            uint32_t fraction = sweep_bits(&sweep) & 0x7fffffu;
            if (i < 2)
                fraction = i ? 0x7fffffu : 0;
            const float value = rung__f32_from_bits(exponent << 23 | fraction);
            assert_int_equal(rung__f32_bits(rung__root(value)), rung__f32_bits(sqrtf(value)));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_f16_survives_the_way_through_f32),
        cmocka_unit_test(f32_goes_to_the_nearest_f16),
        cmocka_unit_test(halves_go_to_the_even_neighbour),
        cmocka_unit_test(whole_quotients_are_rounded_once),
        cmocka_unit_test(rationals_are_rounded_once),
        cmocka_unit_test(confidences_are_clamped_and_rounded),
        cmocka_unit_test(the_sigmoid_is_symmetric),
        cmocka_unit_test(exp_sigmoid_and_tangent_rise_within_their_bounds),
        cmocka_unit_test(sigmoid_and_tangent_have_their_ends),
        cmocka_unit_test(the_blend_is_the_nearest_fifth_root),
        cmocka_unit_test(only_magnitudes_below_two_to_the_32_are_usable),
        cmocka_unit_test(a_root_is_the_nearest_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
