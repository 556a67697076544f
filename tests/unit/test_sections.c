/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: sections lie where they may, once each, and hold what they should, or are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "artifact/contents.h"
#include "artifact/golden.h"
#include "artifact/heads.h"
#include "artifact/sections.h"
#include "artifact/tensors.h"

#define FILE_BYTES 1024u

static void assert_error_has(const char *part)
{
    if (!strstr(rung_last_error(), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rung_last_error());
}

/* ---- the table --------------------------------------------------------------------------- */

static const struct rung__header plain = {.file_bytes = FILE_BYTES,
                                          .role = RUNG_ROLE_DETECTOR,
                                          .form = RUNG_FORM_F32,
                                          .section_count = 3};

static const struct rung__section_table good = {
    .rows = {{1, 384, 60}, {2, 448, 64}, {0x8000, 512, 512}}, .count = 3};

static rung_result parse(const struct rung__header *header, const struct rung__section_table *table,
                         struct rung__section_table *out)
{
    uint8_t file[FILE_BYTES] = {0};
    rung__section_table_encode(table, file + RUNG__HEADER_BYTES);
    return rung__section_table_parse((struct rung__bytes){file, sizeof file}, header, out);
}

static void a_table_in_order_is_read(void **state)
{
    (void)state;
    struct rung__section_table out;
    assert_int_equal(parse(&plain, &good, &out), RUNG_OK);
    assert_int_equal(out.count, 3);
    assert_int_equal(rung__section_find(&out, RUNG__SECTION_TENSORS)->offset, 448);
    assert_null(rung__section_find(&out, RUNG__SECTION_LABELS));
}

static void sections_that_lie_wrongly_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t row;
        struct rung__section section;
        const char *sentence;
    } cases[] = {
        {0, {1, 385, 59}, "multiple of 64"},
        {0, {1, 256, 60}, "before the end"}, /* the table ends at 328 */
        {0, {1, 0, 60}, "before the end"},
        {1, {2, 384, 60}, "before the end"},
        {0, {1, 384, 65}, "before the end"}, /* runs into section 1 */
        {1, {2, 448, 0}, "is empty"},
        {2, {0x8000, 512, 513}, "does not end"},
        {2, {0x8000, 2048, 1}, "does not end"},
        {2, {0x8000, UINT64_MAX - 63, 64}, "does not end"},
        {2, {0x8000, 512, UINT64_MAX}, "does not end"},
        {2, {1, 512, 512}, "two payload sections"},
        {2, {2, 512, 512}, "two tensors sections"},
        {2, {0, 512, 512}, "kind 0 is unknown"},
        {2, {11, 512, 512}, "kind 11 is unknown"},
        {2, {10, 512, 512}, "for engines alone"},
        {2, {0x7fff, 512, 512}, "kind 32767 is unknown"},
        {0, {3, 384, 60}, "no payload"},
        {1, {3, 448, 64}, "no tensors"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rung__section_table table = good, out;
        table.rows[cases[i].row] = cases[i].section;
        assert_int_equal(parse(&plain, &table, &out), RUNG_INTEGRITY);
        assert_error_has(cases[i].sentence);
    }
}

static void a_table_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct rung__header header = plain;
    struct rung__section_table out;
    uint8_t file[FILE_BYTES] = {0};
    header.section_count = RUNG__SECTIONS_MAX;
    assert_int_equal(rung__section_table_parse((struct rung__bytes){file, 512}, &header, &out),
                     RUNG_INTEGRITY);
    header.file_bytes = 300;
    header.section_count = 3;
    assert_int_equal(rung__section_table_parse((struct rung__bytes){file, 300}, &header, &out),
                     RUNG_INTEGRITY);
    assert_error_has("table of 3 sections");
}

