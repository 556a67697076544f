/* SPDX-License-Identifier: Apache-2.0 */
/* What each head requires of its tensors, parameters and selection; decoders rely on all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "artifact/heads.h"

/** A model file's header and section 2, with room for the values of its parameters. */
struct setting {
    struct rung__header header;
    struct rung__tensors tensors;
    uint8_t values[RUNG__PARAMETERS_MAX][RUNG__PARAMETER_COUNT_MAX * 4];
};

/** A detector with a canvas of 64 × 32. */
static struct setting setting_of(uint32_t head)
{
    return (struct setting){
        .header = {.role = RUNG_ROLE_DETECTOR,
                   .head = head,
                   .canvas = {.width = 64,
                              .height = 32,
                              .channels = 3,
                              .dtype = RUNG_DTYPE_F32,
                              .layout = RUNG_LAYOUT_PLANAR},
                   .selection = {.capacity = 100, .considered = 20, .max_targets = 10}},
        .tensors = {.input = {"in", 0, RUNG_DTYPE_F32, 4, {1, 3, 32, 64}}},
    };
}

/** An output of shape [1, rows, columns], or of three dimensions when `maps` is not 0. */
static void add_output(struct setting *setting, uint32_t purpose, uint32_t maps, uint32_t rows,
                       uint32_t columns)
{
    struct rung__tensor *output = &setting->tensors.outputs[setting->tensors.output_count++];
    *output = (struct rung__tensor){
        .purpose = purpose, .dtype = RUNG_DTYPE_F32, .rank = 3, .dims = {1, rows, columns}};
    if (maps)
        *output = (struct rung__tensor){.purpose = purpose,
                                        .dtype = RUNG_DTYPE_F32,
                                        .rank = 4,
                                        .dims = {1, maps, rows, columns}};
    output->name[0] = (char)('a' + purpose);
}

static void add_parameter(struct setting *setting, uint32_t key, uint32_t count,
                          const uint32_t *values)
{
    struct rung__tensors *tensors = &setting->tensors;
    uint8_t *bytes = setting->values[tensors->parameter_count];
    for (uint32_t i = 0; i < count; i++)
        rung__put_u32(bytes + 4 * (size_t)i, values[i]);
    tensors->parameters[tensors->parameter_count++] = (struct rung__parameter){
        key, rung__parameter_kind_of(key)->type, count, {bytes, 4 * (size_t)count}};
}

static uint32_t *dims(struct setting *setting, uint32_t output)
{
    return setting->tensors.outputs[output].dims;
}

