/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: every failure leaves one clean, bounded sentence on its own thread. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/log.h"
#include "base/thread.h"

static void returns_the_result_and_keeps_the_text(void **state)
{
    (void)state;
    assert_int_equal(rung__fail(RUNG_IO, "no %s", "paper"), RUNG_IO);
    assert_string_equal(rung_last_error(), "no paper");
}

static void arguments_may_be_the_present_text(void **state)
{
    (void)state;
    rung__fail(RUNG_IO, "the disk is full");
    rung__fail(RUNG_IO, "cannot save: %s", rung_last_error());
    assert_string_equal(rung_last_error(), "cannot save: the disk is full");
}

static void a_long_text_is_cut_before_a_character(void **state)
{
    (void)state;
    char text[RUNG__ERROR_BYTES + 64];
    for (size_t ascii = 0; ascii < 4; ascii++) {
        memset(text, 'a', ascii);
        for (size_t at = ascii; at + 3 < sizeof text; at += 3)
            memcpy(text + at, "\xe2\x82\xac", 4);
        rung__fail(RUNG_IO, "%s", text);
        size_t length = strlen(rung_last_error());
        assert_int_equal((length - ascii) % 3, 0);
        assert_in_range(length, RUNG__ERROR_BYTES - 3, RUNG__ERROR_BYTES - 1);
    }
}

static void hostile_bytes_do_not_reach_a_terminal(void **state)
{
    (void)state;
    rung__fail(RUNG_IO, "%s",
               "a\x1b[31m\nb\x7f\xc2\x9b"
               "c\xff\xc3\xa9\xed\xa0\x80");
    assert_string_equal(rung_last_error(), "a [31m b   c?\xc3\xa9???");
}

static void the_system_names_its_reason(void **state)
{
    (void)state;
    assert_int_equal(rung__fail_errno(RUNG_IO, ENOENT, "cannot open %s", "x"), RUNG_IO);
    char expected[300];
    snprintf(expected, sizeof expected, "cannot open x: %s", strerror(ENOENT));
    assert_string_equal(rung_last_error(), expected);
}

static void fail_elsewhere(void *seen)
{
    *(bool *)seen = rung_last_error()[0] != 0;
    rung__fail(RUNG_IO, "there");
}

static void each_thread_has_its_own_text(void **state)
{
    (void)state;
    struct rung__thread thread;
    bool seen = true;
    rung__fail(RUNG_IO, "here");
    assert_int_equal(rung__thread_start(&thread, "other", fail_elsewhere, &seen), RUNG_OK);
    rung__thread_join(&thread);
    assert_false(seen);
    assert_string_equal(rung_last_error(), "here");
}

static void every_result_has_a_name_and_a_text(void **state)
{
    (void)state;
#define CHECK(name, number, text)                                                                  \
    assert_string_equal(rung_result_name(number), #name);                                          \
    assert_string_equal(rung_result_text(RUNG_##name), text);
    RUNG_RESULTS(CHECK)
#undef CHECK
    assert_string_equal(rung_result_name(-1000), "UNKNOWN");
    assert_string_equal(rung_result_name(1), "UNKNOWN");
    assert_non_null(rung_result_text(-1000));
}

#define LINE_BYTES 64

static void keep_line(void *user, int32_t level, const char *text)
{
    snprintf(user, LINE_BYTES, "%s", text);
    assert_int_equal(level, RUNG_LOG_ERROR);
}

static void the_log_gets_clean_lines_of_its_level(void **state)
{
    (void)state;
    char line[LINE_BYTES] = "";
    struct rung__log log = {keep_line, line, RUNG_LOG_WARNING};
    rung__log_write(&log, RUNG_LOG_INFO, "too low");
    assert_string_equal(line, "");
    rung__log_write(&log, RUNG_LOG_ERROR, "line %d\nof two", 1);
    assert_string_equal(line, "line 1 of two");
    rung__log_write(&(struct rung__log){0}, RUNG_LOG_ERROR, "nobody listens");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(returns_the_result_and_keeps_the_text),
        cmocka_unit_test(arguments_may_be_the_present_text),
        cmocka_unit_test(a_long_text_is_cut_before_a_character),
        cmocka_unit_test(hostile_bytes_do_not_reach_a_terminal),
        cmocka_unit_test(the_system_names_its_reason),
        cmocka_unit_test(each_thread_has_its_own_text),
        cmocka_unit_test(every_result_has_a_name_and_a_text),
        cmocka_unit_test(the_log_gets_clean_lines_of_its_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
