/* SPDX-License-Identifier: Apache-2.0 */
/* Masks: the rule of docs/packets.md, written down a second time, on any numbers and any shape. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "guard.h"
#include "kernel/exact.h"
#include "kernel/mask.h"
#include "sweep.h"

/** A canvas, what lies on it, and a model's output. */
struct subject {
    struct rung__canvas canvas;
    struct rung__placement placement;
    struct rung__mask_form form;
    uint16_t min_confidence;
    struct guarded values;
};

static struct subject subject_of(uint32_t width, uint32_t height, uint32_t channels,
                                 bool interleaved)
{
    return (struct subject){
        .canvas = {.width = width, .height = height},
        .placement = {{0, 0, 1, 1}, width, height, 0, 0},
        .form = {.channels = channels, .interleaved = interleaved},
        .min_confidence = 32768,
        .values = guard_bytes((size_t)width * height * channels * sizeof(float), 0),
    };
}

static float *value(const struct subject *subject, uint32_t channel, uint32_t x, uint32_t y)
{
    const size_t pixel = (size_t)y * subject->canvas.width + x;
    const size_t pixels = (size_t)subject->canvas.width * subject->canvas.height;
    float *values = (float *)(void *)subject->values.bytes;
    return values + (subject->form.interleaved ? pixel * subject->form.channels + channel
                                               : channel * pixels + pixel);
}

/** In double precision subnormals are apart from 0. */
static bool is_more(float a, float b)
{
    return !isnan(a) && (isnan(b) || (double)a > (double)b);
}

static uint32_t class_plainly(const struct subject *subject, uint32_t x, uint32_t y)
{
    uint32_t best = 0;
    if (subject->form.channels == 1) {
        const float number = *value(subject, 0, x, y);
        const uint16_t confidence =
            subject->form.logits ? rung__sigmoid_confidence(number) : rung__confidence(number);
        return confidence >= subject->min_confidence;
    }
    for (uint32_t c = 1; c < subject->form.channels; c++)
        if (is_more(*value(subject, c, x, y), *value(subject, best, x, y)))
            best = c;
    return best;
}

static struct guarded run(const struct subject *subject)
{
    const struct rung__mask_request request = {
        .values = (const float *)(void *)subject->values.bytes,
        .form = subject->form,
        .min_confidence = subject->min_confidence,
        .canvas = &subject->canvas,
        .placement = &subject->placement,
    };
    struct guarded mask =
        guard_bytes((size_t)subject->placement.width * subject->placement.height, 0x5a);
    rung__mask_c(&request, mask.bytes);
    return mask;
}

static void compare(const struct subject *subject)
{
    struct guarded mask = run(subject);
    const struct rung__placement *placement = &subject->placement;
    for (uint32_t y = 0; y < placement->height; y++)
        for (uint32_t x = 0; x < placement->width; x++)
            assert_int_equal(mask.bytes[(size_t)y * placement->width + x],
                             class_plainly(subject, placement->x + x, placement->y + y));
    guard_free(&mask);
}

static float any_number(struct sweep *sweep)
{
    static const uint32_t special[] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x7f800000, 0xff800000, 0x7fc00000,
        0xffc00000, 0x7f800001, 0x3f000000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff,
    };
    const uint32_t choice = sweep_range(sweep, 0, 29);
    if (choice < sizeof special / sizeof *special)
        return rung__f32_from_bits(special[choice]);
    if (choice < 22)
        return (float)sweep_range(sweep, 0, 3) / 3.0f; /* ties */
    return rung__f32_from_bits(sweep_bits(sweep));
}