static void no_section_reaches_into_the_signature(void **state)
{
    (void)state;
    struct rung__header header = plain;
    struct rung__section_table table = good, out;
    header.flags = RUNG__FLAG_SIGNED;
    header.signature_offset = FILE_BYTES - RUNG__SIGNATURE_BYTES;
    table.rows[2].bytes = 512 - 64;
    assert_int_equal(parse(&header, &table, &out), RUNG_OK);
    table.rows[2].bytes++;
    assert_int_equal(parse(&header, &table, &out), RUNG_INTEGRITY);
}

static void other_forms_need_a_precision_map(void **state)
{
    (void)state;
    struct rung__header header = plain;
    struct rung__section_table table = good, out;
    header.form = RUNG_FORM_INT8;
    assert_int_equal(parse(&header, &table, &out), RUNG_INTEGRITY);
    assert_error_has("form int8 needs a precision section");
    table.rows[2].kind = RUNG__SECTION_PRECISION;
    assert_int_equal(parse(&header, &table, &out), RUNG_OK);
}

static void an_engine_has_a_device_and_nothing_else_has(void **state)
{
    (void)state;
    struct rung__header header = plain;
    struct rung__section_table table = good, out;
    header.kind = RUNG_ARTIFACT_ENGINE;
    assert_int_equal(parse(&header, &table, &out), RUNG_INTEGRITY);
    assert_error_has("an engine needs a device section");
    table.rows[2].kind = RUNG__SECTION_DEVICE;
    assert_int_equal(parse(&header, &table, &out), RUNG_OK);
    header.kind = RUNG_ARTIFACT_COREML;
    assert_int_equal(parse(&header, &table, &out), RUNG_INTEGRITY);
    assert_error_has("for engines alone");
}

static void gaps_hold_zeros_only(void **state)
{
    (void)state;
    uint8_t file[FILE_BYTES] = {0};
    const struct rung__bytes bytes = {file, sizeof file};
    const struct rung__section_table table = {.rows = {{1, 384, 60}, {2, 448, 64}}, .count = 2};
    assert_int_equal(rung__section_gaps_check(bytes, &plain, &table), RUNG_OK);
    for (size_t i = 0; i < sizeof file; i++) {
        const bool inside = i < 304 || (i >= 384 && i < 444) || (i >= 448 && i < 512);
        file[i] = 1;
        assert_int_equal(rung__section_gaps_check(bytes, &plain, &table),
                         inside ? RUNG_OK : RUNG_INTEGRITY);
        file[i] = 0;
    }
}

/* ---- section 2 --------------------------------------------------------------------------- */

static const uint8_t stride_bytes[] = {4, 0, 0, 0}, logit_bytes[] = {1, 0, 0, 0};

static struct rung__tensors valid_tensors(void)
{
    return (struct rung__tensors){
        .input = {"in", 0, RUNG_DTYPE_F32, 4, {1, 3, 16, 32}},
        .outputs = {{"a", 0, RUNG_DTYPE_F32, 4, {1, 1, 4, 8}},
                    {"b", 1, RUNG_DTYPE_F32, 4, {1, 2, 4, 8}},
                    {"c", 2, RUNG_DTYPE_F32, 4, {1, 2, 4, 8}},
                    {"d", 3, RUNG_DTYPE_F16, 4, {1, 10, 4, 8}}},
        .output_count = 4,
        .parameters = {{RUNG__PARAMETER_STRIDES, RUNG__PARAMETER_U32, 1, {stride_bytes, 4}},
                       {RUNG__PARAMETER_LOGITS, RUNG__PARAMETER_U32, 1, {logit_bytes, 4}}},
        .parameter_count = 2,
    };
}

static void tensors_come_back_as_they_were_written(void **state)
{
    (void)state;
    const struct rung__tensors tensors = valid_tensors();
    struct rung__buffer section = {0}, again = {0};
    struct rung__tensors out;
    assert_int_equal(rung__tensors_encode(&tensors, &section), RUNG_OK);
    assert_int_equal(section.size, 16 + 5 * 256 + 2 * 16 + 2 * 4);
    assert_int_equal(rung__tensors_parse(rung__buffer_bytes(&section), &out), RUNG_OK);
    assert_int_equal(rung__tensors_encode(&out, &again), RUNG_OK);
    assert_int_equal(again.size, section.size);
    assert_memory_equal(again.data, section.data, section.size);
    rung__buffer_finish(&again);
    rung__buffer_finish(&section);
}