static void expect_ok(const struct setting *setting)
{
    if (rung__head_check(&setting->header, &setting->tensors) != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static void expect_refusal(const struct setting *setting, const char *sentence)
{
    assert_int_equal(rung__head_check(&setting->header, &setting->tensors), RUNG_INTEGRITY);
    if (!strstr(rung_last_error(), sentence))
        fail_msg("\"%s\" is not in \"%s\"", sentence, rung_last_error());
}

static void yolo_has_four_planes_and_up_to_256_classes(void **state)
{
    struct setting setting = setting_of(RUNG_HEAD_YOLO);
    (void)state;
    add_output(&setting, 0, 0, 4 + 256, 7);
    expect_ok(&setting);
    dims(&setting, 0)[1] = 5;
    expect_ok(&setting);
    dims(&setting, 0)[1] = 4;
    expect_refusal(&setting, "[1,4,7]; [1,4+C,A]");
    dims(&setting, 0)[1] = 4 + 257;
    expect_refusal(&setting, "1..256 classes");
    dims(&setting, 0)[1] = 5;
    dims(&setting, 0)[0] = 2;
    expect_refusal(&setting, "[2,5,7]");
    setting.tensors.outputs[0].rank = 1;
    expect_refusal(&setting, "[2]");
}

static void raw_yolo_obj_has_a_row_for_each_cell(void **state)
{
    struct setting setting = setting_of(RUNG_HEAD_YOLO_OBJ);
    (void)state;
    add_output(&setting, 0, 0, 8 * 4 + 2 * 1, 6);
    expect_ok(&setting); /* decoded: any number of rows */
    add_parameter(&setting, RUNG__PARAMETER_STRIDES, 2, (const uint32_t[]){8, 32});
    expect_refusal(&setting, "strides when it is raw, and only then");
    add_parameter(&setting, RUNG__PARAMETER_RAW, 1, (const uint32_t[]){1});
    expect_ok(&setting);
    dims(&setting, 0)[1]++;
    expect_refusal(&setting, "has 35 rows; the strides give 34");
    dims(&setting, 0)[2] = 5;
    expect_refusal(&setting, "[1,A,5+C]");
    setting.tensors.parameters[0] = setting.tensors.parameters[1];
    setting.tensors.parameter_count = 1;
    expect_refusal(&setting, "strides when it is raw, and only then");
}

static void yolo_e2e_is_not_suppressed_again(void **state)
{
    struct setting setting = setting_of(RUNG_HEAD_YOLO_E2E);
    (void)state;
    add_output(&setting, 0, 0, 300, 6);
    expect_ok(&setting);
    setting.header.selection.flags = RUNG_SUPPRESS;
    expect_refusal(&setting, "suppress must be false");
    setting.header.selection.flags = 0;
    dims(&setting, 0)[2] = 7;
    expect_refusal(&setting, "[1,300,7]");
}

static void detr_considers_as_many_as_it_has_queries(void **state)
{
    struct setting setting = setting_of(RUNG_HEAD_DETR);
    (void)state;
    add_output(&setting, 0, 0, 20, 91);
    add_output(&setting, 1, 0, 20, 4);
    expect_ok(&setting);
    setting.header.selection.considered = 19;
    expect_refusal(&setting, "as many as it has queries, 20");
    setting.header.selection.considered = 20;
    dims(&setting, 1)[1] = 19;
    expect_refusal(&setting, "[1,20,4] is needed");
    dims(&setting, 1)[1] = 20;
    dims(&setting, 0)[2] = 257;
    expect_refusal(&setting, "1..256 classes");
    dims(&setting, 0)[2] = 91;
    add_parameter(&setting, RUNG__PARAMETER_LOGITS, 1, (const uint32_t[]){1});
    expect_refusal(&setting, "head detr has no parameter");
}

/** All tables of two strides with two anchors a cell. */
static void start_strided(struct setting *setting)
{
    static const uint32_t columns[RUNG__STRIDED_PARTS] = {1, 1, 4, 10}, rows[] = {64, 16};
    *setting = setting_of(RUNG_HEAD_STRIDED);
    for (uint32_t level = 0; level < 2; level++)
        for (uint32_t part = 0; part < RUNG__STRIDED_PARTS; part++)
            add_output(setting, level * RUNG__STRIDED_PARTS + part, 0, rows[level], columns[part]);
    add_parameter(setting, RUNG__PARAMETER_STRIDES, 2, (const uint32_t[]){8, 16});
    add_parameter(setting, RUNG__PARAMETER_ANCHORS, 1, (const uint32_t[]){2});
}

static void remove_output(struct setting *setting, uint32_t at)
{
    struct rung__tensors *tensors = &setting->tensors;
    tensors->outputs[at] = tensors->outputs[--tensors->output_count];
}

static void strided_tables_follow_from_the_strides(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * RUNG__STRIDED_PARTS; i++)
        for (uint32_t d = 0; d < 3; d++) {
            struct setting setting;
            start_strided(&setting);
            expect_ok(&setting);
            dims(&setting, i)[d]++;
            expect_refusal(&setting, "is needed");
        }
    struct setting setting;
    start_strided(&setting);
    setting.tensors.parameters[0].count = 1; /* the second stride's tables are too many */
    expect_refusal(&setting, "belongs to a stride that is not there");
    start_strided(&setting);
    setting.tensors.parameters[1].count = 0;
    setting.tensors.parameter_count = 1; /* one anchor, half the rows */
    expect_refusal(&setting, "[1,32,1] is needed");
    start_strided(&setting);
    setting.tensors.outputs[3].purpose = RUNG__OUTPUTS_MAX;
    expect_refusal(&setting, "has purpose 16; head strided has 0..15");
}

static void strided_strides_have_all_the_same_tables(void **state)
{
    static const uint32_t optional[] = {RUNG__STRIDED_OBJECTNESS, RUNG__STRIDED_POINTS};
    (void)state;
    for (uint32_t i = 0; i < 2 * RUNG__STRIDED_PARTS; i++) {
        struct setting setting;
        start_strided(&setting);
        remove_output(&setting, i);
        expect_refusal(&setting, "for all strides or none");
    }
    for (uint32_t i = 0; i < 2; i++) {
        struct setting setting;
        start_strided(&setting);
        remove_output(&setting, RUNG__STRIDED_PARTS + optional[i]);
        remove_output(&setting, optional[i]);
        expect_ok(&setting);
    }
}

static void there_are_at_most_four_strides(void **state)
{
    struct setting setting;
    (void)state;
    start_strided(&setting);
    setting.tensors.parameter_count = 0;
    add_parameter(&setting, RUNG__PARAMETER_STRIDES, 5, (const uint32_t[]){1, 2, 4, 8, 16});
    expect_refusal(&setting, "1..4 strides, not 5");
}

/** `without`: a key that is left out. */
static void start_ssd(struct setting *setting, uint32_t without)
{
    static const uint32_t variances[] = {0x3dcccccd, 0x3f800000}; /* 0.1, 1 */
    static const struct {
        uint32_t key, count;
        uint32_t values[4];
    } all[] = {{RUNG__PARAMETER_MAPS, 4, {8, 4, 2, 1}},
               {RUNG__PARAMETER_MAP_BOXES, 2, {2, 1}},
               {RUNG__PARAMETER_BOX_SIDES, 3, {4, 8, 16}}};
    *setting = setting_of(RUNG_HEAD_SSD);
    add_output(setting, 0, 0, 8 * 4 * 2 + 2 * 1, 3);
    add_output(setting, 1, 0, 8 * 4 * 2 + 2 * 1, 4);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].key != without)
            add_parameter(setting, all[i].key, all[i].count, all[i].values);
    if (without != RUNG__PARAMETER_VARIANCES)
        add_parameter(setting, RUNG__PARAMETER_VARIANCES, 2, variances);
}

