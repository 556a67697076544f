/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: each rule about the 256 bytes is held, and its sentence names the field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "artifact/header.h"

#define FILE_BYTES 4096u

static struct rung__header valid_header(void)
{
    return (struct rung__header){
        .file_bytes = FILE_BYTES,
        .name = "tiny-1.2_x",
        .role = RUNG_ROLE_DETECTOR,
        .kind = RUNG_ARTIFACT_ONNX,
        .form = RUNG_FORM_F32,
        .head = RUNG_HEAD_CENTERNET,
        .canvas = {.width = 640,
                   .height = 480,
                   .channels = 3,
                   .dtype = RUNG_DTYPE_F32,
                   .layout = RUNG_LAYOUT_PLANAR,
                   .fit = RUNG_FIT_LETTERBOX,
                   .rounding = RUNG_ROUNDING_NEAREST,
                   .resampler = RUNG_RESAMPLER_BILINEAR,
                   .order = RUNG_CHANNEL_ORDER_RGB,
                   .fill = {1, 2, 3},
                   .scale = {1, 0.5f, 0.25f},
                   .bias = {-1, 0, 1}},
        .selection = {.min_confidence = 100,
                      .band_confidence = 50,
                      .band_min = 8,
                      .band_max = 80,
                      .iou = 30000,
                      .flags = RUNG_SUPPRESS,
                      .capacity = 1000,
                      .considered = 100,
                      .max_targets = 10},
        .max_output_bytes = 96 + 10 * (80 + 40),
        .providers = 3,
        .section_count = 2,
    };
}

static struct rung__header valid_signed_header(void)
{
    struct rung__header header = valid_header();
    header.flags = RUNG__FLAG_SIGNED;
    header.signature_offset = FILE_BYTES - RUNG__SIGNATURE_BYTES;
    memset(header.key_id, 7, sizeof header.key_id);
    return header;
}

static rung_result parse(const uint8_t bytes[RUNG__HEADER_BYTES], struct rung__header *out)
{
    return rung__header_parse((struct rung__bytes){bytes, RUNG__HEADER_BYTES}, FILE_BYTES, out);
}