static void a_tensors_section_is_refused_at_every_length_but_its_own(void **state)
{
    (void)state;
    const struct rung__tensors tensors = valid_tensors();
    struct rung__buffer section = {0};
    struct rung__tensors out;
    assert_int_equal(rung__tensors_encode(&tensors, &section), RUNG_OK);
    const size_t size = section.size;
    assert_int_equal(rung__buffer_append(&section, NULL, 4), RUNG_OK);
    for (size_t i = 0; i <= section.size; i++)
        assert_int_equal(rung__tensors_parse((struct rung__bytes){section.data, i}, &out),
                         i == size ? RUNG_OK : RUNG_INTEGRITY);
    rung__buffer_finish(&section);
}

static void what_a_tensors_section_says_is_bounded(void **state)
{
    (void)state;
    static const struct {
        uint32_t offset, value;
        const char *sentence;
    } cases[] = {
        {0, 2, "not of version 1"},
        {4, 0, "0 inputs"},
        {4, 2, "2 inputs"},
        {8, 0, "0 outputs"},
        {8, 17, "17 outputs"},
        {12, 33, "33 parameters"},
        {12, 0xffffffff, "parameters"},
        {16, 1, "the input has purpose 1"},
        {16 + 4, 5, "unknown dtype 5"},
        {16 + 8, 0, "rank 0"},
        {16 + 8, 9, "rank 9"},
        {16 + 8, 3, "past its rank"},
        {16 + 12, 0, "is empty"},
        {16 + 12, 0xffffffff, "more than 2^31"},
        {16 + 44, 0, "name is not"},
        {16 + 44, 0xffu, "name is not"},
        {16 + 252, 1, "not padded"},
        {16 + 256, 3, "share a purpose"},
        {16 + 256 + 44, 'b', "share a purpose or a name"},
        {16 + 5 * 256 + 8, 0, "0 values"},
        {16 + 5 * 256 + 8, 65537, "65537 values"},
        {16 + 5 * 256 + 8, 2, "parameter 2 do not lie"},
        {16 + 5 * 256 + 12, 0, "do not lie"},
        {16 + 5 * 256 + 16, 1, "parameter 1 is there twice"},
    };
    const struct rung__tensors tensors = valid_tensors();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rung__buffer section = {0};
        struct rung__tensors out;
        assert_int_equal(rung__tensors_encode(&tensors, &section), RUNG_OK);
        rung__put_u32(section.data + cases[i].offset, cases[i].value);
        assert_int_equal(rung__tensors_parse(rung__buffer_bytes(&section), &out), RUNG_INTEGRITY);
        assert_error_has(cases[i].sentence);
        rung__buffer_finish(&section);
    }
}

/* ---- what a head requires of it ---------------------------------------------------------- */

static struct rung__header centernet_header(void)
{
    return (struct rung__header){.role = RUNG_ROLE_DETECTOR,
                                 .head = RUNG_HEAD_CENTERNET,
                                 .canvas = {.width = 32,
                                            .height = 16,
                                            .channels = 3,
                                            .dtype = RUNG_DTYPE_F32,
                                            .layout = RUNG_LAYOUT_PLANAR}};
}

static void expect_head(const struct rung__header *header, const struct rung__tensors *tensors,
                        rung_result wanted, const char *sentence)
{
    assert_int_equal(rung__head_check(header, tensors), wanted);
    if (wanted != RUNG_OK)
        assert_error_has(sentence);
}

