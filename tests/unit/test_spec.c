/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a spec round trips through a model file, and each mistake is told by its member. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rung/artifact.h>

#include "artifact/numbers.h"
#include "artifact/spec.h"
#include "artifact_fixture.h"
#include "folder_fixture.h"

static struct artifact_fixture fixture;

static int set_up(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    artifact_fixture_make(&fixture, test_folder);
    return 0;
}

/* ---- round trip -------------------------------------------------------------------------- */

/* The description of the packed model, newly allocated. */
static char *inspect(rung_inspect_form form)
{
    size_t needed = 0;
    assert_int_equal(rung_artifact_inspect(fixture.model, form, (rung_span){0}, &needed),
                     RUNG_CAPACITY);
    char *text = malloc(needed);
    assert_non_null(text);
    assert_int_equal(
        rung_artifact_inspect(fixture.model, form, (rung_span){text, needed - 1}, NULL),
        RUNG_CAPACITY);
    assert_int_equal(rung_artifact_inspect(fixture.model, form, (rung_span){text, needed}, NULL),
                     RUNG_OK);
    assert_int_equal(strlen(text) + 1, needed);
    return text;
}

/* Packs `spec`, describes the file, packs the description, compares. */
static void expect_round_trip(const json_t *spec)
{
    struct rung__buffer first, second;
    artifact_fixture_save_spec(&fixture, spec);
    if (artifact_fixture_pack(&fixture, false) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    artifact_fixture_load(fixture.model, &first);
    char *text = inspect(RUNG_INSPECT_SPEC);
    artifact_fixture_save(fixture.spec, (struct rung__bytes){(const uint8_t *)text, strlen(text)});
    free(text);
    if (artifact_fixture_pack(&fixture, false) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    artifact_fixture_load(fixture.model, &second);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    rung__buffer_finish(&second);
    rung__buffer_finish(&first);
}

static void inspection_gives_a_spec_of_the_same_bytes(void **state)
{
    (void)state;
    json_t *spec = artifact_fixture_spec();
    expect_round_trip(spec);

    json_t *selection = json_object_get(spec, "selection");
    json_object_set_new(selection, "min_confidence", json_real(0.123456789));
    json_object_set_new(selection, "iou", json_real(1.0 / 3));
    json_object_del(selection, "band");
    json_object_set_new(spec, "scale",
                        json_pack("[f,f,f]", 1 / 255.0, 1e-9, -0.017124753831663668));
    json_object_set_new(spec, "bias", json_pack("[f,f,f]", -2.1179039301310043, 1048576.0, -0.0));
    json_object_set_new(spec, "max_output_bytes", json_integer(5000));
    expect_round_trip(spec);

    static const char *const optional[] = {"labels",    "capabilities", "licence",   "gate",
                                           "canonical", "golden",       "providers", "fill"};
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
        json_object_del(spec, optional[i]);
    expect_round_trip(spec);
    json_decref(spec);
}

static void files_that_a_spec_names_lie_beside_it(void **state)
{
    (void)state;
    char path[256];
    static const uint8_t samples[8 * 8 * 3 * 4] = {1, 2, 3};
    artifact_fixture_save(in_test_folder(path, "image.bin"),
                          (struct rung__bytes){samples, sizeof samples});
    artifact_fixture_save(in_test_folder(path, "LICENSE"),
                          (struct rung__bytes){(const uint8_t *)"Free.\r\n", 7});
    json_t *spec = artifact_fixture_spec();
    json_object_set_new(json_object_get(spec, "golden"), "input",
                        json_pack("{s:s}", "file", "image.bin"));
    json_object_set_new(spec, "licence", json_pack("{s:s}", "file", "LICENSE"));
    json_object_set_new(spec, "precision", json_pack("{s:s}", "text", "{ \"Conv\" : 1e0 }\n"));
    expect_round_trip(spec);
    json_decref(spec);
}

static void fractions_read_back_to_the_same_field(void **state)
{
    (void)state;
    for (uint32_t i = 0; i <= UINT16_MAX; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.9g", rung__fraction_from_u16((uint16_t)i));
        assert_int_equal(rung__fraction_to_u16(strtod(text, NULL)), i);
    }
    assert_int_equal(rung__fraction_to_u16(0.5), 32768);     /* 32767.5: to even */
    assert_int_equal(rung__fraction_to_u16(0.5 / 65535), 0); /* to even */
    assert_int_equal(rung__fraction_to_u16(1.5 / 65535), 2);
    assert_true(rung__fraction_from_u16(32768) == 0.5);
    assert_true(rung__decimal_of_f32(0.1f) == 0.1);
}

static void a_report_tells_what_is_in_the_file(void **state)
{
    (void)state;
    assert_int_equal(artifact_fixture_pack(&fixture, true), RUNG_OK);
    char *text = inspect(RUNG_INSPECT_REPORT);
    json_t *report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(report);
    assert_string_equal(json_string_value(json_object_get(report, "name")), "tiny");
    assert_true(json_is_true(json_object_get(report, "signed")));
    assert_int_equal(json_string_length(json_object_get(report, "key_id")), 16);
    assert_int_equal(json_string_length(json_object_get(report, "digest")), 64);
    assert_int_equal(json_array_size(json_object_get(report, "labels")), 2);
    assert_int_equal(json_array_size(json_object_get(report, "sections")), 8);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(report, "graph"), "opset")),
                     17);
    json_decref(report);
    free(text);
}

