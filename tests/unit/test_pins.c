/* SPDX-License-Identifier: Apache-2.0 */
/* An embedder runs in f32 on every rung, unless it was measured there and signed for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "hardware/hardware.h"
#include "ladder/gates.h"
#include "ladder/pins.h"

#define DIGEST "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static char reason[300];

/** A model of some role and form whose payload has DIGEST; `gate` is its record, NULL: none. */
static bool serves(const char *rung, uint32_t role, uint32_t form, const char *gate)
{
    struct rung__artifact_view view = {.header = {.name = "net", .role = role, .form = form}};
    for (uint8_t i = 0; i < RUNG__SHA256_BYTES; i++)
        view.header.digest[i] = i;
    if (gate)
        view.sections[RUNG__SECTION_GATE] =
            (struct rung__bytes){(const uint8_t *)gate, strlen(gate)};
    reason[0] = '\0';
    return rung__rung_serves(rung__rung_named(rung), &view, reason, sizeof reason);
}

static bool takes(const struct rung__rung *rung, uint32_t form)
{
    return rung->forms & 1u << form;
}

static void an_embedder_is_served_in_f32_alone(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < rung__rung_count; i++) {
        const struct rung__rung *rung = &rung__rungs[i];
        for (uint32_t form = RUNG_FORM_F32; form <= RUNG_FORM_A16W16; form++) {
            const struct rung__header header = {.form = form};
            const bool in_f32 = rung__rung_precision(rung, &header) == RUNG_FORM_F32;
            assert_int_equal(serves(rung->id, RUNG_ROLE_EMBEDDER, form, NULL),
                             takes(rung, form) && in_f32);
        }
    }
}

static void the_other_roles_take_what_a_rung_offers(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < rung__rung_count; i++)
        for (uint32_t form = RUNG_FORM_F32; form <= RUNG_FORM_A16W16; form++) {
            const struct rung__rung *rung = &rung__rungs[i];
            assert_int_equal(serves(rung->id, RUNG_ROLE_DETECTOR, form, NULL), takes(rung, form));
            assert_int_equal(serves(rung->id, RUNG_ROLE_SEGMENTER, form, NULL), takes(rung, form));
        }
}

static void the_reason_is_in_words(void **state)
{
    (void)state;
    assert_false(serves("tensorrt", RUNG_ROLE_EMBEDDER, RUNG_FORM_F32, NULL));
    assert_non_null(strstr(reason, "compute in f16"));
    assert_non_null(strstr(reason, "embedder"));
    assert_false(serves("qnn-htp", RUNG_ROLE_DETECTOR, RUNG_FORM_F32, NULL));
    assert_non_null(strstr(reason, "quantised form"));
    assert_false(serves("cuda", RUNG_ROLE_DETECTOR, RUNG_FORM_INT8, NULL));
    assert_non_null(strstr(reason, "this one is in i8"));
}

static void what_passed_its_gate_on_that_rung_serves_there(void **state)
{
    (void)state;
    assert_true(serves("tensorrt", RUNG_ROLE_EMBEDDER, RUNG_FORM_F32,
                       "{\"schema\":1,\"gates\":[{\"rung\":\"cuda\"},{\"rung\":\"tensorrt\","
                       "\"precision\":\"f16\",\"artifact\":\"" DIGEST "\",\"passed\":true}]}"));
    assert_true(serves("ort-cpu", RUNG_ROLE_EMBEDDER, RUNG_FORM_INT8,
                       "{\"gates\":[{\"rung\":\"ort-cpu\",\"precision\":\"i8\",\"artifact\":"
                       "\"" DIGEST "\",\"passed\":true,\"cpu\":{\"features\":[\"sse4_2\"]}}]}"));
}

/** What a record with one entry, measured on a processor with these features, says of ort-cpu. */
static enum rung__gate gate_of(uint32_t form, bool saturates, const char *features)
{
    char record[512];
    struct rung__gates gates;
    struct rung__artifact_view view = {.header = {.name = "net", .form = form}};
    for (uint8_t i = 0; i < RUNG__SHA256_BYTES; i++)
        view.header.digest[i] = i;
    snprintf(record, sizeof record,
             "{\"gates\":[{\"rung\":\"ort-cpu\",\"precision\":\"%s\",\"artifact\":\"" DIGEST
             "\",\"passed\":true%s}]}",
             form == RUNG_FORM_INT8 ? "i8" : "a16w8", features);
    view.sections[RUNG__SECTION_GATE] =
        (struct rung__bytes){(const uint8_t *)record, strlen(record)};
    rung__gates_read(&view, &gates);
    gates.saturates = saturates;
    const enum rung__gate gate = rung__gates_of(&gates, rung__rung_named("ort-cpu"));
    rung__gates_finish(&gates);
    return gate;
}