static void centernet_shapes_follow_from_canvas_and_stride(void **state)
{
    (void)state;
    const struct rung__header header = centernet_header();
    struct rung__tensors tensors = valid_tensors();
    expect_head(&header, &tensors, RUNG_OK, "");
    tensors.outputs[0] = (struct rung__tensor){"a", 0, RUNG_DTYPE_F32, 2, {4, 8}};
    expect_head(&header, &tensors, RUNG_OK, "");
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t d = 0; d < 4; d++) {
            tensors = valid_tensors();
            tensors.outputs[i].dims[d]++;
            expect_head(&header, &tensors, RUNG_INTEGRITY, "is needed");
        }
}

static void the_input_is_the_canvas(void **state)
{
    (void)state;
    struct rung__header header = centernet_header();
    struct rung__tensors tensors = valid_tensors();
    tensors.input.dims[3]--;
    expect_head(&header, &tensors, RUNG_INTEGRITY, "[1,3,16,31]; [1,3,16,32] is needed");
    tensors = valid_tensors();
    tensors.input.dtype = RUNG_DTYPE_F16;
    expect_head(&header, &tensors, RUNG_INTEGRITY, "is f16, but the canvas makes f32");
    header.canvas.layout = RUNG_LAYOUT_INTERLEAVED;
    tensors = valid_tensors();
    expect_head(&header, &tensors, RUNG_INTEGRITY, "[1,16,32,3] is needed");
    tensors.input = (struct rung__tensor){"in", 0, RUNG_DTYPE_F32, 3, {16, 32, 3}};
    expect_head(&header, &tensors, RUNG_OK, "");
}

static void outputs_and_parameters_are_those_of_the_head(void **state)
{
    (void)state;
    static const uint8_t five[] = {5, 0, 0, 0}, two[] = {2, 0, 0, 0};
    const struct rung__header header = centernet_header();
    struct rung__tensors tensors = valid_tensors();
    tensors.output_count = 3;
    expect_head(&header, &tensors, RUNG_INTEGRITY, "has 4 outputs, not 3");
    tensors = valid_tensors();
    tensors.outputs[2].purpose = 7;
    expect_head(&header, &tensors, RUNG_INTEGRITY, "needs an output for offset");
    tensors = valid_tensors();
    tensors.outputs[3].dtype = RUNG_DTYPE_I8;
    expect_head(&header, &tensors, RUNG_INTEGRITY, "is i8");
    tensors = valid_tensors();
    tensors.parameter_count = 0;
    expect_head(&header, &tensors, RUNG_INTEGRITY, "needs the parameter strides");
    tensors = valid_tensors();
    tensors.parameters[1].key = RUNG__PARAMETER_RAW;
    expect_head(&header, &tensors, RUNG_INTEGRITY, "no parameter 3 (raw)");
    tensors.parameters[1].key = 0x80000001;
    expect_head(&header, &tensors, RUNG_INTEGRITY, "(unknown)");
    tensors = valid_tensors();
    tensors.parameters[0].values.data = five;
    expect_head(&header, &tensors, RUNG_INTEGRITY, "stride 5 does not divide");
    tensors = valid_tensors();
    tensors.parameters[1].values.data = two;
    expect_head(&header, &tensors, RUNG_INTEGRITY, "logits is 2");
    tensors = valid_tensors();
    tensors.parameters[1].type = RUNG__PARAMETER_F32;
    expect_head(&header, &tensors, RUNG_INTEGRITY, "of type 1");
}

static void rows_have_six_columns(void **state)
{
    (void)state;
    struct rung__header header = centernet_header();
    struct rung__tensors tensors = valid_tensors();
    header.head = RUNG_HEAD_ROWS;
    tensors.output_count = 1;
    tensors.parameter_count = 0;
    tensors.outputs[0] = (struct rung__tensor){"a", 0, RUNG_DTYPE_F16, 2, {100000, 6}};
    expect_head(&header, &tensors, RUNG_OK, "");
    tensors.outputs[0] = (struct rung__tensor){"a", 0, RUNG_DTYPE_F16, 3, {1, 7, 6}};
    expect_head(&header, &tensors, RUNG_OK, "");
    tensors.outputs[0].dims[0] = 2;
    expect_head(&header, &tensors, RUNG_INTEGRITY, "[2,7,6]; [1,N,6]");
    tensors.outputs[0] = (struct rung__tensor){"a", 0, RUNG_DTYPE_F16, 1, {6}};
    expect_head(&header, &tensors, RUNG_INTEGRITY, "[6]");
}

