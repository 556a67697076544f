/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Promises: a file of test vectors is read strictly, a mistake in it has a sentence that names the
 * case, and a wrong byte has one that names the byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rung/vectors.h>

#include "artifact/heads.h"
#include "base/text.h"
#include "folder_fixture.h"
#include "kernel/cpu_flags.h"
#include "kernel/exact.h"
#include "stage/vectors_check.h"

/** A box in the middle of the picture. */
static const char rows_text[] =
    "{\"group\": \"decode_rows\", \"format\": 1, \"note\": \"\", \"cases\": [{\"id\": \"middle\","
    "\"head\": \"rows\", \"source\": [64, 64], \"crop\": [0, 0, 64, 64], \"canvas\": [64, 64],"
    "\"fit\": \"stretch\", \"rounding\": \"nearest\", \"content\": [64, 64], \"origin\": [0, 0],"
    "\"k\": 0, \"parameters\": {\"logits\": false},"
    "\"admit\": {\"min_confidence\": 1, \"band_min\": 0, \"band_max\": 0, \"band_confidence\": 0},"
    "\"capacity\": 16, \"tensors\": {\"output\": {\"shape\": [1, 6],"
    "\"f32le_base64\": \"AACAPgAAgD4AAAA/AAAAPwAAgD8AAEBA\"}},"
    "\"inject\": [], \"expect\": {\"survivors\": 1, \"count\": 1, \"left_out\": false,"
    "\"records\": {\"bytes\": 16,"
    "\"sha256\": \"9d507968f5aec7744e8aa931aaa72bce16b6b125f1612682ad3618cbe569d510\","
    "\"base64\": \"gACAAAABAAH//wMBAQD//w==\"}, \"rows_kept\": [0]}}]}";

/** A head with strides. */
static const char grids_text[] =
    "{\"group\": \"decode_yolo_obj\", \"format\": 1, \"cases\": [{\"id\": \"grids\","
    "\"head\": \"yolo-obj\", \"source\": [64, 64], \"crop\": [0, 0, 64, 64], \"canvas\": [64, 64],"
    "\"fit\": \"stretch\", \"rounding\": \"nearest\", \"content\": [64, 64], \"origin\": [0, 0],"
    "\"k\": 0, \"parameters\": {\"logits\": true, \"raw\": true, \"strides\": [8, 16, 32]},"
    "\"admit\": {\"min_confidence\": 1, \"band_min\": 0, \"band_max\": 0, \"band_confidence\": 0},"
    "\"capacity\": 16, \"tensors\": {\"output\": {\"shape\": [84, 6],"
    "\"generator\": {\"seed\": 7, \"axis\": 1, \"params\": [[-8, 4, 2], [3, 1, 0]]}}},"
    "\"inject\": [[\"output\", 7, \"0x40490fdb\"]],"
    "\"expect\": {\"survivors\": 0, \"count\": 0, \"left_out\": false, \"records\": {\"bytes\": 0,"
    "\"sha256\": \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}}}]}";

static const char select_text[] =
    "{\"group\": \"select\", \"format\": 1, \"cases\": [{\"id\": \"few\","
    "\"generator\": {\"n\": 4, \"seed\": 1, \"payload\": \"index\", \"x\": [0, 9], \"y\": [0, 9],"
    "\"w\": [5, 1], \"h\": [1, 1], \"conf\": [0, 65536], \"class\": [0, 256], \"flags\": [1, 1]},"
    "\"points\": {\"seed\": 1, \"per\": [2, 1]},"
    "\"select\": {\"min_confidence\": 1, \"band_min\": 0, \"band_max\": 0, \"band_confidence\": 0,"
    "\"iou\": 65535, \"max_targets\": 4, \"considered\": 4, \"k\": 0, \"suppress\": false,"
    "\"containment\": false, \"per_class\": false},"
    "\"header\": {\"space\": 2, \"scene_epoch\": \"0x0000000000000000\","
    "\"frame_id\": \"0x0000000000000001\", \"model_epoch\": \"0x0000000000000001\","
    "\"session_epoch\": \"0x0000000000000001\", \"transform_epoch\": \"0x0000000000000001\","
    "\"topology_epoch\": \"0x0000000000000001\", \"source_id\": \"0x0000000000000001\","
    "\"display_id\": \"0x0000000000000001\", \"capabilities\": [[255, 7]]},"
    "\"expect\": {\"admitted\": 4, \"accepted\": 4, \"count\": 4, \"packet_flags\": 0,"
    "\"indices_u32le_sha256\":"
    "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
    "\"packet\": {\"bytes\": 1,"
    "\"sha256\": \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}}}]}";