/* ---- mistakes ---------------------------------------------------------------------------- */

/* Sets, or with NULL removes, a member by its path, such as "selection/iou" or "outputs/0/name". */
static void change(json_t *spec, const char *path, const char *value)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", path);
    char *rest = copy, *slash;
    json_t *at = spec;
    while ((slash = strchr(rest, '/'))) {
        *slash = '\0';
        at = json_is_array(at) ? json_array_get(at, strtoul(rest, NULL, 10))
                               : json_object_get(at, rest);
        rest = slash + 1;
    }
    json_t *json = value ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
    if (!value)
        assert_int_equal(json_object_del(at, rest), 0);
    else if (json_is_array(at))
        assert_int_equal(json_array_set_new(at, strtoul(rest, NULL, 10), json), 0);
    else
        assert_int_equal(json_object_set_new(at, rest, json), 0);
}

static void expect_refusal(const json_t *json, rung_result wanted, const char *sentence)
{
    struct rung__spec spec;
    const rung_result result = rung__spec_read(json, "tiny.json", test_folder, &spec);
    rung__spec_finish(&spec);
    if (result != wanted)
        fail_msg("result %d instead of %d (\"%s\", \"%s\")", result, wanted, sentence,
                 rung_last_error());
    if (!strstr(rung_last_error(), sentence) || !strstr(rung_last_error(), "tiny.json"))
        fail_msg("\"%s\" is not in \"%s\"", sentence, rung_last_error());
}

