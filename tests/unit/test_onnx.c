/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a graph is read without trusting it; external data is found wherever it hides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "artifact/onnx.h"
#include "tiny_onnx.h"

static const int64_t shape[] = {1, 3, 8, 8};

static void assert_error_has(const char *part)
{
    if (!strstr(rung_last_error(), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rung_last_error());
}

static void add_value(struct rung__buffer *graph, uint32_t field, const char *name,
                      uint64_t element, const int64_t *dims, uint32_t rank)
{
    struct rung__buffer value = {0};
    tiny_value(&value, name, element, dims, rank);
    proto_message(graph, field, &value);
}

static void add_input(struct rung__buffer *graph, const char *name)
{
    add_value(graph, 11, name, 1, shape, 4);
}

/* Ends `graph` and reads it. */
static rung_result read_graph(struct rung__buffer *graph, struct rung__onnx *out)
{
    struct rung__buffer model = {0};
    tiny_model(&model, graph, 17);
    const rung_result result = rung__onnx_read(rung__buffer_bytes(&model), out);
    rung__buffer_finish(&model);
    return result;
}

static void make_rows(struct rung__buffer *out)
{
    static const float rows[12] = {0};
    tiny_rows(out, &(struct tiny_rows){.input = "image",
                                       .output = "rows",
                                       .width = 8,
                                       .height = 6,
                                       .rows = rows,
                                       .row_count = 2,
                                       .opset = 17,
                                       .ballast = 16});
}

/* ---- reading ----------------------------------------------------------------------------- */

static void inputs_outputs_and_versions_are_read(void **state)
{
    (void)state;
    struct rung__buffer model = {0};
    struct rung__onnx out;
    make_rows(&model);
    assert_int_equal(rung__onnx_read(rung__buffer_bytes(&model), &out), RUNG_OK);
    assert_int_equal(out.opset, 17);
    assert_int_equal(out.ir_version, 8);
    assert_int_equal(out.input_count, 1);
    assert_string_equal(out.inputs[0].name, "image");
    assert_int_equal(out.inputs[0].dtype, RUNG_DTYPE_F32);
    assert_int_equal(out.inputs[0].rank, 4);
    assert_int_equal(out.inputs[0].dims[2], 6);
    assert_int_equal(out.output_count, 1);
    assert_string_equal(out.outputs[0].name, "rows");
    assert_int_equal(out.outputs[0].rank, 3);
    rung__buffer_finish(&model);
}

static void element_types_become_dtypes(void **state)
{
    (void)state;
    static const struct {
        uint64_t element;
        uint32_t dtype;
    } cases[] = {
        {1, RUNG_DTYPE_F32}, {10, RUNG_DTYPE_F16}, {3, RUNG_DTYPE_I8}, {2, RUNG_DTYPE_U8}, {7, 0},
        {UINT64_MAX, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rung__buffer graph = {0};
        struct rung__onnx out;
        add_value(&graph, 11, "in", cases[i].element, shape, 4);
        assert_int_equal(read_graph(&graph, &out), RUNG_OK);
        assert_int_equal(out.inputs[0].dtype, cases[i].dtype);
    }
}

static void a_dimension_that_is_not_fixed_reads_as_zero(void **state)
{
    (void)state;
    const int64_t dims[] = {0, -1, INT64_C(1) << 40, 5};
    struct rung__buffer graph = {0};
    struct rung__onnx out;
    add_value(&graph, 11, "in", 1, dims, 4);
    assert_int_equal(read_graph(&graph, &out), RUNG_OK);
    assert_int_equal(out.inputs[0].rank, 4);
    assert_int_equal(out.inputs[0].dims[0], 0);
    assert_int_equal(out.inputs[0].dims[1], 0);
    assert_int_equal(out.inputs[0].dims[2], 0);
    assert_int_equal(out.inputs[0].dims[3], 5);
}

/* Exporters before 2020 did so, and some still do. */
static void weights_that_are_listed_as_inputs_are_no_inputs(void **state)
{
    (void)state;
    struct rung__buffer graph = {0}, weight = {0}, sparse = {0}, values = {0};
    struct rung__onnx out;
    const float one[] = {1};
    const int64_t dims[] = {1};
    add_input(&graph, "w0");
    add_input(&graph, "image");
    for (int i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "w%d", i);
        tiny_tensor(&weight, name, dims, 1, one, 1);
        proto_message(&graph, 5, &weight);
        if (i)
            add_input(&graph, name);
    }
    tiny_tensor(&values, "s", dims, 1, one, 1);
    proto_message(&sparse, 1, &values);
    proto_message(&graph, 15, &sparse);
    add_input(&graph, "s");
    assert_int_equal(read_graph(&graph, &out), RUNG_OK);
    assert_int_equal(out.input_count, 1);
    assert_string_equal(out.inputs[0].name, "image");
}

static void unknown_fields_are_skipped(void **state)
{
    (void)state;
    struct rung__buffer graph = {0};
    struct rung__onnx out;
    static const uint8_t fixed[] = {0x85, 0x06, 1, 2, 3, 4, /* field 96, 32 bits */
                                    0x81, 0x06, 1, 2, 3, 4, 5, 6, 7, 8};
    proto_varint(&graph, 2000, UINT64_MAX);
    proto_text(&graph, 3000, "anything");
    assert_int_equal(rung__buffer_append(&graph, fixed, sizeof fixed), RUNG_OK);
    add_input(&graph, "in");
    assert_int_equal(read_graph(&graph, &out), RUNG_OK);
    assert_int_equal(out.input_count, 1);
}

static void only_the_default_domain_counts_as_the_opset(void **state)
{
    (void)state;
    struct rung__buffer model = {0}, graph = {0}, import = {0};
    struct rung__onnx out;
    tiny_model(&model, &graph, 18);
    proto_text(&import, 1, "com.example");
    proto_varint(&import, 2, 1);
    proto_message(&model, 8, &import);
    proto_text(&import, 1, "ai.onnx");
    proto_varint(&import, 2, 18);
    proto_message(&model, 8, &import);
    assert_int_equal(rung__onnx_read(rung__buffer_bytes(&model), &out), RUNG_OK);
    assert_int_equal(out.opset, 18);
    proto_varint(&import, 2, 11);
    proto_message(&model, 8, &import);
    assert_int_equal(rung__onnx_read(rung__buffer_bytes(&model), &out), RUNG_INTEGRITY);
    assert_error_has("two opsets");
    rung__buffer_finish(&model);
}

/* ---- limits ------------------------------------------------------------------------------ */

static void what_is_too_much_is_refused_not_cut(void **state)
{
    (void)state;
    static const int64_t nine[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    char name[RUNG__TENSOR_NAME_MAX + 2];
    struct rung__buffer graph = {0};
    struct rung__onnx out;
    memset(name, 'n', sizeof name);
    name[RUNG__TENSOR_NAME_MAX + 1] = '\0';
    add_input(&graph, name);
    assert_int_equal(read_graph(&graph, &out), RUNG_INTEGRITY);
    name[RUNG__TENSOR_NAME_MAX] = '\0';
    add_input(&graph, name);
    assert_int_equal(read_graph(&graph, &out), RUNG_OK);
    add_value(&graph, 12, "out", 1, nine, 9);
    assert_int_equal(read_graph(&graph, &out), RUNG_INTEGRITY);
    assert_error_has("rank above 8");
    for (int i = 0; i < 5; i++)
        add_input(&graph, "in");
    assert_int_equal(read_graph(&graph, &out), RUNG_INTEGRITY);
    assert_error_has("more than 4 inputs");
    for (uint32_t i = 0; i <= RUNG__OUTPUTS_MAX; i++)
        add_value(&graph, 12, "out", 1, shape, 4);
    assert_int_equal(read_graph(&graph, &out), RUNG_INTEGRITY);
    assert_error_has("more than 16 outputs");
    for (uint32_t i = 0; i < 3000; i++)
        add_input(&graph, "in");
    assert_int_equal(read_graph(&graph, &out), RUNG_INTEGRITY);
    assert_error_has("lists more than");
}

static void what_is_no_onnx_is_refused(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        uint8_t bytes[12];
    } cases[] = {
        {0, {0}},
        {1, {0x08}},             /* a varint that is missing */
        {2, {0x3a, 0x05}},       /* a graph longer than the file */
        {2, {0x00, 0x00}},       /* field 0 */
        {2, {0x3b, 0x3c}},       /* a group */
        {3, {0x08, 0x08, 0x3f}}, /* wire type 7 */
        {11, {0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
        {12, {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
        {7, {0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00}}, /* a field number above 2^29 */
        {4, {0x3a, 0x00, 0x3a, 0x00}},                   /* two graphs */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rung__onnx out;
        const struct rung__bytes bytes = {cases[i].bytes, cases[i].size};
        assert_int_equal(rung__onnx_read(bytes, &out), RUNG_INTEGRITY);
    }
}

/* Under the sanitizers this also says that nothing outside is read. */
static void damage_never_gives_more_than_a_refusal(void **state)
{
    (void)state;
    struct rung__buffer model = {0};
    struct rung__onnx out;
    make_rows(&model);
    for (size_t size = 0; size < model.size; size++) {
        struct rung__buffer part = {0};
        assert_int_equal(rung__buffer_append(&part, model.data, size), RUNG_OK);
        const rung_result result = rung__onnx_read(rung__buffer_bytes(&part), &out);
        assert_true(result == RUNG_OK || result == RUNG_INTEGRITY);
        rung__buffer_finish(&part);
    }
    for (size_t bit = 0; bit < 8 * model.size; bit++) {
        model.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        const rung_result result = rung__onnx_read(rung__buffer_bytes(&model), &out);
        assert_true(result == RUNG_OK || result == RUNG_INTEGRITY);
        model.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    rung__buffer_finish(&model);
}

/* ---- external data ----------------------------------------------------------------------- */

/* The three ways in which a tensor says that its data is elsewhere. */
enum external { LOCATION, EMPTY_ENTRY, PLACE_ONLY, EXTERNAL_COUNT };

static void external_tensor(struct rung__buffer *to, enum external way)
{
    struct rung__buffer entry = {0};
    proto_varint(to, 2, 1);
    proto_text(to, 8, "w");
    if (way == LOCATION) {
        proto_text(&entry, 1, "location");
        proto_text(&entry, 2, "../weights.bin");
    }
    if (way != PLACE_ONLY)
        proto_message(to, 13, &entry);
    if (way != EMPTY_ENTRY)
        proto_varint(to, 14, 1);
}

/* Wraps the content of `part` from the inside out: fields ends in 0. */
static void wrap(struct rung__buffer *part, const uint32_t *fields)
{
    for (; *fields; fields++) {
        struct rung__buffer outer = {0};
        proto_message(&outer, *fields, part);
        *part = outer;
    }
}

static void external_data_is_refused_wherever_it_hides(void **state)
{
    (void)state;
    /* Fields from the tensor outwards to the model. */
    static const struct {
        const char *place;
        uint32_t fields[12];
    } places[] = {
        {"an initialiser", {5, 7}},
        {"an attribute's tensor", {5, 5, 1, 7}},
        {"an attribute's tensors", {10, 5, 1, 7}},
        {"a subgraph's initialiser", {5, 6, 5, 1, 7}},
        {"one of several subgraphs", {5, 11, 5, 1, 7}},
        {"a subgraph in a subgraph", {5, 5, 1, 6, 5, 1, 6, 5, 1, 7}},
        {"sparse values", {1, 15, 7}},
        {"sparse indices", {2, 15, 7}},
        {"an attribute's sparse tensor", {1, 22, 5, 1, 7}},
        {"an attribute's sparse tensors", {2, 23, 5, 1, 7}},
        {"a function's node", {5, 5, 7, 25}},
        {"a function's default attribute", {5, 11, 25}},
        {"a subgraph in a function", {5, 6, 5, 7, 25}},
        {"training's initialisation", {5, 1, 20}},
        {"training's algorithm", {5, 5, 1, 2, 20}},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        for (enum external way = LOCATION; way < EXTERNAL_COUNT; way++) {
            struct rung__buffer part = {0};
            struct rung__onnx out;
            external_tensor(&part, way);
            wrap(&part, places[i].fields);
            if (rung__onnx_read(rung__buffer_bytes(&part), &out) != RUNG_INTEGRITY ||
                !strstr(rung_last_error(), "external data"))
                fail_msg("external data of %s, way %d", places[i].place, way);
            rung__buffer_finish(&part);
        }
}

static void data_that_says_it_is_inside_is_no_external_data(void **state)
{
    (void)state;
    static const uint32_t fields[] = {5, 0};
    struct rung__buffer tensor = {0};
    struct rung__onnx out;
    proto_text(&tensor, 8, "w");
    proto_varint(&tensor, 14, 0);
    wrap(&tensor, fields);
    assert_int_equal(read_graph(&tensor, &out), RUNG_OK);
}

/* An attribute, and the fields from it outwards to the graph. */
static rung_result read_attribute(const char *name, int integer, const uint32_t *fields,
                                  struct rung__onnx *out)
{
    struct rung__buffer part = {0};
    proto_text(&part, 1, name);
    if (integer >= 0)
        proto_varint(&part, 3, (uint64_t)integer);
    wrap(&part, fields);
    return read_graph(&part, out);
}

static void a_compiled_context_lies_in_the_graph(void **state)
{
    (void)state;
    static const uint32_t node[] = {5, 1, 0}, nested[] = {5, 1, 6, 5, 1, 0};
    struct rung__onnx out;
    assert_int_equal(read_attribute("embed_mode", 1, node, &out), RUNG_OK);
    assert_int_equal(read_attribute("embed_mod", 0, node, &out), RUNG_OK);
    assert_int_equal(read_attribute("embed_mode", 0, node, &out), RUNG_INTEGRITY);
    assert_non_null(strstr(rung_last_error(), "in another file"));
    assert_int_equal(read_attribute("embed_mode", -1, node, &out), RUNG_INTEGRITY);
    assert_int_equal(read_attribute("embed_mode", 2, nested, &out), RUNG_INTEGRITY);
}

static void nesting_has_an_end(void **state)
{
    (void)state;
    static const uint32_t level[] = {6, 5, 1, 0};
    struct rung__buffer part = {0};
    struct rung__onnx out;
    for (int i = 0; i < 32; i++)
        wrap(&part, level);
    assert_int_equal(read_graph(&part, &out), RUNG_OK);
    for (int i = 0; i < 40; i++)
        wrap(&part, level);
    assert_int_equal(read_graph(&part, &out), RUNG_INTEGRITY);
    assert_error_has("nested");
}

/* ---- comparing --------------------------------------------------------------------------- */

static struct rung__tensors declared(void)
{
    return (struct rung__tensors){
        .input = {"in", 0, RUNG_DTYPE_F32, 2, {1, 4}},
        .outputs = {{"a", 0, RUNG_DTYPE_F32, 1, {5}}, {"b", 1, RUNG_DTYPE_F16, 1, {6}}},
        .output_count = 2,
    };
}

static rung_result compare(const struct rung__tensors *real, uint32_t inputs)
{
    const struct rung__tensors wanted = declared();
    const struct rung__tensor list[] = {real->input, {"more", 0, RUNG_DTYPE_F32, 1, {1}}};
    return rung__tensors_compare("the graph", &wanted, list, inputs, real->outputs,
                                 real->output_count);
}

static void outputs_are_compared_by_name_in_any_order(void **state)
{
    (void)state;
    struct rung__tensors real = declared();
    assert_int_equal(compare(&real, 1), RUNG_OK);
    const struct rung__tensor first = real.outputs[0];
    real.outputs[0] = real.outputs[1];
    real.outputs[1] = first;
    assert_int_equal(compare(&real, 1), RUNG_OK);
}

static void every_difference_is_named(void **state)
{
    (void)state;
    struct rung__tensors real = declared();
    assert_int_equal(compare(&real, 2), RUNG_INTEGRITY);
    assert_error_has("the graph has 2 inputs, not 1");
    real.input.name[0] = 'x';
    assert_int_equal(compare(&real, 1), RUNG_INTEGRITY);
    assert_error_has("the graph has no input \"in\"");
    real = declared();
    real.outputs[1].dtype = RUNG_DTYPE_F32;
    assert_int_equal(compare(&real, 1), RUNG_INTEGRITY);
    assert_error_has("output \"b\" is f32, not f16");
    real.outputs[1].dtype = 0;
    assert_int_equal(compare(&real, 1), RUNG_INTEGRITY);
    assert_error_has("another type");
    real = declared();
    real.outputs[0].dims[0] = 0;
    assert_int_equal(compare(&real, 1), RUNG_INTEGRITY);
    assert_error_has("output \"a\" has shape [?], not [5]");
    real = declared();
    real.input.rank = 1;
    assert_int_equal(compare(&real, 1), RUNG_INTEGRITY);
    assert_error_has("has shape [1], not [1,4]");
    real = declared();
    real.outputs[real.output_count++] = (struct rung__tensor){"c", 0, RUNG_DTYPE_F32, 1, {1}};
    assert_int_equal(compare(&real, 1), RUNG_INTEGRITY);
    assert_error_has("3 outputs, not 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_outputs_and_versions_are_read),
        cmocka_unit_test(element_types_become_dtypes),
        cmocka_unit_test(a_dimension_that_is_not_fixed_reads_as_zero),
        cmocka_unit_test(weights_that_are_listed_as_inputs_are_no_inputs),
        cmocka_unit_test(unknown_fields_are_skipped),
        cmocka_unit_test(only_the_default_domain_counts_as_the_opset),
        cmocka_unit_test(what_is_too_much_is_refused_not_cut),
        cmocka_unit_test(what_is_no_onnx_is_refused),
        cmocka_unit_test(damage_never_gives_more_than_a_refusal),
        cmocka_unit_test(external_data_is_refused_wherever_it_hides),
        cmocka_unit_test(data_that_says_it_is_inside_is_no_external_data),
        cmocka_unit_test(a_compiled_context_lies_in_the_graph),
        cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(outputs_are_compared_by_name_in_any_order),
        cmocka_unit_test(every_difference_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
