/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: bounded strings tell when they are cut and are cut between characters; paths join. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"

static void formatting_tells_whether_all_fitted(void **state)
{
    (void)state;
    char to[6] = "?";
    assert_true(rung__text_format(to, sizeof to, "%d", 12345));
    assert_string_equal(to, "12345");
    assert_false(rung__text_format(to, sizeof to, "%d", 123456));
    assert_string_equal(to, "12345");
    assert_false(rung__text_format(to, 0, "x"));
    assert_string_equal(to, "12345");
}

static void a_cut_never_splits_a_character(void **state)
{
    (void)state;
    char to[6];
    assert_false(rung__text_format(to, sizeof to, "abc\xe2\x82\xac"));
    assert_string_equal(to, "abc");
    assert_false(rung__text_format(to, sizeof to, "ab\xe2\x82\xac!"));
    assert_string_equal(to, "ab\xe2\x82\xac");
    assert_false(rung__text_format(to, sizeof to, "ab\xf0\x9f\x98\x80"));
    assert_string_equal(to, "ab");
    assert_false(rung__text_format(to, sizeof to, "\x80\x80\x80\x80\x80\x80"));
    assert_string_equal(to, "\x80\x80\x80\x80\x80");
}

static void hex_has_two_lower_case_digits_a_byte(void **state)
{
    (void)state;
    char to[9];
    rung__text_hex(to, "\x00\x9f\xa0\xff", 4);
    assert_string_equal(to, "009fa0ff");
}

static void a_new_text_has_any_length(void **state)
{
    (void)state;
    char *text = rung__text_new("%0500d|%s", 7, "end");
    assert_non_null(text);
    assert_int_equal(strlen(text), 504);
    assert_string_equal(text + 499, "7|end");
    free(text);
}

static void a_path_list_gives_its_parts_and_skips_empty_ones(void **state)
{
    (void)state;
    const char *list = "::/a:b c::/d:", *item;
    size_t length;
    const char *expected[] = {"/a", "b c", "/d"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(rung__text_next_path(&list, &item, &length));
        assert_int_equal(length, strlen(expected[i]));
        assert_memory_equal(item, expected[i], length);
    }
    assert_false(rung__text_next_path(&list, &item, &length));
    assert_false(rung__text_next_path(&list, &item, &length));
}

static void check_join(const char *folder, const char *name, const char *expected)
{
    char *path = rung__path_join(folder, name);
    assert_non_null(path);
    assert_string_equal(path, expected);
    free(path);
}

static void paths_join_with_one_separator(void **state)
{
    (void)state;
    check_join("a", "b", "a/b");
    check_join("a/", "b", "a/b");
    check_join("/", "b", "/b");
    check_join("", "b", "b");
    check_join("a", "/b", "/b");
}

static void check_folder(const char *path, const char *expected)
{
    char *folder = rung__path_folder(path);
    assert_non_null(folder);
    assert_string_equal(folder, expected);
    free(folder);
}

static void a_path_lies_in_its_folder(void **state)
{
    (void)state;
    check_folder("/a/b", "/a");
    check_folder("/a//b//", "/a");
    check_folder("a/b/c", "a/b");
    check_folder("a", ".");
    check_folder("a/", ".");
    check_folder("", ".");
    check_folder("/a", "/");
    check_folder("//", "/");
    assert_string_equal(rung__path_name("/a/b"), "b");
    assert_string_equal(rung__path_name("/a/"), "");
    assert_string_equal(rung__path_name("b"), "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formatting_tells_whether_all_fitted),
        cmocka_unit_test(a_cut_never_splits_a_character),
        cmocka_unit_test(hex_has_two_lower_case_digits_a_byte),
        cmocka_unit_test(a_new_text_has_any_length),
        cmocka_unit_test(a_path_list_gives_its_parts_and_skips_empty_ones),
        cmocka_unit_test(paths_join_with_one_separator),
        cmocka_unit_test(a_path_lies_in_its_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