static void a_head_without_a_decoder_is_unsupported(void **state)
{
    (void)state;
    struct rung__header header = centernet_header();
    const struct rung__tensors tensors = valid_tensors();
    header.head = 99;
    expect_head(&header, &tensors, RUNG_UNSUPPORTED, "no decoder for head 99");
}

/* ---- the small sections ------------------------------------------------------------------ */

static rung_result check_content(uint32_t kind, const void *data, size_t size)
{
    struct rung__artifact_view view = {0};
    view.sections[kind] = (struct rung__bytes){data, size};
    return rung__contents_check(&view);
}

static rung_result check_text(uint32_t kind, const char *text)
{
    return check_content(kind, text, strlen(text));
}

static void labels_are_lines_of_text(void **state)
{
    (void)state;
    char many[2 * 257];
    for (size_t i = 0; i < sizeof many; i += 2)
        many[i] = 'x', many[i + 1] = '\n';
    assert_int_equal(check_text(RUNG__SECTION_LABELS, "cat\n\nh\xc3\xa9ron\n"), RUNG_OK);
    assert_int_equal(check_content(RUNG__SECTION_LABELS, many, (size_t)2 * 256), RUNG_OK);
    assert_int_equal(check_content(RUNG__SECTION_LABELS, many, sizeof many), RUNG_INTEGRITY);
    assert_error_has("257");
    assert_int_equal(check_text(RUNG__SECTION_LABELS, "cat"), RUNG_INTEGRITY);
    assert_int_equal(check_text(RUNG__SECTION_LABELS, "cat\r\n"), RUNG_INTEGRITY);
    assert_int_equal(check_text(RUNG__SECTION_LABELS, "\xff\n"), RUNG_INTEGRITY);
    assert_int_equal(check_content(RUNG__SECTION_LABELS, "a\0\n", 3), RUNG_INTEGRITY);
}

static void records_are_json_objects(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {RUNG__SECTION_GATE, RUNG__SECTION_PRECISION};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(check_text(kinds[i], "{\"a\": [1]}"), RUNG_OK);
        assert_int_equal(check_text(kinds[i], "[1]"), RUNG_INTEGRITY);
        assert_int_equal(check_text(kinds[i], "{\"a\": 1,}"), RUNG_INTEGRITY);
        assert_int_equal(check_text(kinds[i], "{\"a\": 1, \"a\": 2}"), RUNG_INTEGRITY);
    }
    static char large[RUNG__RECORD_BYTES_MAX + 1];
    memset(large, ' ', sizeof large);
    large[0] = '{', large[1] = '}';
    assert_int_equal(check_content(RUNG__SECTION_GATE, large, sizeof large - 1), RUNG_OK);
    assert_int_equal(check_content(RUNG__SECTION_GATE, large, sizeof large), RUNG_INTEGRITY);
}