static void a_mistake_is_told_by_its_member(void **state)
{
    (void)state;
    static const struct {
        const char *path, *value, *sentence;
    } cases[] = {
        {"schema", NULL, "\"schema\" is missing"},
        {"schema", "2", "\"schema\" is 2"},
        {"colour", "1", "\"colour\""},
        {"name", NULL, "\"name\" is missing"},
        {"name", "\"Tiny\"", "name must be"},
        {"name", "\"01234567890123456789012345678901234567890123456789012345678901234\"",
         "\"name\" has more than 64"},
        {"role", "\"tracker\"", "\"role\" is \"tracker\", which is none of: detector, embedder"},
        {"role", "\"segmenter\"", "head is rows, but role is segmenter"},
        {"kind", "\"torch\"", "\"kind\""},
        {"form", "\"int4\"", "\"form\""},
        {"head", NULL, "\"head\" is missing"},
        {"head", "\"rows2\"", "\"head\""},
        {"canvas", NULL, "\"canvas\" is missing"},
        {"canvas/width", "0", "canvas: \"width\" is 0"},
        {"canvas/height", "16385", "canvas: \"height\" is 16385"},
        {"canvas/depth", "3", "canvas: there is no \"depth\""},
        {"tensor/dtype", "\"i4\"", "tensor: \"dtype\""},
        {"tensor/layout", "\"nchw\"", "tensor: \"layout\""},
        {"tensor/layout", "\"bgra\"", "layout bgra needs"},
        {"tensor/normalised", "true", "for embedders alone"},
        {"fit", NULL, "\"fit\" is missing"},
        {"fit", "\"crop\"", "\"fit\""},
        {"rounding", "\"ceil\"", "\"rounding\""},
        {"resampler", "\"lanczos\"", "\"resampler\""},
        {"order", "\"rgb\"", "\"order\""},
        {"scale", "[1,2]", "\"scale\" has 2 numbers"},
        {"scale/1", "2e6", "\"scale\"[1]"},
        {"scale/1", "1e-30", "scale[1] is 1e-30"},
        {"fill/2", "0.5", "\"fill\"[2]"},
        {"fill/2", "256", "\"fill\"[2]"},
        {"selection", NULL, "\"selection\" is missing"},
        {"selection/min_confidence", "1.01", "selection: \"min_confidence\""},
        {"selection/suppress", NULL, "selection: \"suppress\" is missing"},
        {"selection/iou", NULL, "selection: \"iou\" is missing"},
        {"selection/capacity", "65537", "selection: \"capacity\" is 65537"},
        {"selection/considered", "17", "considered is 17"},
        {"selection/max_targets", "10001", "selection: \"max_targets\""},
        {"selection/max_targets", "9", "considered is 8"},
        {"selection/band/min", "0.1", "selection: band: \"min\" is no multiple"},
        {"selection/band/max", "4", "band: min is 36/8"},
        {"selection/band/confidence", "0.4", "band: confidence"},
        {"selection/band/width", "4", "selection: band: there is no \"width\""},
        {"input", NULL, "input: \"name\" is missing"},
        {"input/name", "\"\"", "input: \"name\" has 0 bytes"},
        {"input/dtype", "\"f16\"", "input \"image\" is f16, but the canvas makes f32"},
        {"input/shape", "[]", "input: \"shape\""},
        {"input/shape", "[1,1,1,1,1,1,1,1,1]", "input: \"shape\""},
        {"input/shape/0", "-1", "input: \"shape\"[0]"},
        {"input/shape/0", "1.0", "input: \"shape\"[0]"},
        {"input/shape/1", "4", "[1,4,8,8]; [1,3,8,8] is needed"},
        {"outputs", "[]", "\"outputs\" must be"},
        {"outputs/0/purpose", "\"heat\"", "outputs[0]: \"purpose\" is \"heat\""},
        {"outputs/0/name", NULL, "outputs[0]: \"name\" is missing"},
        {"outputs/0/shape/2", "7", "[1,2,7]"},
        {"parameters", "{\"strides\":[4]}", "head rows has no parameter 1 (strides)"},
        {"parameters", "{\"strides\":[]}", "parameters: \"strides\""},
        {"parameters", "{\"strides\":[0]}", "parameters: \"strides\"[0]"},
        {"parameters", "{\"logits\":1}", "parameters: \"logits\""},
        {"parameters", "{\"variances\":[0]}", "\"variances\"[0] must be a number above 0"},
        {"parameters", "{\"variances\":[1.5]}", "\"variances\"[0] must be a number above 0"},
        {"parameters", "{\"variances\":[\"a\"]}", "\"variances\"[0] must be a number above 0"},
        {"parameters", "{\"hooks\":[1]}", "parameters: there is no \"hooks\""},
        {"labels", "[]", "\"labels\""},
        {"labels/1", "\"a\\nb\"", "\"labels\"[1]"},
        {"labels/1", "7", "\"labels\"[1]"},
        {"labels/1", "\"a\\u0007\"", "labels:"},
        {"capabilities/0", "-1", "\"capabilities\"[0]"},
        {"licence", "{}", "licence: either \"file\" or \"text\""},
        {"licence", "{\"file\":\"a\",\"text\":\"b\"}", "licence: either"},
        {"licence/text", "\"\"", "licence: it is empty"},
        {"gate/text", "\"[1]\"", "gate: not a JSON object"},
        {"gate/text", "\"{\"", "gate"},
        {"canonical", "\"00\"", "\"canonical\""},
        {"golden/input", "\"zeros\"", "golden: \"input\" must be"},
        {"golden/input", "{\"hex\":\"00\"}", "golden: the input has 1 bytes, not 768"},
        {"golden/tolerance", "0", "golden: tolerance is 0"},
        {"golden/tolerance", NULL, "golden: \"tolerance\" is missing"},
        {"golden/outputs/0/hex", "\"0\"", "golden: outputs[0]: \"hex\""},
        {"golden/outputs/0/hex", "\"\"", "golden: outputs[0]: it is empty"},
        {"golden/input", "{\"hex\":\"0\"}", "golden: input: \"hex\""},
        {"golden/input", "{\"hex\":\"\"}", "it is empty"},
        {"golden/outputs/0/hex", "\"zz\"", "golden: outputs[0]: \"hex\""},
        {"golden/outputs/0/hex", "\"00\"", "golden: output \"rows\""},
        {"providers", "[]", "providers is empty"},
        {"providers/1", "\"cuda\"", "\"providers\"[1] is none of: ort, tract"},
        {"embedding_length", "5", "for embedders alone"},
        {"max_output_bytes", "100", "max_output_bytes is 100"},
        {"graph", "7", "\"graph\" must be a text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_t *spec = artifact_fixture_spec();
        change(spec, cases[i].path, cases[i].value);
        expect_refusal(spec, RUNG_INVALID_ARGUMENT, cases[i].sentence);
        json_decref(spec);
    }
}

static void the_first_mistake_is_the_one_that_is_told(void **state)
{
    (void)state;
    json_t *spec = artifact_fixture_spec();
    change(spec, "canvas/width", "0");
    change(spec, "input/name", "7");
    change(spec, "golden/tolerance", "7");
    expect_refusal(spec, RUNG_INVALID_ARGUMENT, "canvas: \"width\" is 0");
    json_decref(spec);
}

static void a_missing_file_is_an_io_error_with_its_path(void **state)
{
    (void)state;
    json_t *spec = artifact_fixture_spec();
    change(spec, "licence", "{\"file\":\"tiny.json.missing\"}");
    expect_refusal(spec, RUNG_IO, "tiny.json.missing");
    json_decref(spec);
}

static void another_form_needs_its_precision_map(void **state)
{
    (void)state;
    json_t *spec = artifact_fixture_spec();
    change(spec, "form", "\"f16\"");
    artifact_fixture_save_spec(&fixture, spec);
    json_decref(spec);
    assert_int_equal(artifact_fixture_pack(&fixture, false), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "form f16 needs a precision section"));
}

static void a_spec_that_is_no_json_is_told_with_its_line(void **state)
{
    (void)state;
    static const char text[] = "{\n\"schema\": 1,\n}";
    artifact_fixture_save(fixture.spec,
                          (struct rung__bytes){(const uint8_t *)text, sizeof text - 1});
    assert_int_equal(artifact_fixture_pack(&fixture, false), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "line 3"));
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, remove_test_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(inspection_gives_a_spec_of_the_same_bytes),
        IN_FOLDER(files_that_a_spec_names_lie_beside_it),
        cmocka_unit_test(fractions_read_back_to_the_same_field),
        IN_FOLDER(a_report_tells_what_is_in_the_file),
        IN_FOLDER(a_mistake_is_told_by_its_member),
        IN_FOLDER(the_first_mistake_is_the_one_that_is_told),
        IN_FOLDER(a_missing_file_is_an_io_error_with_its_path),
        IN_FOLDER(another_form_needs_its_precision_map),
        IN_FOLDER(a_spec_that_is_no_json_is_told_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
