/* SPDX-License-Identifier: Apache-2.0 */
/* Normalised embeddings: the formula of docs/packets.md, written down a second time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guard.h"
#include "kernel/embedding.h"
#include "kernel/exact.h"
#include "sweep.h"

#define MOST 1500

/* By libm, whose sqrtf is correctly rounded, and ldexp. */
static void normalise_plainly(const float *values, uint32_t count, float *to)
{
    int largest = -1000;
    for (uint32_t i = 0; i < count; i++)
        if (isnormal(values[i]) && ilogbf(values[i]) > largest)
            largest = ilogbf(values[i]);
    float sums[16] = {0};
    for (uint32_t i = 0; i < count; i++) {
        const bool counts = isnormal(values[i]) && ilogbf(values[i]) >= largest - 60;
        to[i] = counts ? ldexpf(values[i], -largest) : 0.0f;
        const float square = to[i] * to[i];
        sums[i % 16] += square;
    }
    float eight[8], four[4];
    for (int i = 0; i < 8; i++)
        eight[i] = sums[i] + sums[i + 8];
    for (int i = 0; i < 4; i++)
        four[i] = eight[i] + eight[i + 4];
    const float norm = sqrtf((four[0] + four[2]) + (four[1] + four[3]));
    for (uint32_t i = 0; i < count; i++)
        to[i] = largest == -1000 ? 0.0f : to[i] / norm;
}

static void compare(const float *values, uint32_t count)
{
    float expected[MOST];
    const size_t bytes = count * sizeof *values;
    struct guarded from = guard_bytes(bytes, 0), to = guard_bytes(bytes, 0x5a);
    memcpy(from.bytes, values, bytes);
    normalise_plainly(values, count, expected);
    rung__normalise_c((const float *)(void *)from.bytes, count, (float *)(void *)to.bytes);
    assert_memory_equal(to.bytes, expected, bytes);
    assert_memory_equal(from.bytes, values, bytes);
    guard_free(&from);
    guard_free(&to);
}

static double length_of(const float *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += (double)values[i] * values[i];
    return sqrt(sum);
}

static void every_length_has_norm_1(void **state)
{
    struct sweep sweep = sweep_start("embedding");
    float values[MOST], to[MOST];
    (void)state;
    for (uint32_t count = 1; count <= 70; count++) {
        for (uint32_t i = 0; i < count; i++)
            values[i] = (float)(int32_t)sweep_bits(&sweep) / 1e7f;
        compare(values, count);
        rung__normalise_c(values, count, to);
        assert_true(fabs(length_of(to, count) - 1.0) < 1e-6);
    }
    for (uint32_t i = 0; i < MOST; i++)
        values[i] = (float)(int32_t)sweep_bits(&sweep);
    compare(values, 1280);
    compare(values, MOST);
    rung__normalise_c(values, MOST, to);
    assert_true(fabs(length_of(to, MOST) - 1.0) < 1e-6);
}

static void sizes_from_the_smallest_to_the_largest_number_are_one_formula(void **state)
{
    struct sweep sweep = sweep_start("embedding of any bits");
    float values[64];
    (void)state;
    for (uint32_t round = 0; round < 3000; round++) {
        const uint32_t count = sweep_range(&sweep, 1, 64);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t bits = sweep_bits(&sweep);
            if ((bits & 0x7f800000u) == 0x7f800000u)
                bits &= 0xbfffffffu;
            values[i] = rung__f32_from_bits(bits);
        }
        compare(values, count);
    }
}

/** Neither overflows nor vanishes, and subnormals count as 0. */
static void extreme_sizes_keep_the_direction(void **state)
{
    static const struct {
        float in[2], out[2];
    } rows[] = {
        {{0x1.fffffep127f, 0.0f}, {1.0f, 0.0f}},
        {{-0x1p-126f, 0.0f}, {-1.0f, 0.0f}},
        {{3e38f, 4e-38f}, {1.0f, 0.0f}},
        {{0x3p100f, -0x4p100f}, {0.6f, -0.8f}},
        {{0x1p-149f, 0x1p-149f}, {0.0f, 0.0f}},
        {{-0.0f, 0.0f}, {0.0f, 0.0f}},
        {{0x1p-149f, 0x1p-126f}, {0.0f, 1.0f}},
        {{0x1p60f, 1.0f}, {1.0f, 0x1p-60f}},
        {{0x1p61f, -0x1.fffffep0f}, {1.0f, 0x0p0f}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float to[2];
        rung__normalise_c(rows[i].in, 2, to);
        assert_memory_equal(to, rows[i].out, sizeof to);
        compare(rows[i].in, 2);
    }
}

static void what_is_not_finite_is_found(void **state)
{
    static const uint32_t bad[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001};
    float values[33] = {0};
    (void)state;
    assert_int_equal(rung__embedding_find_not_finite(values, 33), 33);
    values[5] = 0x1.fffffep127f;
    values[6] = rung__f32_from_bits(0x807fffff);
    assert_int_equal(rung__embedding_find_not_finite(values, 33), 33);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (uint32_t at = 0; at < 33; at += 32) {
            float changed[33];
            memcpy(changed, values, sizeof changed);
            changed[at] = rung__f32_from_bits(bad[i]);
            assert_int_equal(rung__embedding_find_not_finite(changed, 33), at);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_has_norm_1),
        cmocka_unit_test(sizes_from_the_smallest_to_the_largest_number_are_one_formula),
        cmocka_unit_test(extreme_sizes_keep_the_direction),
        cmocka_unit_test(what_is_not_finite_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