static void ssd_priors_are_described_whole_or_not_at_all(void **state)
{
    struct setting setting;
    (void)state;
    start_ssd(&setting, 0);
    expect_ok(&setting);
    for (uint32_t key = RUNG__PARAMETER_MAPS; key <= RUNG__PARAMETER_VARIANCES; key++) {
        start_ssd(&setting, key);
        expect_refusal(&setting, "or none of them is there");
    }
    for (uint32_t i = 0; i < 4; i++) {
        start_ssd(&setting, 0);
        setting.tensors.parameters[i].count--;
        expect_refusal(&setting, "or none of them is there");
    }
    start_ssd(&setting, 0);
    setting.tensors.parameter_count = 0;
    expect_ok(&setting); /* corners */
}

static void ssd_has_a_prior_for_each_row(void **state)
{
    struct setting setting;
    (void)state;
    start_ssd(&setting, 0);
    dims(&setting, 0)[1] = dims(&setting, 1)[1] = 67;
    expect_refusal(&setting, "66 priors for 67 rows");
    dims(&setting, 1)[1] = 66;
    expect_refusal(&setting, "[1,67,4] is needed");
    dims(&setting, 0)[2] = 1; /* a background and no class */
    expect_refusal(&setting, "[1,N,C+1]");
}

static void variances_are_above_0_and_at_most_1(void **state)
{
    static const uint32_t wrong[] = {0, 0x80000000, 0xbf800000, 0x3f800001, 0x7f800000, 0x7fc00000};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct setting setting;
        start_ssd(&setting, 0);
        rung__put_u32(setting.values[3] + 4, wrong[i]);
        expect_refusal(&setting, "parameter variances is");
    }
}

static void fastestdet_maps_follow_from_canvas_and_stride(void **state)
{
    struct setting setting = setting_of(RUNG_HEAD_FASTESTDET);
    (void)state;
    add_output(&setting, 0, 5 + 80, 2, 4);
    add_parameter(&setting, RUNG__PARAMETER_STRIDES, 1, (const uint32_t[]){16});
    expect_ok(&setting);
    dims(&setting, 0)[2]++;
    expect_refusal(&setting, "[1,85,2,4] is needed");
    dims(&setting, 0)[1] = 5;
    expect_refusal(&setting, "[1,5+C,h,w]");
    dims(&setting, 0)[1] = 5 + 257;
    expect_refusal(&setting, "1..256 classes");
    setting.tensors.outputs[0].rank = 2;
    expect_refusal(&setting, "[1,5+C,h,w]");
    setting.tensors.parameter_count = 0;
    expect_refusal(&setting, "needs the parameter strides");
    add_parameter(&setting, RUNG__PARAMETER_STRIDES, 2, (const uint32_t[]){16, 32});
    expect_refusal(&setting, "one stride, not 2");
}

/* ---- masks and embeddings ------------------------------------------------------------------ */

static struct setting mask_of(uint32_t rank, const uint32_t *dimensions)
{
    struct setting setting = setting_of(RUNG_HEAD_NONE);
    struct rung__tensor *output = &setting.tensors.outputs[setting.tensors.output_count++];
    setting.header.role = RUNG_ROLE_SEGMENTER;
    setting.header.selection.min_confidence = 32768;
    *output = (struct rung__tensor){.name = "mask", .dtype = RUNG_DTYPE_F32, .rank = rank};
    memcpy(output->dims, dimensions, rank * sizeof *dimensions);
    return setting;
}

static void expect_form(const struct setting *setting, uint32_t channels, bool interleaved)
{
    struct rung__mask_form form;
    expect_ok(setting);
    assert_int_equal(rung__mask_form_read(&setting->header, &setting->tensors, &form), RUNG_OK);
    assert_int_equal(form.channels, channels);
    assert_int_equal(form.interleaved, interleaved);
}

