/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: slices stay inside, buffers grow or stay as they were, text is strict UTF-8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/bytes.h"

static void a_buffer_keeps_what_was_appended(void **state)
{
    (void)state;
    struct rung__buffer buffer = {0};
    for (uint32_t i = 0; i < 10000; i++) {
        uint8_t number[4];
        rung__put_u32(number, i);
        assert_int_equal(rung__buffer_append(&buffer, number, sizeof number), RUNG_OK);
    }
    assert_int_equal(rung__buffer_append(&buffer, NULL, 3), RUNG_OK);
    assert_int_equal(rung__buffer_append(&buffer, NULL, 0), RUNG_OK);
    assert_int_equal(buffer.size, 40003);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(rung__get_u32(buffer.data + (size_t)4 * i), i);
    assert_memory_equal(buffer.data + 40000, "\0\0\0", 3);
    rung__buffer_finish(&buffer);
    assert_null(buffer.data);
}

static void a_buffer_is_unchanged_when_memory_ends(void **state)
{
    (void)state;
    struct rung__buffer buffer = {0};
    assert_int_equal(rung__buffer_append(&buffer, "abc", 3), RUNG_OK);
    struct rung__buffer before = buffer;
    assert_int_equal(rung__buffer_append(&buffer, NULL, SIZE_MAX), RUNG_NO_MEMORY);
    assert_int_equal(rung__buffer_append(&buffer, NULL, SIZE_MAX / 2), RUNG_NO_MEMORY);
    assert_memory_equal(&buffer, &before, sizeof buffer);
    assert_memory_equal(buffer.data, "abc", 3);
    rung__buffer_finish(&buffer);
}

static void a_slice_never_leaves_its_bytes(void **state)
{
    (void)state;
    const uint8_t data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct rung__bytes bytes = {data, sizeof data}, slice;
    assert_true(rung__bytes_slice(bytes, 2, 6, &slice));
    assert_ptr_equal(slice.data, data + 2);
    assert_int_equal(slice.size, 6);
    assert_true(rung__bytes_slice(bytes, 8, 0, &slice));
    assert_false(rung__bytes_slice(bytes, 2, 7, &slice));
    assert_false(rung__bytes_slice(bytes, 9, 0, &slice));
    assert_false(rung__bytes_slice(bytes, 1, UINT64_MAX, &slice));
    assert_false(rung__bytes_slice(bytes, UINT64_MAX, 2, &slice));
}

static void numbers_are_little_endian(void **state)
{
    (void)state;
    uint8_t at[8];
    rung__put_u64(at, 0x8877665544332211u);
    assert_memory_equal(at, "\x11\x22\x33\x44\x55\x66\x77\x88", 8);
    assert_int_equal(rung__get_u16(at + 6), 0x8877);
    assert_int_equal(rung__get_u32(at + 4), 0x88776655u);
    assert_true(rung__get_u64(at) == 0x8877665544332211u);
    rung__put_f32(at, 1.0f);
    assert_memory_equal(at, "\0\0\x80\x3f", 4);
    assert_true(rung__get_f32(at) == 1.0f);
}

#define BYTES(literal) ((struct rung__bytes){(const uint8_t *)(literal), sizeof(literal) - 1})

static void text_is_strict_utf8(void **state)
{
    (void)state;
    const struct rung__bytes good[] = {
        BYTES(""),
        BYTES("plain"),
        BYTES("\xc2\x80 \xdf\xbf"),
        BYTES("\xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xef\xbf\xbf"),
        BYTES("\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf"),
    };
    const struct rung__bytes bad[] = {
        BYTES("a\0b"),             /* a zero */
        BYTES("\x80"),             /* a continuation alone */
        BYTES("\xc1\xbf"),         /* overlong */
        BYTES("\xe0\x9f\xbf"),     /* overlong */
        BYTES("\xf0\x8f\xbf\xbf"), /* overlong */
        BYTES("\xed\xa0\x80"),     /* surrogate */
        BYTES("\xf4\x90\x80\x80"), /* above U+10FFFF */
        BYTES("\xf5\x80\x80\x80"), /* no lead byte */
        BYTES("ab\xe2\x82"),       /* cut */
        BYTES("\xe2\x82"
              "a"), /* broken */
        BYTES("\xf0\x90\x80"
              "a"), /* broken */
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(rung__bytes_are_text(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(rung__bytes_are_text(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_keeps_what_was_appended),
        cmocka_unit_test(a_buffer_is_unchanged_when_memory_ends),
        cmocka_unit_test(a_slice_never_leaves_its_bytes),
        cmocka_unit_test(numbers_are_little_endian),
        cmocka_unit_test(text_is_strict_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
