/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: what an engine was compiled for is read as it was written, or refused; never half. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "artifact/contents.h"
#include "artifact/device.h"
#include "base/json.h"
#include "base/text.h"

#define LINES "chip.model=SM8550\ndriver.npu=1.2\n"

static struct rung__engine_device an_engine(void)
{
    struct rung__engine_device device = {.rung = "qnn-htp", .precision = "i8"};
    memset(device.artifact, 'a', sizeof device.artifact - 1);
    device.depends_on = rung__text_new("%s", LINES);
    assert_non_null(device.depends_on);
    return device;
}

static struct rung__buffer printed(void)
{
    struct rung__buffer text = {0};
    struct rung__engine_device device = an_engine();
    assert_int_equal(rung__device_print(&device, &text), RUNG_OK);
    rung__device_finish(&device);
    return text;
}

static rung_result parse(struct rung__bytes section)
{
    struct rung__engine_device device;
    const rung_result result = rung__device_parse(section, &device);
    rung__device_finish(&device);
    return result;
}

/* The section with one member that is other; NULL takes it away. */
static void expect_refusal(const char *key, json_t *value, const char *sentence)
{
    struct rung__buffer text = printed(), changed = {0};
    json_t *json = NULL;
    assert_int_equal(rung__json_parse(rung__buffer_bytes(&text), "device", &json), RUNG_OK);
    assert_int_equal(value ? json_object_set_new(json, key, value) : json_object_del(json, key), 0);
    assert_int_equal(rung__json_append_line(json, "a device", &changed), RUNG_OK);
    assert_int_equal(parse(rung__buffer_bytes(&changed)), RUNG_INTEGRITY);
    if (!strstr(rung_last_error(), sentence))
        fail_msg("\"%s\" is not in \"%s\"", sentence, rung_last_error());
    json_decref(json);
    rung__buffer_finish(&text);
    rung__buffer_finish(&changed);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct rung__buffer text = printed();
    struct rung__engine_device device;
    const struct rung__engine_device first = {0};
    assert_int_equal(rung__device_parse(rung__buffer_bytes(&text), &device), RUNG_OK);
    assert_string_equal(device.rung, "qnn-htp");
    assert_string_equal(device.precision, "i8");
    assert_string_equal(device.depends_on, LINES);
    assert_int_equal(strspn(device.artifact, "a"), 64);
    assert_int_equal(strlen(device.fingerprint), 64);
    rung__device_finish(&device);
    assert_memory_equal(&device, &first, sizeof device);
    rung__buffer_finish(&text);
}

static void each_member_is_needed_and_no_other_is_taken(void **state)
{
    (void)state;
    static const char *const keys[] = {"schema",   "rung",        "precision",
                                       "artifact", "fingerprint", "depends_on"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        expect_refusal(keys[i], NULL, keys[i]);
    expect_refusal("model", json_string("tiny"), "model");
}

static void values_that_are_none_are_refused(void **state)
{
    (void)state;
    char digest[65] = "";
    memset(digest, 'b', sizeof digest - 1);
    expect_refusal("schema", json_integer(2), "schema");
    expect_refusal("rung", json_string("QNN"), "names");
    expect_refusal("rung", json_string(""), "names");
    expect_refusal("precision", json_string("i8 "), "names");
    expect_refusal("precision", json_string("abcdefghijklmnop"), "precision");
    expect_refusal("fingerprint", json_string(digest), "not the SHA-256");
    digest[63] = 'B';
    expect_refusal("artifact", json_string(digest), "64 hexadecimal digits");
    digest[63] = '\0';
    expect_refusal("artifact", json_string(digest), "64 hexadecimal digits");
    expect_refusal("depends_on", json_string(LINES), "an array of lines");
    expect_refusal("depends_on", json_array(), "is empty");
    expect_refusal("depends_on", json_pack("[s]", "a\nb"), "no line of text");
    expect_refusal("depends_on", json_pack("[s]", "a\x1b[2J"), "no line of text");
    expect_refusal("depends_on", json_pack("[s,i]", "a", 1), "no line of text");
    expect_refusal("depends_on", json_pack("[s]", "chip.model=SM8550"), "not the SHA-256");
}

static void no_damage_is_taken_for_a_device(void **state)
{
    (void)state;
    struct rung__buffer text = printed();
    for (size_t size = 0; size + 1 < text.size; size++) /* the line's end is no part of it */
        assert_int_equal(parse((struct rung__bytes){text.data, size}), RUNG_INTEGRITY);
    for (size_t i = 0; i + 1 < text.size; i++) {
        text.data[i] ^= 0x80; /* no UTF-8 any more */
        assert_int_equal(parse(rung__buffer_bytes(&text)), RUNG_INTEGRITY);
        text.data[i] ^= 0x80;
    }
    rung__buffer_finish(&text);
    assert_int_equal(parse((struct rung__bytes){(const uint8_t *)"[1]", 3}), RUNG_INTEGRITY);
}

static void a_device_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static uint8_t large[RUNG__RECORD_BYTES_MAX + 1];
    memset(large, ' ', sizeof large);
    assert_int_equal(parse((struct rung__bytes){large, sizeof large}), RUNG_INTEGRITY);
    assert_non_null(strstr(rung_last_error(), "more than"));
}

static void the_model_of_an_engine_is_what_it_was_compiled_from(void **state)
{
    (void)state;
    char hex[2 * RUNG__SHA256_BYTES + 1];
    struct rung__buffer text = printed();
    struct rung__artifact_view view = {.header = {.kind = RUNG_ARTIFACT_ONNX, .digest = {0x12}}};
    view.sections[RUNG__SECTION_DEVICE] = rung__buffer_bytes(&text);
    assert_int_equal(rung__artifact_model_digest(&view, hex), RUNG_OK);
    assert_memory_equal(hex, "1200", 4);
    view.header.kind = RUNG_ARTIFACT_ENGINE;
    assert_int_equal(rung__artifact_model_digest(&view, hex), RUNG_OK);
    assert_int_equal(strspn(hex, "a"), 64);
    rung__buffer_finish(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(each_member_is_needed_and_no_other_is_taken),
        cmocka_unit_test(values_that_are_none_are_refused),
        cmocka_unit_test(no_damage_is_taken_for_a_device),
        cmocka_unit_test(a_device_that_is_too_long_is_refused),
        cmocka_unit_test(the_model_of_an_engine_is_what_it_was_compiled_from),
    };
    return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