static void any_output_of_any_shape_has_the_classes_of_the_rule(void **state)
{
    struct sweep sweep = sweep_start("mask");
    (void)state;
    for (uint32_t round = 0; round < 600; round++) {
        struct subject subject =
            subject_of(sweep_range(&sweep, 1, 19), sweep_range(&sweep, 1, 19),
                       sweep_range(&sweep, 1, round % 20 == 0 ? 256 : 5), round % 2);
        struct rung__placement *placement = &subject.placement;
        placement->width = sweep_range(&sweep, 1, subject.canvas.width);
        placement->height = sweep_range(&sweep, 1, subject.canvas.height);
        placement->x = sweep_range(&sweep, 0, subject.canvas.width - placement->width);
        placement->y = sweep_range(&sweep, 0, subject.canvas.height - placement->height);
        subject.form.logits = subject.form.channels == 1 && round % 4 < 2;
        subject.min_confidence = (uint16_t)sweep_range(&sweep, 1, 65535);
        float *values = (float *)(void *)subject.values.bytes;
        for (size_t i = 0; i < subject.values.size / sizeof(float); i++)
            values[i] = any_number(&sweep);
        compare(&subject);
        guard_free(&subject.values);
    }
}

static uint8_t one_pixel(uint32_t channels, const float *values, bool interleaved)
{
    struct subject subject = subject_of(1, 1, channels, interleaved);
    memcpy(subject.values.bytes, values, channels * sizeof *values);
    struct guarded mask = run(&subject);
    const uint8_t class_id = mask.bytes[0];
    guard_free(&mask);
    guard_free(&subject.values);
    return class_id;
}

static void of_equal_scores_the_lower_class_counts(void **state)
{
    float all[256];
    (void)state;
    for (uint32_t i = 0; i < 256; i++)
        all[i] = -1.0f;
    assert_int_equal(one_pixel(256, all, true), 0);
    all[255] = 0.0f;
    assert_int_equal(one_pixel(256, all, true), 255);
    all[100] = -0.0f; /* is 0 */
    assert_int_equal(one_pixel(256, all, false), 100);
    all[101] = rung__f32_from_bits(1); /* is more than 0 */
    assert_int_equal(one_pixel(256, all, false), 101);
}

static void what_is_no_number_never_wins(void **state)
{
    const float nan = rung__f32_from_bits(0x7fc00000), minus_nan = rung__f32_from_bits(0xffc00000);
    (void)state;
    assert_int_equal(one_pixel(3, (const float[]){nan, -INFINITY, nan}, false), 1);
    assert_int_equal(one_pixel(3, (const float[]){minus_nan, nan, -1e30f}, true), 2);
    assert_int_equal(one_pixel(3, (const float[]){nan, minus_nan, nan}, true), 0);
    assert_int_equal(one_pixel(2, (const float[]){1e30f, INFINITY}, true), 1);
    assert_int_equal(one_pixel(1, &nan, false), 0);
}

static void one_channel_is_cut_at_its_confidence(void **state)
{
    (void)state;
    /* roundeven(0.5 × 65535) is 32768, the even neighbour of 32767.5. */
    assert_int_equal(one_pixel(1, (const float[]){0.5f}, false), 1);
    assert_int_equal(one_pixel(1, (const float[]){0x1.fffffep-2f}, false), 0);
    assert_int_equal(one_pixel(1, (const float[]){INFINITY}, false), 1);
    assert_int_equal(one_pixel(1, (const float[]){-INFINITY}, false), 0);
    struct subject subject = subject_of(2, 1, 1, false);
    subject.form.logits = true;
    *value(&subject, 0, 0, 0) = -0.001f;
    *value(&subject, 0, 1, 0) = 0.0f;
    struct guarded mask = run(&subject);
    assert_memory_equal(mask.bytes, ((const uint8_t[]){0, 1}), 2);
    guard_free(&mask);
    guard_free(&subject.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_output_of_any_shape_has_the_classes_of_the_rule),
        cmocka_unit_test(of_equal_scores_the_lower_class_counts),
        cmocka_unit_test(what_is_no_number_never_wins),
        cmocka_unit_test(one_channel_is_cut_at_its_confidence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