static void an_int8_measurement_counts_on_processors_that_sum_alike(void **state)
{
    (void)state;
    static const char with[] = ",\"cpu\":{\"features\":[\"sse4_2\",\"avx2\",\"avx_vnni\"]}",
                      without[] = ",\"cpu\":{\"features\":[\"sse4_2\",\"avx2\"]}",
                      arm[] = ",\"cpu\":{\"features\":[\"asimd\"]}", odd[] = ",\"cpu\":[7]";
    assert_int_equal(gate_of(RUNG_FORM_INT8, true, without), RUNG__GATE_PASSED);
    assert_int_equal(gate_of(RUNG_FORM_INT8, true, with), RUNG__GATE_NONE);
    assert_int_equal(gate_of(RUNG_FORM_INT8, true, arm), RUNG__GATE_NONE);
    assert_int_equal(gate_of(RUNG_FORM_INT8, true, odd), RUNG__GATE_NONE);
    assert_int_equal(gate_of(RUNG_FORM_INT8, true, ""), RUNG__GATE_NONE);
    assert_int_equal(gate_of(RUNG_FORM_INT8, false, without), RUNG__GATE_PASSED);
    assert_int_equal(gate_of(RUNG_FORM_INT8, false, with), RUNG__GATE_PASSED);
    assert_int_equal(gate_of(RUNG_FORM_A16W8, true, with), RUNG__GATE_PASSED);
}

static void sums_saturate_on_x86_without_vnni(void **state)
{
    (void)state;
    uint32_t x86 = 0, vnni = 0, arm = 0;
    rung__cpu_feature_set(&x86, "sse4_2", strlen("sse4_2"));
    rung__cpu_feature_set(&arm, "asimd", strlen("asimd"));
    rung__cpu_feature_set(&vnni, "avx512_vnni", strlen("avx512_vnni"));
    assert_true(rung__cpu_sums_saturate(x86));
    assert_false(rung__cpu_sums_saturate(x86 | vnni));
    assert_false(rung__cpu_sums_saturate(arm));
    assert_false(rung__cpu_sums_saturate(0));
}

static void a_record_of_something_else_is_none(void **state)
{
    (void)state;
    static const char *const records[] = {
        "{}",
        "{\"gates\":7}",
        "{\"gates\":[7,null,{}]}",
        "no JSON",
        /* another rung, another precision, another payload, not passed, not so called */
        "{\"gates\":[{\"rung\":\"migraphx\",\"precision\":\"f16\",\"artifact\":\"" DIGEST
        "\",\"passed\":true}]}",
        "{\"gates\":[{\"rung\":\"tensorrt\",\"precision\":\"i8\",\"artifact\":\"" DIGEST
        "\",\"passed\":true}]}",
        "{\"gates\":[{\"rung\":\"tensorrt\",\"precision\":\"f16\",\"artifact\":\"00\","
        "\"passed\":true}]}",
        "{\"gates\":[{\"rung\":\"tensorrt\",\"precision\":\"f16\",\"artifact\":\"" DIGEST
        "\",\"passed\":false}]}",
        "{\"gates\":[{\"rung\":\"tensorrt\",\"precision\":\"f16\",\"artifact\":\"" DIGEST
        "\",\"passed\":1}]}",
    };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (serves("tensorrt", RUNG_ROLE_EMBEDDER, RUNG_FORM_F32, records[i]))
            fail_msg("was taken: %s", records[i]);
}

static void a_record_does_not_make_a_rung_take_a_form(void **state)
{
    (void)state;
    assert_false(serves("cuda", RUNG_ROLE_EMBEDDER, RUNG_FORM_INT8,
                        "{\"gates\":[{\"rung\":\"cuda\",\"precision\":\"i8\",\"artifact\":"
                        "\"" DIGEST "\",\"passed\":true}]}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_embedder_is_served_in_f32_alone),
        cmocka_unit_test(the_other_roles_take_what_a_rung_offers),
        cmocka_unit_test(the_reason_is_in_words),
        cmocka_unit_test(what_passed_its_gate_on_that_rung_serves_there),
        cmocka_unit_test(an_int8_measurement_counts_on_processors_that_sum_alike),
        cmocka_unit_test(sums_saturate_on_x86_without_vnni),
        cmocka_unit_test(a_record_of_something_else_is_none),
        cmocka_unit_test(a_record_does_not_make_a_rung_take_a_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