static void licence_canonical_and_capabilities_have_their_forms(void **state)
{
    (void)state;
    uint8_t bytes[8 + 4 * 257] = {1, 0, 0, 0, 2};
    assert_int_equal(check_text(RUNG__SECTION_LICENCE, "MIT\r\n\tyes"), RUNG_OK);
    assert_int_equal(check_text(RUNG__SECTION_LICENCE, "\xc0\x80"), RUNG_INTEGRITY);
    assert_int_equal(check_content(RUNG__SECTION_CANONICAL, bytes, 32), RUNG_OK);
    assert_int_equal(check_content(RUNG__SECTION_CANONICAL, bytes, 31), RUNG_INTEGRITY);
    assert_int_equal(check_content(RUNG__SECTION_CAPABILITIES, bytes, 16), RUNG_OK);
    for (size_t size = 1; size < 24; size++)
        if (size != 16)
            assert_int_equal(check_content(RUNG__SECTION_CAPABILITIES, bytes, size),
                             RUNG_INTEGRITY);
    rung__put_u32(bytes + 4, 257);
    assert_int_equal(check_content(RUNG__SECTION_CAPABILITIES, bytes, sizeof bytes),
                     RUNG_INTEGRITY);
}

static void a_golden_sample_has_the_sizes_of_the_tensors(void **state)
{
    (void)state;
    static const uint8_t zeros[16 * 32 * 3 * 4] = {0};
    struct rung__tensors tensors = valid_tensors();
    tensors.output_count = 2;
    struct rung__golden golden = {.input_kind = RUNG__GOLDEN_STORED,
                                  .tolerance = 0.001f,
                                  .input = {zeros, sizeof zeros},
                                  .outputs = {{zeros, (size_t)4 * 32}, {zeros, (size_t)4 * 64}},
                                  .output_count = 2};
    struct rung__golden out;
    struct rung__buffer section = {0};
    assert_int_equal(rung__golden_encode(&golden, &section), RUNG_OK);
    for (size_t i = 0; i < section.size; i++)
        assert_int_equal(rung__golden_parse((struct rung__bytes){section.data, i}, &tensors, &out),
                         RUNG_INTEGRITY);
    assert_int_equal(rung__golden_parse(rung__buffer_bytes(&section), &tensors, &out), RUNG_OK);
    assert_int_equal(out.outputs[1].size, 4 * 64);
    assert_int_equal(out.outputs[1].data + out.outputs[1].size - section.data, section.size);

    static const struct {
        uint32_t offset, value;
    } cases[] = {{0, 2},  {4, 0},  {4, 2},  {4, 3},  {8, 0},  {8, 0x7fc00000}, {8, 0x3f800001},
                 {12, 1}, {12, 3}, {16, 1}, {20, 1}, {24, 1}, {36, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t *at = section.data + cases[i].offset;
        const uint32_t before = rung__get_u32(at);
        rung__put_u32(at, cases[i].value);
        assert_int_equal(rung__golden_parse(rung__buffer_bytes(&section), &tensors, &out),
                         RUNG_INTEGRITY);
        assert_error_has("golden");
        rung__put_u32(at, before);
    }
    rung__buffer_finish(&section);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_in_order_is_read),
        cmocka_unit_test(sections_that_lie_wrongly_are_refused),
        cmocka_unit_test(a_table_that_does_not_fit_is_refused),
        cmocka_unit_test(no_section_reaches_into_the_signature),
        cmocka_unit_test(other_forms_need_a_precision_map),
        cmocka_unit_test(an_engine_has_a_device_and_nothing_else_has),
        cmocka_unit_test(gaps_hold_zeros_only),
        cmocka_unit_test(tensors_come_back_as_they_were_written),
        cmocka_unit_test(a_tensors_section_is_refused_at_every_length_but_its_own),
        cmocka_unit_test(what_a_tensors_section_says_is_bounded),
        cmocka_unit_test(centernet_shapes_follow_from_canvas_and_stride),
        cmocka_unit_test(the_input_is_the_canvas),
        cmocka_unit_test(outputs_and_parameters_are_those_of_the_head),
        cmocka_unit_test(rows_have_six_columns),
        cmocka_unit_test(a_head_without_a_decoder_is_unsupported),
        cmocka_unit_test(labels_are_lines_of_text),
        cmocka_unit_test(records_are_json_objects),
        cmocka_unit_test(licence_canonical_and_capabilities_have_their_forms),
        cmocka_unit_test(a_golden_sample_has_the_sizes_of_the_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
