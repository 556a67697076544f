/* SPDX-License-Identifier: Apache-2.0 */
/* What the public API promises of embedders, segmenters and overridden detectors, on every rung. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rung/artifact.h>
#include <rung/rung.h>

#include "../unit/artifact_fixture.h"
#include "../unit/folder_fixture.h"
#include "../unit/tiny_onnx.h"

#define CANVAS_WIDTH  6
#define CANVAS_HEIGHT 2
#define NUMBERS       12 /* of the canvas */
#define FRAME_SIDE    3

/** A model of some role opened on the rung under test, and a frame for it. */
struct subject {
    const char *rung;
    struct artifact_fixture files;
    rung_instance *instance;
    rung_model *model;
    rung_context *context;
    rung_model_info info;
    uint8_t pixels[FRAME_SIDE * FRAME_SIDE * 3];
    rung_frame frame;
    uint64_t packet[1024 / 8];
    size_t needed;
};

/** The graph that answers these numbers, as [1,2,6]. */
static void save_graph(const struct subject *subject, const float numbers[NUMBERS])
{
    struct rung__buffer graph = {0};
    tiny_rows(&graph, &(struct tiny_rows){.input = "image",
                                          .output = "answer",
                                          .width = CANVAS_WIDTH,
                                          .height = CANVAS_HEIGHT,
                                          .rows = numbers,
                                          .row_count = CANVAS_HEIGHT,
                                          .opset = 17});
    artifact_fixture_save(subject->files.graph, rung__buffer_bytes(&graph));
    rung__buffer_finish(&graph);
}

/** `more`: the members of the spec that make the role. */
static void save_spec(const struct subject *subject, const char *more)
{
    json_t *changes = json_loads(more, 0, NULL);
    json_t *spec = json_pack("{s:i,s:s,s:{s:i,s:i},s:{s:s,s:s},s:s,s:s,s:{s:s,s:s,s:[i,i,i,i]},"
                             "s:[{s:s,s:s,s:s,s:[i,i,i]}],s:[s,s]}",
                             "schema", 1, "name", "subject", "canvas", "width", CANVAS_WIDTH,
                             "height", CANVAS_HEIGHT, "tensor", "dtype", "f32", "layout", "planar",
                             "fit", "letterbox", "order", "RGB", "input", "name", "image", "dtype",
                             "f32", "shape", 1, 3, CANVAS_HEIGHT, CANVAS_WIDTH, "outputs",
                             "purpose", "output", "name", "answer", "dtype", "f32", "shape", 1,
                             CANVAS_HEIGHT, CANVAS_WIDTH, "providers", "ort", "tract");
    assert_non_null(changes);
    assert_non_null(spec);
    assert_int_equal(json_object_update(spec, changes), 0);
    artifact_fixture_save_spec(&subject->files, spec);
    json_decref(changes);
    json_decref(spec);
}

/** Opens an instance, and the model on the rung under test. */
static rung_result open_model(struct subject *subject, uint32_t flags)
{
    const rung_instance_options instance = artifact_fixture_instance(
        &subject->files, RUNG_INSTANCE_NO_ENVIRONMENT, RUNG_PROBE_DEFAULT);
    const rung_model_options model = {
        .struct_size = sizeof model,
        .version = RUNG_STRUCT_VERSION,
        .flags = flags,
        .threads = 1,
        .rung = subject->rung,
    };
    if (!subject->instance)
        assert_int_equal(rung_instance_create(&instance, &subject->instance), RUNG_OK);
    return rung_model_open(subject->instance, subject->files.model, &model, &subject->model);
}

