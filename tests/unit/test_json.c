/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: JSON from outside is strict and bounded; each mistake in it has its sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"

static struct rung__bytes bytes_of(const char *text)
{
    return (struct rung__bytes){(const uint8_t *)text, strlen(text)};
}

static json_t *parsed(const char *text)
{
    json_t *json;
    assert_int_equal(rung__json_parse(bytes_of(text), "test", &json), RUNG_OK);
    return json;
}

static void assert_error_has(const char *part)
{
    if (!strstr(rung_last_error(), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rung_last_error());
}

static void what_is_not_strict_json_is_refused(void **state)
{
    (void)state;
    const char *bad[] = {
        "",
        "{",
        "{}x",
        "{'a':1}",
        "{\"a\":1,}",
        "[01]",
        "[1.]",
        "[NaN]",
        "// c\n{}",
        "{\"a\":1,\"a\":2}",
        "[\"\\u0000\"]",
        "[\"\xff\"]",
        "[\"\xed\xa0\x80\"]",
        "[1e999]",
        "[99999999999999999999]",
        "3",
        "\xef\xbb\xbf{}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *json = NULL;
        assert_int_equal(rung__json_parse(bytes_of(bad[i]), "spec.json", &json),
                         RUNG_INVALID_ARGUMENT);
        assert_null(json);
        assert_error_has("spec.json, line ");
    }
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    char text[2 * 65 + 1];
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    text[130] = 0;
    json_t *json;
    struct rung__bytes deep = {(const uint8_t *)text, 130};
    assert_int_equal(rung__json_parse(deep, "test", &json), RUNG_INVALID_ARGUMENT);
    assert_error_has("64 levels");
    struct rung__bytes allowed = {(const uint8_t *)text + 1, 128};
    assert_int_equal(rung__json_parse(allowed, "test", &json), RUNG_OK);
    json_decref(json);

    /* Brackets in a text count for nothing, also behind an escaped quote. */
    char quoted[128] = "[\"\\\"";
    memset(quoted + 4, '[', 100);
    memcpy(quoted + 104, "\"]", 3);
    json_decref(parsed(quoted));
}

static void size_and_number_of_values_are_bounded(void **state)
{
    (void)state;
    size_t size = ((size_t)16 << 20) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, ' ', size);
    json_t *json;
    struct rung__bytes large = {(const uint8_t *)text, size};
    assert_int_equal(rung__json_parse(large, "test", &json), RUNG_INVALID_ARGUMENT);
    assert_error_has("larger than 16777216 bytes");

    for (size_t i = 0; i < size; i++)
        text[i] = i % 2 ? ',' : '0';
    text[0] = '[';
    struct rung__bytes many = {(const uint8_t *)text, (size_t)3 << 20};
    assert_int_equal(rung__json_parse(many, "test", &json), RUNG_INVALID_ARGUMENT);
    assert_error_has("values");
    free(text);
}

static void a_reader_gives_members_and_defaults(void **state)
{
    (void)state;
    json_t *json = parsed("{\"u\":7,\"r\":-0.5,\"i\":3,\"b\":true,\"t\":\"x\",\"a\":[1,2.5]}");
    struct rung__json_reader reader;
    double numbers[2] = {9, 9}, missing[2] = {4, 5};
    rung__json_reader_init(&reader, json, "test");
    assert_int_equal(rung__json_u64(&reader, "u", 0, 7, true, 1), 7);
    assert_int_equal(rung__json_u64(&reader, "no", 0, 7, false, 5), 5);
    assert_true(rung__json_real(&reader, "r", -1, 1, true, 0) == -0.5);
    assert_true(rung__json_real(&reader, "i", 0, 5, true, 0) == 3);
    assert_true(rung__json_bool(&reader, "b", true, false));
    assert_true(rung__json_bool(&reader, "no2", false, true));
    assert_string_equal(rung__json_text(&reader, "t", true), "x");
    assert_null(rung__json_text(&reader, "no3", false));
    rung__json_reals(&reader, "a", 0, 10, true, numbers, 2);
    rung__json_reals(&reader, "no4", 0, 10, false, missing, 2);
    assert_true(numbers[0] == 1 && numbers[1] == 2.5 && missing[0] == 4 && missing[1] == 5);
    assert_int_equal(rung__json_reader_end(&reader), RUNG_OK);
    json_decref(json);
}

/* Runs one reading call on one object and expects a sentence with `part`. */
#define REFUSES(text, part, call)                                                                  \
    do {                                                                                           \
        json_t *json_ = parsed(text);                                                              \
        struct rung__json_reader reader;                                                           \
        rung__json_reader_init(&reader, json_, "spec.json: fit");                                  \
        call;                                                                                      \
        assert_int_equal(rung__json_reader_end(&reader), RUNG_INVALID_ARGUMENT);                   \
        assert_error_has("spec.json: fit: ");                                                      \
        assert_error_has(part);                                                                    \
        json_decref(json_);                                                                        \
    } while (0)