static void expect(const uint8_t bytes[RUNG__HEADER_BYTES], rung_result wanted, const char *part)
{
    struct rung__header header;
    const rung_result result = parse(bytes, &header);
    if (result != wanted)
        fail_msg("result %d instead of %d (\"%s\")", result, wanted, part);
    if (wanted != RUNG_OK && !strstr(rung_last_error(), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rung_last_error());
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    const struct rung__header headers[] = {valid_header(), valid_signed_header()};
    for (size_t i = 0; i < 2; i++) {
        uint8_t bytes[RUNG__HEADER_BYTES], again[RUNG__HEADER_BYTES];
        struct rung__header header;
        rung__header_encode(&headers[i], bytes);
        assert_int_equal(parse(bytes, &header), RUNG_OK);
        rung__header_encode(&header, again);
        assert_memory_equal(bytes, again, sizeof bytes);
        assert_string_equal(header.name, "tiny-1.2_x");
        assert_int_equal(header.selection.considered, 100);
        assert_int_equal(header.canvas.fill[2], 3);
    }
}

/* Offsets are those of docs/artifact.md, not those of the code. */
static void each_field_has_its_rule_and_its_sentence(void **state)
{
    (void)state;
    static const struct {
        uint16_t offset, bytes;
        rung_result result;
        uint64_t value;
        const char *sentence;
    } cases[] = {
        {0, 1, RUNG_INTEGRITY, 'r', "no header"},
        {4, 4, RUNG_VERSION, 0, "format version 0"},
        {4, 4, RUNG_VERSION, 2, "format version 2"},
        {8, 4, RUNG_INTEGRITY, 255, "255 bytes"},
        {12, 4, RUNG_INTEGRITY, 4, "unknown flags 0x4"},
        {12, 4, RUNG_INTEGRITY, 2, "bundle"},
        {12, 4, RUNG_INTEGRITY, 1, "signature offset 0"},
        {16, 8, RUNG_INTEGRITY, FILE_BYTES - 1, "says 4095 bytes"},
        {56, 1, RUNG_INTEGRITY, 'A', "name must be"},
        {56, 1, RUNG_INTEGRITY, '.', "name must be"},
        {56, 1, RUNG_INTEGRITY, 0, "name must be"},
        {58, 1, RUNG_INTEGRITY, '/', "name must be"},
        {58, 1, RUNG_INTEGRITY, 0, "name must be"},
        {119, 1, RUNG_INTEGRITY, 'x', "name must be"},
        {120, 4, RUNG_INTEGRITY, 0, "role is 0"},
        {120, 4, RUNG_INTEGRITY, 4, "role is 4"},
        {120, 4, RUNG_INTEGRITY, 2, "head is centernet, but role is embedder"},
        {124, 4, RUNG_INTEGRITY, 4, "kind is 4"},
        {128, 4, RUNG_INTEGRITY, 6, "form is 6"},
        {132, 4, RUNG_INTEGRITY, 10, "head is 10"},
        {132, 4, RUNG_INTEGRITY, 0, "head is none, but role is detector"},
        {136, 4, RUNG_INTEGRITY, 0, "width is 0"},
        {136, 4, RUNG_INTEGRITY, 16385, "width is 16385"},
        {140, 4, RUNG_INTEGRITY, 0, "height is 0"},
        {140, 4, RUNG_INTEGRITY, 16385, "height is 16385"},
        {144, 4, RUNG_INTEGRITY, 1, "channels is 1"},
        {144, 4, RUNG_INTEGRITY, 4, "channels is 4"},
        {148, 1, RUNG_INTEGRITY, 0, "dtype is 0"},
        {148, 1, RUNG_INTEGRITY, 5, "dtype is 5"},
        {149, 1, RUNG_INTEGRITY, 4, "layout is 4"},
        {150, 1, RUNG_INTEGRITY, 2, "normalised is 2"},
        {150, 1, RUNG_INTEGRITY, 1, "for embedders alone"},
        {151, 1, RUNG_INTEGRITY, 1, "reserved byte 151"},
        {152, 1, RUNG_INTEGRITY, 5, "fit is 5"},
        {153, 1, RUNG_INTEGRITY, 3, "rounding is 3"},
        {154, 1, RUNG_INTEGRITY, 4, "resampler is 4"},
        {155, 1, RUNG_INTEGRITY, 3, "order is 3"},
        {160, 4, RUNG_INTEGRITY, 0x7f800000, "scale[1] is not finite"},
        {176, 4, RUNG_INTEGRITY, 0x7fc00000, "bias[2] is not finite"},
        {183, 1, RUNG_INTEGRITY, 9, "reserved byte 183"},
        {186, 2, RUNG_INTEGRITY, 101, "band: confidence is 101"},
        {186, 2, RUNG_INTEGRITY, 0, "band: confidence is 0"},
        {188, 2, RUNG_INTEGRITY, 80, "band: min is 80"},
        {194, 2, RUNG_INTEGRITY, 8, "suppression flags 0x8"},
        {196, 4, RUNG_INTEGRITY, 0, "capacity is 0"},
        {196, 4, RUNG_INTEGRITY, 65537, "capacity is 65537"},
        {196, 4, RUNG_INTEGRITY, 99, "considered is 100"},
        {200, 4, RUNG_INTEGRITY, 0, "max_targets is 0"},
        {200, 4, RUNG_INTEGRITY, 10001, "max_targets is 10001"},
        {200, 4, RUNG_INTEGRITY, 101, "considered is 100"},
        {204, 4, RUNG_INTEGRITY, 1, "for embedders alone"},
        {208, 8, RUNG_INTEGRITY, 96 + 10 * 120 - 1, "max_output_bytes"},
        {208, 8, RUNG_INTEGRITY, UINT64_MAX, "max_output_bytes"},
        {216, 8, RUNG_INTEGRITY, 0, "providers is empty"},
        {216, 8, RUNG_INTEGRITY, 256, "unknown bits 0x100"},
        {224, 4, RUNG_INTEGRITY, 0, "0 sections"},
        {224, 4, RUNG_INTEGRITY, 33, "33 sections"},
        {228, 4, RUNG_INTEGRITY, 1, "reserved byte 228"},
        {232, 8, RUNG_INTEGRITY, 1, "says unsigned"},
        {247, 1, RUNG_INTEGRITY, 1, "says unsigned"},
        {248, 4, RUNG_INTEGRITY, 9, "considered is 9"},
        {248, 4, RUNG_INTEGRITY, 1001, "considered is 1001"},
        {255, 1, RUNG_INTEGRITY, 1, "reserved byte 255"},
    };
    const struct rung__header header = valid_header();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t bytes[RUNG__HEADER_BYTES];
        rung__header_encode(&header, bytes);
        for (uint16_t k = 0; k < cases[i].bytes; k++)
            bytes[cases[i].offset + k] = (uint8_t)(cases[i].value >> 8 * k);
        expect(bytes, cases[i].result, cases[i].sentence);
    }
}