static void a_mask_has_the_sides_of_the_canvas_in_either_layout(void **state)
{
    static const struct {
        uint32_t rank, dims[5], channels;
        bool interleaved;
    } rows[] = {
        {4, {1, 21, 32, 64}, 21, false},  {4, {1, 32, 64, 21}, 21, true},
        {5, {1, 1, 2, 32, 64}, 2, false}, {3, {256, 32, 64}, 256, false},
        {3, {32, 64, 256}, 256, true},    {4, {1, 1, 32, 64}, 1, false},
        {4, {1, 32, 64, 1}, 1, true},     {2, {32, 64}, 1, false},
        {3, {1, 32, 64}, 1, false},
    };
    static const struct {
        uint32_t rank, dims[4];
    } wrong[] = {
        {4, {1, 21, 64, 32}},
        {4, {2, 21, 32, 64}},
        {4, {1, 257, 32, 64}},
        {4, {1, 32, 64, 257}},
        {4, {1, 21, 31, 64}},
        {2, {64, 32}},
        {1, {64}},
        {4, {32, 64, 1, 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct setting setting = mask_of(rows[i].rank, rows[i].dims);
        expect_form(&setting, rows[i].channels, rows[i].interleaved);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const struct setting setting = mask_of(wrong[i].rank, wrong[i].dims);
        expect_refusal(&setting, "h and w those of the canvas, 32 and 64");
    }
}

static void a_mask_that_could_be_both_says_which(void **state)
{
    struct setting setting = mask_of(4, (const uint32_t[]){1, 32, 32, 32});
    (void)state;
    setting.header.canvas.width = 32;
    setting.tensors.input.dims[3] = 32;
    expect_refusal(&setting, "the parameter interleaved must say which");
    add_parameter(&setting, RUNG__PARAMETER_INTERLEAVED, 1, (const uint32_t[]){1});
    expect_form(&setting, 32, true);
    rung__put_u32(setting.values[0], 0);
    expect_form(&setting, 32, false);
    dims(&setting, 0)[1] = 31;
    expect_form(&setting, 31, false);
    rung__put_u32(setting.values[0], 1);
    expect_refusal(&setting, "[1,31,32,32]");
    setting = mask_of(3, (const uint32_t[]){1, 1, 1});
    setting.header.canvas.width = setting.header.canvas.height = 1;
    setting.tensors.input.dims[2] = setting.tensors.input.dims[3] = 1;
    expect_form(&setting, 1, false);
}

static void one_channel_alone_has_a_threshold_and_logits(void **state)
{
    struct setting setting = mask_of(4, (const uint32_t[]){1, 1, 32, 64});
    (void)state;
    add_parameter(&setting, RUNG__PARAMETER_LOGITS, 1, (const uint32_t[]){1});
    expect_ok(&setting);
    setting.header.selection.min_confidence = 0;
    expect_refusal(&setting, "it must be above 0");
    dims(&setting, 0)[1] = 2;
    expect_refusal(&setting, "logits is for masks of one channel, and this one has 2");
    rung__put_u32(setting.values[0], 0);
    expect_ok(&setting);
}

static void an_embedding_has_its_length_and_no_parameters(void **state)
{
    struct setting setting = mask_of(2, (const uint32_t[]){1, 128});
    (void)state;
    setting.header.role = RUNG_ROLE_EMBEDDER;
    setting.header.embedding_length = 128;
    expect_ok(&setting);
    setting.header.embedding_length = 127;
    expect_refusal(&setting, "128 elements, but embedding_length is 127");
    add_parameter(&setting, RUNG__PARAMETER_LOGITS, 1, (const uint32_t[]){0});
    expect_refusal(&setting, "an embedder has no parameters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yolo_has_four_planes_and_up_to_256_classes),
        cmocka_unit_test(raw_yolo_obj_has_a_row_for_each_cell),
        cmocka_unit_test(yolo_e2e_is_not_suppressed_again),
        cmocka_unit_test(detr_considers_as_many_as_it_has_queries),
        cmocka_unit_test(strided_tables_follow_from_the_strides),
        cmocka_unit_test(strided_strides_have_all_the_same_tables),
        cmocka_unit_test(there_are_at_most_four_strides),
        cmocka_unit_test(ssd_priors_are_described_whole_or_not_at_all),
        cmocka_unit_test(ssd_has_a_prior_for_each_row),
        cmocka_unit_test(variances_are_above_0_and_at_most_1),
        cmocka_unit_test(fastestdet_maps_follow_from_canvas_and_stride),
        cmocka_unit_test(a_mask_has_the_sides_of_the_canvas_in_either_layout),
        cmocka_unit_test(a_mask_that_could_be_both_says_which),
        cmocka_unit_test(one_channel_alone_has_a_threshold_and_logits),
        cmocka_unit_test(an_embedding_has_its_length_and_no_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