/** The text with one part replaced, newly allocated. */
static char *edited(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (!at)
        fail_msg("\"%s\" is not in the text", from);
    char *new_text = rung__text_new("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_non_null(new_text);
    return new_text;
}

static rung_result parse(const char *text, struct rung__vectors *vectors)
{
    const struct rung__bytes bytes = {(const uint8_t *)text, strlen(text)};
    return rung__vectors_parse(bytes, "test.json", vectors);
}

static void assert_error_has(const char *part)
{
    if (!strstr(rung_last_error(), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rung_last_error());
}

/** Checks the first case of a text with the scalar kernels. */
static rung_result check(const char *text)
{
    struct rung__vectors vectors;
    struct rung__vectors_case vector;
    if (parse(text, &vectors) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    assert_int_equal(rung__vectors_read(&vectors, 0, &vector), RUNG_OK);
    const rung_result result = rung__vectors_check(&vector, 0, &rung__vectors_heap);
    rung__vectors_case_finish(&vector);
    rung__vectors_finish(&vectors);
    return result;
}

/* ---- what is right --------------------------------------------------------------------------- */

static void a_right_case_passes(void **state)
{
    (void)state;
    assert_int_equal(check(rows_text), RUNG_OK);
}

static void parameters_and_tensors_are_as_the_file_says(void **state)
{
    (void)state;
    struct rung__vectors vectors;
    struct rung__vectors_case vector;
    float values[84 * 6];
    assert_int_equal(parse(grids_text, &vectors), RUNG_OK);
    assert_int_equal(vectors.head, RUNG_HEAD_YOLO_OBJ);
    assert_int_equal(rung__vectors_read(&vectors, 0, &vector), RUNG_OK);
    const struct rung__tensors *tensors = &vector.decode.tensors;
    const struct rung__parameter *strides = rung__head_parameter(tensors, RUNG__PARAMETER_STRIDES);
    assert_int_equal(strides->count, 3);
    assert_int_equal(rung__get_u32(strides->values.data + 8), 32);
    assert_int_equal(rung__get_u32(rung__head_parameter(tensors, RUNG__PARAMETER_RAW)->values.data),
                     1);
    assert_int_equal(
        rung__get_u32(rung__head_parameter(tensors, RUNG__PARAMETER_LOGITS)->values.data), 1);

    rung__vectors_make_output(&vector.decode, 0, values);
    const uint32_t first = 7u * 1664525u + 1013904223u, second = first * 1664525u + 1013904223u;
    assert_true(values[0] == (float)((int32_t)(first >> 28) - 8) / 4);
    assert_true(values[1] == (float)((second >> 31) + 3));
    assert_int_equal(rung__f32_bits(values[7]), 0x40490fdb);
    rung__vectors_case_finish(&vector);
    rung__vectors_finish(&vectors);
}

static void candidates_and_points_are_as_the_file_says(void **state)
{
    (void)state;
    struct rung__vectors vectors;
    struct rung__vectors_case vector;
    struct rung__candidate candidates[4];
    uint32_t first[5];
    int32_t values[12];
    assert_int_equal(parse(select_text, &vectors), RUNG_OK);
    assert_int_equal(rung__vectors_read(&vectors, 0, &vector), RUNG_OK);
    assert_int_equal(vector.select.candidates.count, 4);
    assert_int_equal(vector.select.points.pairs, 6);
    assert_int_equal(vector.select.packet.capabilities[255], 7);
    rung__vectors_make_candidates(&vector.select.candidates, candidates);
    rung__vectors_make_points(&vector.select.points, 4, first, values);
    const uint32_t step = 1664525u + 1013904223u;
    assert_int_equal(candidates[0].x, (step >> 16) % 9);
    assert_int_equal(candidates[3].payload, 3);
    assert_int_equal(first[3], 5);
    assert_int_equal(values[0], (int32_t)(step >> 8) - (1 << 23));
    rung__vectors_case_finish(&vector);
    rung__vectors_finish(&vectors);
}

static void a_head_without_a_decoder_is_not_applicable(void **state)
{
    (void)state;
    struct rung__vectors vectors;
    struct rung__vectors_case vector;
    assert_int_equal(parse(rows_text, &vectors), RUNG_OK);
    assert_int_equal(rung__vectors_read(&vectors, 0, &vector), RUNG_OK);
    vector.decode.head = RUNG_HEAD_NONE;
    assert_int_equal(rung__vectors_check(&vector, 0, &rung__vectors_heap), RUNG_NOT_FOUND);
    assert_error_has("no decoder for head none");
    rung__vectors_case_finish(&vector);
    rung__vectors_finish(&vectors);
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static void a_wrong_byte_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *sentence;
    } cases[] = {
        {"gACAAAAB", "gACAAAEB", "the records: byte 4 of 16 is 0x00; 0x01 was expected"},
        {"\"survivors\": 1", "\"survivors\": 2", "survivors is 1; 2 was expected"},
        {"\"left_out\": false", "\"left_out\": true", "left_out is 0; 1 was expected"},
        {"\"rows_kept\": [0]", "\"rows_kept\": [9]", "rows_kept: element 0 is 0; 9 was expected"},
        {"\"k\": 0", "\"k\": 3", "k is 0; 3 was expected"},
        {"\"origin\": [0, 0]", "\"origin\": [0, 5]", "64x64 at 0,0; 64x64 at 0,5 was expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = edited(rows_text, cases[i].from, cases[i].to);
        assert_int_equal(check(text), RUNG_INTEGRITY);
        assert_error_has(cases[i].sentence);
        free(text);
    }
}

static void without_the_bytes_their_digest_decides(void **state)
{
    (void)state;
    char *right = edited(rows_text, ",\"base64\": \"gACAAAABAAH//wMBAQD//w==\"", "");
    char *wrong = edited(right, "9d507968", "9d507969");
    assert_int_equal(check(right), RUNG_OK);
    assert_int_equal(check(wrong), RUNG_INTEGRITY);
    assert_error_has("the 16 bytes have SHA-256 9d507968");
    free(wrong);
    free(right);
}

/** The text with one part replaced is refused with a sentence that has `sentence`. */
static void refuses(const char *text, const char *from, const char *to, const char *sentence)
{
    struct rung__vectors vectors;
    char *wrong = edited(text, from, to);
    const rung_result result = parse(wrong, &vectors);
    if (result != RUNG_INVALID_ARGUMENT)
        fail_msg("\"%s\" gives %s", to, rung_result_name(result));
    assert_error_has(sentence);
    rung__vectors_finish(&vectors);
    free(wrong);
}

static void a_file_of_another_kind_is_refused(void **state)
{
    (void)state;
    refuses(rows_text, rows_text, "", "test.json, line 1");
    refuses(rows_text, rows_text, "[]", "test.json: an object is needed");
    refuses(rows_text, rows_text, "{}", "\"group\" is missing");
    refuses(rows_text, "decode_rows", "decode_hydra", "there is no group \"decode_hydra\"");
    refuses(rows_text, "decode_rows", "decode_none", "there is no group");
    refuses(rows_text, "decode_rows", "decode_detr", "the head is not that of the group");
    refuses(rows_text, "\"format\": 1", "\"format\": 2", "\"format\"");
    refuses(rows_text, "\"note\"", "\"notes\"", "\"notes\"");
    refuses(select_text, strstr(select_text, "[{\"id\""), "[]}", "\"cases\"");
}

static void a_mistake_in_a_case_names_it_and_the_member(void **state)
{
    (void)state;
    const char *where = "test.json: case middle: ";
    refuses(rows_text, "\"survivors\": 1, ", "", "\"survivors\" is missing");
    refuses(rows_text, "\"survivors\": 1", "\"survivors\": -1", where);
    refuses(rows_text, "\"survivors\"", "\"survived\": 1, \"survivors\"", "\"survived\"");
    refuses(rows_text, "\"id\": \"middle\",", "", "case 0: \"id\" is missing");
    refuses(rows_text, "stretch", "fill", "none of: stretch, letterbox");
    refuses(rows_text, "\"rows\"", "\"hydra\"", where);
    refuses(rows_text, "[0, 0, 64, 64]", "[1, 0, 64, 64]", "crop");
    refuses(rows_text, "[0, 0, 64, 64]", "[0, 0, 64]", "an array of 4");
    refuses(rows_text, "\"shape\": [1, 6]", "\"shape\": [1, 5]", "24 bytes for 5 elements");
    refuses(rows_text, "\"shape\": [1, 6]", "\"shape\": [6, 1]", "shape [6,1]");
    refuses(rows_text, "AACAPgAA", "AACAPgA", "base64");
    refuses(rows_text, "AACAPgAA", "AACA*gAA", "not base64");
    refuses(rows_text, "\"bytes\": 16", "\"bytes\": 17", "promises 17");
    refuses(rows_text, "9d50", "9D50", "64 hexadecimal digits");
    refuses(rows_text, "\"rows_kept\": [0]", "\"rows_kept\": []", "an array of 1");
    refuses(grids_text, "\"output\", 7", "\"output\", 504", "names no element");
    refuses(grids_text, "\"output\", 7", "\"boxes\", 7", "names no element");
    refuses(grids_text, "0x40490fdb", "0x40490fd", "8 hexadecimal digits");
    refuses(grids_text, "[8, 16, 32]", "[8, 0, 32]", "\"strides\"[1]");
    refuses(grids_text, "[8, 16, 32]", "8", "\"strides\"");
    refuses(grids_text, "\"axis\": 1", "\"axis\": 2", "\"axis\"");
    refuses(grids_text, "[3, 1, 0]", "[3, 0, 0]", "\"params\"[1]");
    refuses(select_text, "[5, 1]", "[5, 0]", "the span of \"w\"");
    refuses(select_text, "[0, 256]", "[1, 256]", "the span of \"class\"");
    refuses(select_text, "[255, 7]", "[256, 7]", "\"capabilities\"");
    refuses(select_text, "\"considered\": 4", "\"considered\": 3", "\"considered\"");
}

static void two_cases_of_one_id_are_refused(void **state)
{
    (void)state;
    struct rung__vectors vectors;
    const char *first = strchr(rows_text, '[') + 1;
    char *text = rung__text_new("%.*s,%s", (int)(strlen(rows_text) - 2), rows_text, first);
    assert_non_null(text);
    assert_int_equal(parse(text, &vectors), RUNG_INVALID_ARGUMENT);
    assert_error_has("case middle: two cases have this id");
    rung__vectors_finish(&vectors);
    free(text);
}

static void what_is_too_large_to_be_made_is_refused(void **state)
{
    (void)state;
    refuses(grids_text, "[84, 6]", "[16777216, 16777216]", "more than 16777216 elements");
    refuses(grids_text, "[84, 6]", "[16777217, 1]", "\"shape\"[0]");
    refuses(rows_text, "\"capacity\": 16", "\"capacity\": 65537", "\"capacity\"");
    refuses(rows_text, "\"bytes\": 16", "\"bytes\": 67108865", "\"bytes\"");
    refuses(select_text, "\"n\": 4", "\"n\": 65537", "\"n\"");
    char *many = edited(select_text, "\"n\": 4", "\"n\": 65536");
    refuses(many, "\"per\": [2, 1]", "\"per\": [129]", "more points");
    free(many);
}

/* ---- the public function --------------------------------------------------------------------- */

static void save(const char *path, const char *text)
{
    const struct rung__bytes bytes = {(const uint8_t *)text, strlen(text)};
    assert_int_equal(rung__file_save(path, bytes, 0600, true), RUNG_OK);
}

static void expect_right(void *user, const rung_vectors_outcome *outcome)
{
    size_t *seen = user;
    assert_string_equal(outcome->implementation, rung__cpu_level((*seen)++)->name);
    assert_string_equal(outcome->group, "decode_rows");
    assert_int_equal(outcome->cases, 1);
    assert_int_equal(outcome->passed, 1);
    assert_int_equal(outcome->failed + outcome->not_applicable, 0);
    assert_string_equal(outcome->failure, "");
}

static void expect_wrong(void *user, const rung_vectors_outcome *outcome)
{
    size_t *seen = user;
    (*seen)++;
    assert_int_equal(outcome->failed, 1);
    assert_int_equal(outcome->passed, 0);
    assert_string_equal(outcome->failed_case, "middle");
    assert_non_null(strstr(outcome->failure, "case middle: "));
    assert_non_null(strstr(outcome->failure, outcome->implementation));
}

static void each_implementation_has_one_outcome(void **state)
{
    (void)state;
    char path[256];
    size_t seen = 0;
    save(in_test_folder(path, "right.json"), rows_text);
    assert_int_equal(rung_vectors_run(path, expect_right, &seen), RUNG_OK);
    assert_true(seen > 0);
    assert_null(rung__cpu_level(seen));
    assert_int_equal(rung_vectors_run(path, NULL, NULL), RUNG_OK);
}

static void a_failed_case_is_the_result(void **state)
{
    (void)state;
    char path[256];
    size_t seen = 0;
    char *text = edited(rows_text, "gACAAAAB", "gACAAAEB");
    save(in_test_folder(path, "wrong.json"), text);
    assert_int_equal(rung_vectors_run(path, expect_wrong, &seen), RUNG_INTEGRITY);
    assert_error_has("wrong.json: case middle: scalar: the records: byte 4");
    assert_null(rung__cpu_level(seen));
    free(text);
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    char path[256];
    assert_int_equal(rung_vectors_run(NULL, NULL, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_vectors_run(test_folder, NULL, NULL), RUNG_IO);
    assert_int_equal(rung_vectors_run(in_test_folder(path, "none"), NULL, NULL), RUNG_IO);
    assert_error_has(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_case_passes),
        cmocka_unit_test(parameters_and_tensors_are_as_the_file_says),
        cmocka_unit_test(candidates_and_points_are_as_the_file_says),
        cmocka_unit_test(a_head_without_a_decoder_is_not_applicable),
        cmocka_unit_test(a_wrong_byte_is_named),
        cmocka_unit_test(without_the_bytes_their_digest_decides),
        cmocka_unit_test(a_file_of_another_kind_is_refused),
        cmocka_unit_test(a_mistake_in_a_case_names_it_and_the_member),
        cmocka_unit_test(two_cases_of_one_id_are_refused),
        cmocka_unit_test(what_is_too_large_to_be_made_is_refused),
        cmocka_unit_test(each_implementation_has_one_outcome),
        cmocka_unit_test(a_failed_case_is_the_result),
        cmocka_unit_test(what_is_no_file_is_refused),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