static void the_signature_is_the_last_64_bytes(void **state)
{
    (void)state;
    struct rung__header header = valid_signed_header();
    uint8_t bytes[RUNG__HEADER_BYTES];
    rung__header_encode(&header, bytes);
    expect(bytes, RUNG_OK, "");
    header.signature_offset++;
    rung__header_encode(&header, bytes);
    expect(bytes, RUNG_INTEGRITY, "signature offset 4033");
}

static void a_header_that_is_cut_is_no_header(void **state)
{
    (void)state;
    const struct rung__header header = valid_header();
    struct rung__header out;
    uint8_t bytes[RUNG__HEADER_BYTES];
    rung__header_encode(&header, bytes);
    assert_int_equal(rung__header_parse((struct rung__bytes){bytes, 255}, FILE_BYTES, &out),
                     RUNG_INTEGRITY);
}

static void a_name_may_fill_its_field(void **state)
{
    (void)state;
    struct rung__header header = valid_header(), out;
    uint8_t bytes[RUNG__HEADER_BYTES];
    memset(header.name, 'n', RUNG__NAME_BYTES);
    rung__header_encode(&header, bytes);
    assert_int_equal(parse(bytes, &out), RUNG_OK);
    assert_int_equal(strlen(out.name), RUNG__NAME_BYTES);
}

/* ---- canvas ------------------------------------------------------------------------------ */

static void set_bits(float *to, uint32_t bits)
{
    memcpy(to, &bits, sizeof bits);
}

static rung_result admit_factor(uint32_t bits, bool bias, uint32_t *admitted)
{
    struct rung__header header = valid_header();
    float *factor = bias ? &header.canvas.bias[1] : &header.canvas.scale[1];
    set_bits(factor, bits);
    const rung_result result = rung__canvas_admit(&header.canvas);
    memcpy(admitted, factor, sizeof *admitted);
    return result;
}

static void scale_and_bias_keep_to_their_range(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits;
        bool admitted;
    } cases[] = {
        {0x00000000, true},  {0x21800000, true},  {0xa1800000, true},  {0x217fffff, false},
        {0xa17fffff, false}, {0x49800000, true},  {0xc9800000, true},  {0x49800001, false},
        {0xc9800001, false}, {0x00000001, false}, {0x7f800000, false}, {0xff800000, false},
        {0x7fc00001, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int bias = 0; bias < 2; bias++) {
            uint32_t bits;
            const rung_result result = admit_factor(cases[i].bits, bias, &bits);
            if (result != (cases[i].admitted ? RUNG_OK : RUNG_INTEGRITY))
                fail_msg("0x%08x: result %d", cases[i].bits, result);
            assert_int_equal(bits, cases[i].bits);
        }
}

static void a_negative_zero_becomes_a_positive_one(void **state)
{
    (void)state;
    uint32_t bits = 1;
    assert_int_equal(admit_factor(0x80000000, false, &bits), RUNG_OK);
    assert_int_equal(bits, 0);
    assert_int_equal(admit_factor(0x80000000, true, &bits), RUNG_OK);
    assert_int_equal(bits, 0);
}