static void open_subject(struct subject *subject, uint32_t flags)
{
    if (open_model(subject, flags) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    subject->info =
        (rung_model_info){.struct_size = sizeof subject->info, .version = RUNG_STRUCT_VERSION};
    assert_int_equal(rung_model_get_info(subject->model, &subject->info), RUNG_OK);
}

static void pack(struct subject *subject, const float numbers[NUMBERS], const char *spec)
{
    artifact_fixture_make(&subject->files, test_folder);
    save_graph(subject, numbers);
    save_spec(subject, spec);
    if (artifact_fixture_pack(&subject->files, true) != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static void start(struct subject *subject, const float numbers[NUMBERS], const char *spec)
{
    pack(subject, numbers, spec);
    open_subject(subject, 0);
    assert_int_equal(rung_context_create(subject->model, NULL, &subject->context), RUNG_OK);
    for (size_t i = 0; i < sizeof subject->pixels; i++)
        subject->pixels[i] = (uint8_t)(i * 9);
    subject->frame = (rung_frame){
        .struct_size = sizeof subject->frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = subject->pixels,
        .width = FRAME_SIDE,
        .height = FRAME_SIDE,
        .format = RUNG_PIXEL_RGB8,
        .source_id = 11,
        .frame_id = 13,
        .session_epoch = 14,
        .transform_epoch = 15,
        .topology_epoch = 16,
    };
    memset(subject->packet, 0x5a, sizeof subject->packet);
}

static int tear_down(void **state)
{
    struct subject *subject = *state;
    rung_context_destroy(subject->context);
    rung_model_destroy(subject->model);
    rung_instance_destroy(subject->instance);
    *subject = (struct subject){.rung = subject->rung};
    return remove_test_folder(state);
}

typedef rung_result answer_fn(rung_context *, const rung_frame *, rung_span, size_t *,
                              rung_run_info *);

static rung_result answer(struct subject *subject, answer_fn *function, size_t size)
{
    return function(subject->context, &subject->frame, (rung_span){subject->packet, size},
                    &subject->needed, NULL);
}

static bool makes_numbers_up(const struct subject *subject)
{
    return strcmp(subject->rung, "dummy") == 0;
}

static void require_header(const struct subject *subject, uint32_t count, uint32_t stride,
                           uint32_t space)
{
    const rung_packet_header *packet = (const rung_packet_header *)subject->packet;
    if (rung_packet_check(packet, sizeof subject->packet) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    assert_int_equal(packet->count, count);
    assert_int_equal(packet->stride, stride);
    assert_int_equal(packet->space, space);
    assert_int_equal(packet->total_size, subject->needed);
    assert_int_equal(packet->source_id, 11);
    assert_int_equal(packet->frame_id, 13);
    assert_int_equal(packet->session_epoch, 14);
    assert_int_equal(packet->transform_epoch, 15);
    assert_int_equal(packet->topology_epoch, 16);
}

/** One byte less is CAPACITY with the size, and nothing is written. */
static void require_exact_room(struct subject *subject, answer_fn *function)
{
    uint64_t bytes = 0;
    assert_int_equal(answer(subject, function, sizeof subject->packet), RUNG_OK);
    const size_t size = subject->needed;
    assert_int_equal(rung_context_get_max_output_bytes(subject->context, &bytes), RUNG_OK);
    assert_true(size <= bytes && bytes <= subject->info.max_output_bytes);
    memset(subject->packet, 0x5a, sizeof subject->packet);
    assert_int_equal(answer(subject, function, size - 1), RUNG_CAPACITY);
    assert_int_equal(subject->needed, size);
    for (size_t i = 0; i < sizeof subject->packet / 8; i++)
        assert_int_equal(subject->packet[i], 0x5a5a5a5a5a5a5a5aull);
    assert_int_equal(answer(subject, function, size), RUNG_OK);
}

/* ---- embedders --------------------------------------------------------------------------- */

static const float direction[NUMBERS] = {3, 0, 0, 0, -4, 0, 0, 0, 0, 0, 0, -0.0f};

static const float *numbers_of(const struct subject *subject)
{
    return (const float *)((const rung_packet_header *)subject->packet + 1);
}

static void an_embedding_is_what_the_model_gives(void **state)
{
    struct subject *subject = *state;
    start(subject, direction, "{\"role\":\"embedder\",\"embedding_length\":12}");
    assert_int_equal(subject->info.role, RUNG_ROLE_EMBEDDER);
    assert_int_equal(subject->info.embedding_length, NUMBERS);
    assert_int_equal(subject->info.normalised, 0);
    assert_int_equal(subject->info.mask_classes, 0);
    assert_int_equal(answer(subject, rung_embed, sizeof subject->packet), RUNG_OK);
    require_header(subject, NUMBERS, 4, RUNG_SPACE_EMBEDDING);
    if (!makes_numbers_up(subject))
        assert_memory_equal(numbers_of(subject), direction, sizeof direction);
    require_exact_room(subject, rung_embed);
}

static void the_raw_output_of_a_run_can_be_read(void **state)
{
    struct subject *subject = *state;
    rung_output output = {.struct_size = sizeof output, .version = RUNG_STRUCT_VERSION};
    start(subject, direction,
          "{\"role\":\"embedder\",\"embedding_length\":12,"
          "\"tensor\":{\"dtype\":\"f32\",\"layout\":\"planar\",\"normalised\":true}}");
    assert_int_equal(answer(subject, rung_embed, sizeof subject->packet), RUNG_OK);
    assert_int_equal(rung_context_get_output(subject->context, 0, &output), RUNG_OK);
    assert_string_equal(output.name, "answer");
    assert_int_equal(output.count, NUMBERS);
    if (!makes_numbers_up(subject))
        assert_memory_equal(output.numbers, direction, sizeof direction);
    assert_int_equal(rung_context_get_output(subject->context, 1, &output), RUNG_NOT_FOUND);
    output.version = 0;
    assert_int_equal(rung_context_get_output(subject->context, 0, &output), RUNG_VERSION);
    assert_int_equal(rung_context_get_output(NULL, 0, &output), RUNG_INVALID_ARGUMENT);
}

static void an_embedding_is_normalised_where_the_artifact_says_so(void **state)
{
    struct subject *subject = *state;
    double sum = 0;
    start(subject, direction,
          "{\"role\":\"embedder\",\"embedding_length\":12,"
          "\"tensor\":{\"dtype\":\"f32\",\"layout\":\"planar\",\"normalised\":true}}");
    assert_int_equal(subject->info.normalised, 1);
    assert_int_equal(answer(subject, rung_embed, sizeof subject->packet), RUNG_OK);
    require_header(subject, NUMBERS, 4, RUNG_SPACE_EMBEDDING);
    for (size_t i = 0; i < NUMBERS; i++)
        sum += (double)numbers_of(subject)[i] * (double)numbers_of(subject)[i];
    assert_true(sum > 0.999999 && sum < 1.000001);
    if (!makes_numbers_up(subject)) {
        assert_true(numbers_of(subject)[0] == 0.6f);
        assert_true(numbers_of(subject)[4] == -0.8f);
    }
}

static void an_embedding_that_is_not_finite_is_an_error_of_the_run(void **state)
{
    struct subject *subject = *state;
    float numbers[NUMBERS] = {0};
    if (makes_numbers_up(subject)) {
        print_message("skipped: dummy makes its numbers up\n");
        skip();
    }
    const uint32_t infinity = 0x7f800000;
    memcpy(&numbers[7], &infinity, sizeof infinity);
    start(subject, numbers, "{\"role\":\"embedder\",\"embedding_length\":12}");
    assert_int_equal(answer(subject, rung_embed, sizeof subject->packet), RUNG_BACKEND);
    assert_non_null(strstr(rung_last_error(), "number 7 is not finite"));
    assert_int_equal(subject->packet[0], 0x5a5a5a5a5a5a5a5aull);
}

#define EMBEDDER_IN_F16                                                                            \
    "{\"role\":\"embedder\",\"embedding_length\":12,\"form\":\"f16\",\"precision\":{\"text\":\"{}" \
    "\"}"

static void an_embedder_in_a_lower_precision_needs_leave(void **state)
{
    struct subject *subject = *state;
    pack(subject, direction, EMBEDDER_IN_F16 "}");
    assert_int_equal(open_model(subject, 0), RUNG_UNSUPPORTED);
    assert_null(subject->model);
    if (strcmp(subject->rung, "tract") == 0) {
        assert_non_null(strstr(rung_last_error(), "takes models in f32"));
        assert_int_equal(open_model(subject, RUNG_MODEL_ANY_PRECISION), RUNG_UNSUPPORTED);
        return;
    }
    assert_non_null(strstr(rung_last_error(), "embedder are served in f32"));
    open_subject(subject, RUNG_MODEL_ANY_PRECISION);
    assert_string_equal(subject->info.identity, "subject+f16");
    assert_string_equal(subject->info.precision, "f16");
}

static void an_embedder_that_passed_its_gate_on_a_rung_is_served_there(void **state)
{
    struct subject *subject = *state;
    char spec[512];
    if (strcmp(subject->rung, "tract") == 0) {
        print_message("skipped: tract takes models in f32 alone\n");
        skip();
    }
    pack(subject, direction, EMBEDDER_IN_F16 "}");
    open_subject(subject, RUNG_MODEL_ANY_PRECISION);
    snprintf(spec, sizeof spec,
             EMBEDDER_IN_F16 ",\"gate\":{\"text\":\"{\\\"gates\\\":[{\\\"rung\\\":\\\"%s\\\","
                             "\\\"precision\\\":\\\"f16\\\",\\\"artifact\\\":\\\"%s\\\","
                             "\\\"passed\\\":true}]}\"}}",
             subject->rung, subject->info.artifact);
    rung_model_destroy(subject->model);
    subject->model = NULL;
    save_spec(subject, spec);
    assert_int_equal(artifact_fixture_pack(&subject->files, true), RUNG_OK);
    open_subject(subject, 0);
    assert_string_equal(subject->info.identity, "subject+f16");
}

/* ---- segmenters -------------------------------------------------------------------------- */

/* Of a square frame the canvas shows columns 2 and 3: 0.5 counts, a little less does not. */
static const float surely[NUMBERS] = {1, 1, 0.5f, 0.25f, 1, 1, 0, 0, 0x1.fffffep-2f, 1, 0, 0};

static void a_mask_is_the_content_of_the_canvas(void **state)
{
    struct subject *subject = *state;
    static const rung_mask whole = {0, 0, FRAME_SIDE, FRAME_SIDE, 2, 0, 2, 2};
    const rung_mask *mask = (const rung_mask *)((const rung_packet_header *)subject->packet + 1);
    start(subject, surely,
          "{\"role\":\"segmenter\",\"selection\":{\"min_confidence\":0.5,\"suppress\":false}}");
    assert_int_equal(subject->info.role, RUNG_ROLE_SEGMENTER);
    assert_int_equal(subject->info.mask_classes, 2);
    assert_int_equal(subject->info.min_confidence, 32768);
    assert_int_equal(answer(subject, rung_segment, sizeof subject->packet), RUNG_OK);
    require_header(subject, 2, 2, RUNG_SPACE_MASK);
    assert_memory_equal(mask, &whole, sizeof whole);
    if (!makes_numbers_up(subject))
        assert_memory_equal(mask + 1, ((const uint8_t[]){1, 0, 0, 1}), 4);
    require_exact_room(subject, rung_segment);

    subject->frame.crop = (rung_rect){0, 1, 3, 1};
    assert_int_equal(answer(subject, rung_segment, sizeof subject->packet), RUNG_OK);
    require_header(subject, 2, 6, RUNG_SPACE_MASK);
    assert_memory_equal(mask, &((const rung_mask){0, 1, 3, 1, 0, 0, 6, 2}), sizeof *mask);
    if (!makes_numbers_up(subject))
        assert_memory_equal(mask + 1, ((const uint8_t[]){1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0}),
                            NUMBERS);
}

static void logits_of_a_mask_go_through_the_sigmoid(void **state)
{
    struct subject *subject = *state;
    static const float logits[NUMBERS] = {0, 0, -0.25f, 0.0f, 0, 0, 0, 0, 9, -9, 0, 0};
    start(subject, logits,
          "{\"role\":\"segmenter\",\"parameters\":{\"logits\":true},"
          "\"selection\":{\"min_confidence\":0.5,\"suppress\":false}}");
    assert_int_equal(answer(subject, rung_segment, sizeof subject->packet), RUNG_OK);
    require_header(subject, 2, 2, RUNG_SPACE_MASK);
    if (!makes_numbers_up(subject))
        assert_memory_equal((const uint8_t *)subject->packet + 128, ((const uint8_t[]){0, 1, 1, 0}),
                            4);
}

/* ---- roles and thresholds ---------------------------------------------------------------- */

static void a_model_of_another_role_is_refused(void **state)
{
    struct subject *subject = *state;
    start(subject, direction, "{\"role\":\"embedder\",\"embedding_length\":12}");
    assert_int_equal(answer(subject, rung_segment, sizeof subject->packet), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "rung_segment: subject is no segmenter"));
    assert_int_equal(answer(subject, rung_detect, sizeof subject->packet), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "rung_detect: subject is no detector"));
    subject->frame.width = 0;
    assert_int_equal(answer(subject, rung_embed, sizeof subject->packet), RUNG_INVALID_ARGUMENT);
}

static void what_ran_says_the_role_and_whose_thresholds(void **state)
{
    struct subject *subject = *state;
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    const rung_span span = {subject->packet, sizeof subject->packet};
    start(subject, direction, "{\"role\":\"embedder\",\"embedding_length\":12}");
    assert_int_equal(rung_embed(subject->context, &subject->frame, span, NULL, &info), RUNG_OK);
    assert_int_equal(info.role, RUNG_ROLE_EMBEDDER);
    assert_int_equal(info.calibration_overridden, 0);
    assert_string_equal(info.artifact, subject->info.artifact);
    assert_true(info.run_ns > 0);
}

/** Two boxes apart from each other, at 0.6 and 0.2; the artifact asks for 0.5 and one target. */
static void thresholds_are_overridden_by_leave_alone(void **state)
{
    struct subject *subject = *state;
    static const float boxes[NUMBERS] = {0.35f, 0, 0.1f, 1, 0.6f, 0, 0.5f, 0, 0.1f, 1, 0.2f, 0};
    rung_context_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .min_confidence = 6554,
        .max_targets = 7,
    };
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    const rung_packet_header *packet = (const rung_packet_header *)subject->packet;
    const rung_span span = {subject->packet, sizeof subject->packet};
    uint64_t bytes = 0;
    rung_context *other = NULL;
    start(subject, boxes,
          "{\"role\":\"detector\",\"head\":\"rows\",\"selection\":{\"min_confidence\":0.5,"
          "\"suppress\":true,\"iou\":0.5,\"capacity\":2,\"considered\":1,\"max_targets\":1}}");
    assert_int_equal(subject->info.min_confidence, 32768);
    assert_int_equal(subject->info.iou, 32768);
    assert_int_equal(subject->info.suppression, RUNG_SUPPRESS);
    assert_int_equal(rung_context_create(subject->model, &options, &other), RUNG_INVALID_ARGUMENT);
    assert_null(other);
    options.flags = RUNG_CONTEXT_OVERRIDE_CALIBRATION;
    assert_int_equal(rung_context_create(subject->model, &options, &other), RUNG_OK);
    assert_int_equal(rung_context_get_max_output_bytes(other, &bytes), RUNG_OK);
    assert_int_equal(bytes, 96 + 7 * 80);
    assert_int_equal(rung_detect(other, &subject->frame, span, NULL, &info), RUNG_OK);
    rung_context_destroy(other);
    assert_int_equal(info.calibration_overridden, 1);
    if (!makes_numbers_up(subject))
        assert_int_equal(packet->count, 2);
    assert_int_equal(answer(subject, rung_detect, sizeof subject->packet), RUNG_OK);
    if (!makes_numbers_up(subject))
        assert_int_equal(packet->count, 1);
}

static int run_contract(const char *rung)
{
    struct subject subject = {.rung = rung};
    struct CMUnitTest tests[] = {
        cmocka_unit_test(an_embedding_is_what_the_model_gives),
        cmocka_unit_test(the_raw_output_of_a_run_can_be_read),
        cmocka_unit_test(an_embedding_is_normalised_where_the_artifact_says_so),
        cmocka_unit_test(an_embedding_that_is_not_finite_is_an_error_of_the_run),
        cmocka_unit_test(an_embedder_in_a_lower_precision_needs_leave),
        cmocka_unit_test(an_embedder_that_passed_its_gate_on_a_rung_is_served_there),
        cmocka_unit_test(a_mask_is_the_content_of_the_canvas),
        cmocka_unit_test(logits_of_a_mask_go_through_the_sigmoid),
        cmocka_unit_test(a_model_of_another_role_is_refused),
        cmocka_unit_test(what_ran_says_the_role_and_whose_thresholds),
        cmocka_unit_test(thresholds_are_overridden_by_leave_alone),
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        tests[i].setup_func = make_test_folder;
        tests[i].teardown_func = tear_down;
        tests[i].initial_state = &subject;
    }
    return cmocka_run_group_tests_name(rung, tests, NULL, NULL);
}

int main(void)
{
    return run_contract("dummy") + run_contract("ort-cpu") + run_contract("tract");
}