static void each_mistake_has_its_sentence(void **state)
{
    (void)state;
    double numbers[2];
    REFUSES("[]", "an object is needed", (void)0);
    REFUSES("{}", "\"k\" is missing", rung__json_u64(&reader, "k", 0, 9, true, 0));
    REFUSES("{\"k\":10}", "0..9", rung__json_u64(&reader, "k", 0, 9, true, 0));
    REFUSES("{\"k\":-1}", "is -1", rung__json_u64(&reader, "k", 0, UINT64_MAX, true, 0));
    REFUSES("{\"k\":1.0}", "whole number", rung__json_u64(&reader, "k", 0, 9, true, 0));
    REFUSES("{\"k\":null}", "null", rung__json_u64(&reader, "k", 0, 9, false, 0));
    REFUSES("{\"k\":1.5}", "0..1", rung__json_real(&reader, "k", 0, 1, true, 0));
    REFUSES("{\"k\":\"1\"}", "a text", rung__json_real(&reader, "k", 0, 1, true, 0));
    REFUSES("{\"k\":1}", "true or false", rung__json_bool(&reader, "k", true, false));
    REFUSES("{\"k\":1}", "must be a text", rung__json_text(&reader, "k", true));
    REFUSES("{\"k\":{}}", "must be an array",
            rung__json_reals(&reader, "k", 0, 1, true, numbers, 2));
    REFUSES("{\"k\":[1]}", "needs 2", rung__json_reals(&reader, "k", 0, 1, true, numbers, 2));
    REFUSES("{\"k\":[1,2]}", "\"k\"[1]", rung__json_reals(&reader, "k", 0, 1, true, numbers, 2));
    REFUSES("{\"k\":1,\"typo\":2}", "\"typo\"", rung__json_u64(&reader, "k", 0, 9, true, 0));
    REFUSES("{}", "of my own: 5", rung__json_refuse(&reader, "of my own: %d", 5));
}

static void the_first_mistake_is_the_one_told(void **state)
{
    (void)state;
    json_t *json = parsed("{\"a\":\"x\",\"b\":3}");
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, json, "test");
    assert_int_equal(rung__json_u64(&reader, "a", 0, 9, true, 2), 2);
    assert_int_equal(rung__json_u64(&reader, "b", 0, 9, true, 4), 4);
    assert_null(rung__json_member(&reader, "b"));
    assert_int_equal(rung__json_reader_end(&reader), RUNG_INVALID_ARGUMENT);
    assert_error_has("\"a\"");
    json_decref(json);
}

static void a_missing_object_misses_everything(void **state)
{
    (void)state;
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, NULL, "test");
    assert_int_equal(rung__json_u64(&reader, "a", 0, 9, false, 2), 2);
    assert_int_equal(rung__json_reader_end(&reader), RUNG_OK);
    assert_null(rung__json_text(&reader, "b", true));
    assert_int_equal(rung__json_reader_end(&reader), RUNG_INVALID_ARGUMENT);
    assert_error_has("\"b\" is missing");
}

static void writing_is_the_two_call_form(void **state)
{
    (void)state;
    json_t *json = parsed("{ \"b\" : [1, 0.5], \"a\": \"\xc3\xa9\" }");
    const char *expected = "{\"b\":[1,0.5],\"a\":\"\xc3\xa9\"}";
    size_t needed = 0;
    char text[64];
    memset(text, '#', sizeof text);
    assert_int_equal(rung__json_write(json, (rung_span){NULL, 0}, &needed), RUNG_CAPACITY);
    assert_int_equal(needed, strlen(expected) + 1);
    assert_int_equal(rung__json_write(json, (rung_span){text, needed - 1}, &needed), RUNG_CAPACITY);
    assert_int_equal(text[0], '#');
    assert_int_equal(rung__json_write(json, (rung_span){text, needed}, NULL), RUNG_OK);
    assert_string_equal(text, expected);
    assert_int_equal(text[needed], '#');
    json_decref(json);
}

static size_t allocations, failing_allocation;

static void *allocate(size_t size)
{
    return ++allocations == failing_allocation ? NULL : malloc(size);
}

/* jansson alone would leave characters out of the longer strings. */
static void without_memory_text_is_read_right_or_not_at_all(void **state)
{
    static const char text[] =
        "{\"a key of more than sixteen characters\": [\"a text that outgrows the "
        "first buffer, and the second one that is made for it\", 1, true]}";
    (void)state;
    json_t *right = parsed(text);
    json_set_alloc_funcs(allocate, free);
    failing_allocation = 0;
    do {
        json_t *json = NULL;
        allocations = 0;
        failing_allocation++;
        const rung_result result = rung__json_parse(bytes_of(text), "test", &json);
        assert_true(result == RUNG_NO_MEMORY || (result == RUNG_OK && json_equal(json, right)));
        json_decref(json);
    } while (allocations >= failing_allocation);
    json_set_alloc_funcs(malloc, free);
    assert_true(failing_allocation > 20);
    json_decref(right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_strict_json_is_refused),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(size_and_number_of_values_are_bounded),
        cmocka_unit_test(a_reader_gives_members_and_defaults),
        cmocka_unit_test(each_mistake_has_its_sentence),
        cmocka_unit_test(the_first_mistake_is_the_one_told),
        cmocka_unit_test(a_missing_object_misses_everything),
        cmocka_unit_test(writing_is_the_two_call_form),
        cmocka_unit_test(without_memory_text_is_read_right_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