static struct rung__canvas u8_canvas(uint8_t layout, uint8_t order)
{
    struct rung__canvas canvas = valid_header().canvas;
    canvas.dtype = RUNG_DTYPE_U8;
    canvas.layout = layout;
    canvas.order = order;
    for (size_t c = 0; c < 3; c++) {
        canvas.scale[c] = 1;
        canvas.bias[c] = 0;
    }
    return canvas;
}

static void a_u8_tensor_keeps_pixels_as_they_are(void **state)
{
    (void)state;
    struct rung__canvas canvas = u8_canvas(RUNG_LAYOUT_PLANAR, RUNG_CHANNEL_ORDER_RGB);
    assert_int_equal(rung__canvas_admit(&canvas), RUNG_OK);
    set_bits(&canvas.scale[2], 0x3f800001);
    assert_int_equal(rung__canvas_admit(&canvas), RUNG_INTEGRITY);
    canvas.scale[2] = 1;
    canvas.bias[0] = 1;
    assert_int_equal(rung__canvas_admit(&canvas), RUNG_INTEGRITY);
}

static void a_bgra_canvas_is_u8_in_bgr(void **state)
{
    (void)state;
    struct rung__canvas canvas = u8_canvas(RUNG_LAYOUT_BGRA, RUNG_CHANNEL_ORDER_BGR);
    assert_int_equal(rung__canvas_admit(&canvas), RUNG_OK);
    canvas.order = RUNG_CHANNEL_ORDER_RGB;
    assert_int_equal(rung__canvas_admit(&canvas), RUNG_INTEGRITY);
    canvas.order = RUNG_CHANNEL_ORDER_BGR;
    canvas.dtype = RUNG_DTYPE_I8;
    assert_int_equal(rung__canvas_admit(&canvas), RUNG_INTEGRITY);
    assert_non_null(strstr(rung_last_error(), "bgra"));
}

/* ---- the other roles --------------------------------------------------------------------- */

static void an_embedder_has_a_length_and_no_head(void **state)
{
    (void)state;
    struct rung__header header = valid_header();
    header.role = RUNG_ROLE_EMBEDDER;
    header.head = RUNG_HEAD_NONE;
    header.max_output_bytes = 96 + 4 * 1280;
    assert_int_equal(rung__header_admit(&header), RUNG_INTEGRITY);
    assert_non_null(strstr(rung_last_error(), "embedding_length is 0"));
    header.embedding_length = 1280;
    header.canvas.normalised = 1;
    assert_int_equal(rung__header_admit(&header), RUNG_OK);
    header.max_output_bytes--;
    assert_int_equal(rung__header_admit(&header), RUNG_INTEGRITY);
}

static void attachments_count_up_to_their_limit(void **state)
{
    (void)state;
    struct rung__header header = valid_header();
    header.selection.capacity = header.selection.considered = 10000;
    header.selection.max_targets = 10000;
    header.max_output_bytes = 96 + 10000 * 80 + 262144;
    assert_int_equal(rung__header_admit(&header), RUNG_OK);
    header.max_output_bytes--;
    assert_int_equal(rung__header_admit(&header), RUNG_INTEGRITY);
    header.head = RUNG_HEAD_ROWS;
    header.max_output_bytes = 96 + 10000 * 80;
    assert_int_equal(rung__header_admit(&header), RUNG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(each_field_has_its_rule_and_its_sentence),
        cmocka_unit_test(the_signature_is_the_last_64_bytes),
        cmocka_unit_test(a_header_that_is_cut_is_no_header),
        cmocka_unit_test(a_name_may_fill_its_field),
        cmocka_unit_test(scale_and_bias_keep_to_their_range),
        cmocka_unit_test(a_negative_zero_becomes_a_positive_one),
        cmocka_unit_test(a_u8_tensor_keeps_pixels_as_they_are),
        cmocka_unit_test(a_bgra_canvas_is_u8_in_bgr),
        cmocka_unit_test(an_embedder_has_a_length_and_no_head),
        cmocka_unit_test(attachments_count_up_to_their_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
