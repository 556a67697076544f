/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever the plan, the packet is the same; a series gives what single frames give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rung/artifact.h>
#include <rung/rung.h>

#include "../unit/artifact_fixture.h"
#include "../unit/folder_fixture.h"
#include "../unit/tiny_onnx.h"

#define SIDE   90
#define FRAMES 7

static struct artifact_fixture files;
static rung_instance *instance;
static rung_model *model;
static uint8_t pixels[FRAMES][SIDE * SIDE * 3];

static rung_instance *make_instance(uint32_t flags)
{
    rung_instance *made = NULL;
    const rung_instance_options options =
        artifact_fixture_instance(&files, flags, RUNG_PROBE_DEFAULT);
    if (rung_instance_create(&options, &made) != RUNG_OK)
        print_error("%s\n", rung_last_error());
    return made;
}

static rung_model *open_model(rung_instance *of, uint32_t threads)
{
    rung_model *opened = NULL;
    const rung_model_options options = {.struct_size = sizeof options,
                                        .version = RUNG_STRUCT_VERSION,
                                        .threads = threads,
                                        .rung = "dummy"};
    if (rung_model_open(of, files.model, &options, &opened) != RUNG_OK)
        print_error("%s\n", rung_last_error());
    return opened;
}

/** A graph of six planes, which the rung `dummy` fills with numbers that its tensor decides. */
static void save_graph(void)
{
    static const float planes[6 * 6];
    struct rung__buffer graph = {0};
    tiny_rows(&graph, &(struct tiny_rows){.input = "image",
                                          .output = "rows",
                                          .width = 8,
                                          .height = 8,
                                          .rows = planes,
                                          .row_count = 6,
                                          .opset = 17});
    artifact_fixture_save(files.graph, rung__buffer_bytes(&graph));
    rung__buffer_finish(&graph);
}

/** A detector of two classes whose targets depend on the tensor. */
static void make_model(void)
{
    json_t *spec = artifact_fixture_spec();
    json_object_set_new(spec, "head", json_string("yolo"));
    json_object_set_new(spec, "outputs",
                        json_pack("[{s:s,s:s,s:s,s:[i,i,i]}]", "purpose", "output", "name", "rows",
                                  "dtype", "f32", "shape", 1, 6, 6));
    json_object_del(spec, "golden");
    artifact_fixture_save_spec(&files, spec);
    json_decref(spec);
    save_graph();
}

static int set_up(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    artifact_fixture_make(&files, test_folder);
    make_model();
    if (artifact_fixture_pack(&files, true) != RUNG_OK)
        return -1;
    for (size_t f = 0; f < FRAMES; f++)
        for (size_t i = 0; i < sizeof pixels[f]; i++)
            pixels[f][i] = (uint8_t)(i * 7 + f * 31 + i * i % 13);
    instance = make_instance(RUNG_INSTANCE_NO_ENVIRONMENT);
    model = instance ? open_model(instance, 3) : NULL;
    return model ? 0 : -1;
}

static int tear_down(void **state)
{
    rung_model_destroy(model);
    rung_instance_destroy(instance);
    return remove_test_folder(state);
}

static rung_context *make_context(rung_model *of, const char *plan, uint32_t flags)
{
    rung_context *context = NULL;
    const rung_context_options options = {.struct_size = sizeof options,
                                          .version = RUNG_STRUCT_VERSION,
                                          .flags = flags,
                                          .plan = plan};
    if (rung_context_create(of, &options, &context) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    return context;
}

static rung_frame frame_of(size_t number)
{
    return (rung_frame){.struct_size = sizeof(rung_frame),
                        .version = RUNG_STRUCT_VERSION,
                        .pixels = pixels[number],
                        .width = SIDE,
                        .height = SIDE,
                        .format = RUNG_PIXEL_RGB8,
                        .frame_id = number + 1};
}

struct packet {
    uint64_t bytes[4096 / 8];
    size_t size;
};

static void detect(rung_context *context, size_t number, struct packet *packet)
{
    const rung_frame frame = frame_of(number);
    memset(packet, 0, sizeof *packet);
    if (rung_detect(context, &frame, (rung_span){packet->bytes, sizeof packet->bytes},
                    &packet->size, NULL) != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

/** The id of a stage in the metadata of a context. */
static json_t *metadata_of(rung_context *context)
{
    char text[32768];
    size_t needed = 0;
    assert_int_equal(rung_context_metadata(context, (rung_span){text, 8}, &needed), RUNG_CAPACITY);
    assert_true(needed > 8 && needed <= sizeof text);
    assert_int_equal(rung_context_metadata(context, (rung_span){text, sizeof text}, &needed),
                     RUNG_OK);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    return json;
}

static void assert_effective(rung_context *context, const char *member, size_t stage,
                             const char *id)
{
    json_t *json = metadata_of(context);
    const json_t *row = json_array_get(json_object_get(json, member), stage);
    assert_string_equal(json_string_value(json_object_get(row, "effective")), id);
    json_decref(json);
}

/** Without which all packets would be the same whatever the tensor is. */
static void different_frames_give_different_targets(void **state)
{
    rung_context *context = make_context(model, NULL, 0);
    struct packet packets[FRAMES];
    (void)state;
    for (size_t number = 0; number < FRAMES; number++) {
        detect(context, number, &packets[number]);
        assert_true(((const rung_packet_header *)packets[number].bytes)->count > 0);
        for (size_t before = 0; before < number; before++)
            assert_memory_not_equal(
                (const rung_target *)((const rung_packet_header *)packets[number].bytes + 1),
                (const rung_target *)((const rung_packet_header *)packets[before].bytes + 1),
                sizeof(rung_target));
    }
    rung_context_destroy(context);
}

static void every_plan_gives_the_same_packet(void **state)
{
    static const char *const plans[] = {
        "{\"preprocessor\":\"base\",\"buffer\":\"base\",\"postprocessor\":\"base\"}",
        "{\"preprocessor\":\"simd-exact-v1\"}",
        "{\"preprocessor\":\"threaded-exact-v1\"}",
        "{\"preprocessor\":\"threaded-exact-v1\",\"buffer\":\"base\"}",
        "{\"buffer\":\"import-v1\",\"postprocessor\":\"grid-exact-v1\"}",
        "{}",
    };
    struct packet expected, packet;
    (void)state;
    for (size_t number = 0; number < FRAMES; number++)
        for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
            rung_context *context = make_context(model, plans[i], 0);
            detect(context, number, i == 0 ? &expected : &packet);
            if (i > 0)
                assert_memory_equal(&packet, &expected, sizeof packet);
            rung_context_destroy(context);
        }
}

static void metadata_tell_what_runs_and_what_ran(void **state)
{
    rung_context *context =
        make_context(model, "{\"preprocessor\":\"threaded-exact-v1\",\"buffer\":\"base\"}", 0);
    struct packet packet;
    (void)state;
    assert_effective(context, "stages", 0, "threaded-exact-v1");
    assert_effective(context, "stages", 1, "base");
    json_t *json = metadata_of(context);
    assert_true(json_is_null(json_array_get(json_object_get(json, "last_request"), 0)));
    assert_int_equal(json_array_size(json_object_get(json, "metadata")), 5);
    json_decref(json);
    detect(context, 0, &packet);
    assert_effective(context, "last_request", 0, "threaded-exact-v1");
    assert_effective(context, "last_request", 4, "base");
    rung_context_destroy(context);
}

static void one_thread_leaves_nothing_to_share(void **state)
{
    rung_model *single = open_model(instance, 1);
    rung_context *context = make_context(single, "{\"preprocessor\":\"threaded-exact-v1\"}", 0);
    (void)state;
    json_t *json = metadata_of(context);
    const json_t *row = json_array_get(json_object_get(json, "stages"), 0);
    assert_string_not_equal(json_string_value(json_object_get(row, "effective")),
                            "threaded-exact-v1");
    assert_true(json_is_true(json_object_get(row, "fell_back")));
    assert_non_null(strstr(json_string_value(json_object_get(row, "reason")), "one thread"));
    json_decref(json);
    rung_context_destroy(context);
    rung_model_destroy(single);
}

static void a_plan_counts_before_the_environment(void **state)
{
    (void)state;
    setenv("RUNG_PREPROCESSOR", "base", 1);
    setenv("RUNG_PREPROCESSOR_MAX_WORKERS", "2", 1);
    rung_instance *with = make_instance(0);
    unsetenv("RUNG_PREPROCESSOR");
    unsetenv("RUNG_PREPROCESSOR_MAX_WORKERS");
    assert_non_null(with);
    rung_model *opened = open_model(with, 3);
    rung_context *by_environment = make_context(opened, NULL, 0);
    rung_context *by_plan = make_context(opened, "{\"preprocessor\":\"threaded-exact-v1\"}", 0);
    assert_effective(by_environment, "stages", 0, "base");
    assert_effective(by_plan, "stages", 0, "threaded-exact-v1");
    rung_context_destroy(by_environment);
    rung_context_destroy(by_plan);
    rung_model_destroy(opened);
    rung_instance_destroy(with);
}

static void a_wrong_variable_or_plan_is_a_sentence(void **state)
{
    rung_context *context;
    rung_context_options options = {.struct_size = sizeof options, .version = RUNG_STRUCT_VERSION};
    (void)state;
    options.plan = "{\"scheduler\":\"faster\"}";
    assert_int_equal(rung_context_create(model, &options, &context), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "faster"));
    assert_non_null(strstr(rung_last_error(), "overlap-v1"));
    options.plan = "{\"scheduler\":\"overlap-v1\",\"allow_compatibility_fallback\":false}";
    assert_int_equal(rung_context_create(model, &options, &context), RUNG_UNSUPPORTED);
    assert_non_null(strstr(rung_last_error(), "series"));

    setenv("RUNG_PREPROCESSOR_MAX_WORKERS", "many", 1);
    rung_instance *with = make_instance(0);
    unsetenv("RUNG_PREPROCESSOR_MAX_WORKERS");
    rung_model *opened = open_model(with, 1);
    options.plan = NULL;
    assert_int_equal(rung_context_create(opened, &options, &context), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "RUNG_PREPROCESSOR_MAX_WORKERS"));
    rung_model_destroy(opened);
    rung_instance_destroy(with);
}

/* ---- a tensor alone -------------------------------------------------------------------------- */

static void a_tensor_alone_is_ready_and_the_same_for_every_plan(void **state)
{
    static const char *const plans[] = {"{\"preprocessor\":\"base\"}",
                                        "{\"preprocessor\":\"simd-exact-v1\"}",
                                        "{\"preprocessor\":\"threaded-exact-v1\"}"};
    const rung_frame frame = frame_of(2);
    uint8_t *tensors[3];
    size_t needed = 0;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        rung_context *context = make_context(model, plans[i], 0);
        assert_int_equal(rung_preprocess(context, &frame, (rung_span){NULL, 0}, &needed),
                         RUNG_CAPACITY);
        tensors[i] = aligned_alloc(64, (needed + 63) / 64 * 64);
        assert_non_null(tensors[i]);
        memset(tensors[i], 0x5a, needed);
        assert_int_equal(rung_preprocess(context, &frame, (rung_span){tensors[i], needed}, NULL),
                         RUNG_OK);
        assert_memory_equal(tensors[i], tensors[0], needed);
        assert_int_equal(
            rung_preprocess(context, &frame, (rung_span){tensors[i] + 1, needed}, NULL),
            RUNG_INVALID_ARGUMENT);
        rung_context_destroy(context);
    }
    for (size_t i = 0; i < 3; i++)
        free(tensors[i]);
}

/* ---- series ---------------------------------------------------------------------------------- */

struct series {
    size_t count, given, broken; /**< frame number `broken` is none; FRAMES: all are good */
    size_t done;
    struct packet packets[FRAMES];
    rung_result results[FRAMES];
    char error[256];
};

static int next(void *user, rung_frame *frame, void **mark)
{
    struct series *series = user;
    assert_true(series->given - series->done <= 2); /* no more than the slots are on their way */
    if (series->given == series->count)
        return 0;
    *frame = frame_of(series->given);
    if (series->given == series->broken)
        frame->width = 0;
    *mark = &series->packets[series->given++];
    return 1;
}

static void done(void *user, void *mark, rung_result result, const void *packet, size_t size,
                 const rung_run_info *info)
{
    struct series *series = user;
    struct packet *to = mark;
    assert_ptr_equal(to, &series->packets[series->done]); /* in order */
    series->results[series->done++] = result;
    if (result != RUNG_OK) {
        snprintf(series->error, sizeof series->error, "%s", rung_last_error());
        assert_null(packet);
        return;
    }
    assert_string_equal(info->rung, "dummy");
    memset(to, 0, sizeof *to);
    memcpy(to->bytes, packet, size);
    to->size = size;
}

static void run_series(rung_context *context, struct series *series)
{
    const rung_series of = {.struct_size = sizeof of,
                            .version = RUNG_STRUCT_VERSION,
                            .user = series,
                            .next = next,
                            .done = done};
    assert_int_equal(rung_run_series(context, &of), RUNG_OK);
    assert_int_equal(series->done, series->given);
}

static const char *const schedules[] = {
    "{\"scheduler\":\"base\"}",
    "{\"scheduler\":\"overlap-v1\"}",
    "{\"scheduler\":\"overlap-v1\",\"preprocessor\":\"threaded-exact-v1\"}",
};

static void a_series_gives_what_single_frames_give_in_their_order(void **state)
{
    rung_context *single = make_context(model, NULL, 0);
    (void)state;
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        rung_context *context = make_context(model, schedules[i], RUNG_CONTEXT_SERIES);
        assert_effective(context, "stages", 2, i ? "overlap-v1" : "base");
        for (size_t count = 0; count <= FRAMES; count++) {
            struct series series = {.count = count, .broken = FRAMES};
            run_series(context, &series);
            assert_int_equal(series.done, count);
            for (size_t f = 0; f < count; f++) {
                struct packet expected;
                detect(single, f, &expected);
                assert_memory_equal(&series.packets[f], &expected, sizeof expected);
            }
        }
        rung_context_destroy(context);
    }
    rung_context_destroy(single);
}

static void a_frame_that_fails_is_a_result_and_the_series_goes_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        rung_context *context = make_context(model, schedules[i], RUNG_CONTEXT_SERIES);
        struct series series = {.count = FRAMES, .broken = 3};
        run_series(context, &series);
        assert_int_equal(series.done, FRAMES);
        for (size_t f = 0; f < FRAMES; f++)
            assert_int_equal(series.results[f], f == 3 ? RUNG_INVALID_ARGUMENT : RUNG_OK);
        assert_non_null(strstr(series.error, "each side must be"));
        rung_context_destroy(context);
    }
}

static void what_overlaps_needs_its_two_slots(void **state)
{
    rung_context *context = make_context(
        model, "{\"scheduler\":\"overlap-v1\",\"buffer\":\"import-v1\"}", RUNG_CONTEXT_SERIES);
    (void)state;
    assert_effective(context, "stages", 1, "import-v1");
    assert_effective(context, "stages", 2, "base");
    rung_context_destroy(context);
}

/* ---- what there would be --------------------------------------------------------------------- */

static void a_plan_is_described_without_a_context(void **state)
{
    char text[65536];
    size_t needed = 0;
    (void)state;
    for (int with_model = 0; with_model < 2; with_model++) {
        assert_int_equal(rung_plan_describe(instance, with_model ? model : NULL,
                                            "{\"scheduler\":\"overlap-v1\"}", RUNG_CONTEXT_SERIES,
                                            (rung_span){text, sizeof text}, &needed),
                         RUNG_OK);
        json_t *json = json_loads(text, 0, NULL);
        assert_true(json_array_size(json_object_get(json, "catalog")) >= 11);
        const json_t *row = json_array_get(json_object_get(json, "stages"), 1);
        assert_string_equal(json_string_value(json_object_get(row, "effective")), "ring-v1");
        json_decref(json);
    }
    assert_int_equal(rung_plan_describe(instance, NULL, "{\"scheduler\":\"no\"}", 0,
                                        (rung_span){text, sizeof text}, NULL),
                     RUNG_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_frames_give_different_targets),
        cmocka_unit_test(every_plan_gives_the_same_packet),
        cmocka_unit_test(metadata_tell_what_runs_and_what_ran),
        cmocka_unit_test(one_thread_leaves_nothing_to_share),
        cmocka_unit_test(a_plan_counts_before_the_environment),
        cmocka_unit_test(a_wrong_variable_or_plan_is_a_sentence),
        cmocka_unit_test(a_tensor_alone_is_ready_and_the_same_for_every_plan),
        cmocka_unit_test(a_series_gives_what_single_frames_give_in_their_order),
        cmocka_unit_test(a_frame_that_fails_is_a_result_and_the_series_goes_on),
        cmocka_unit_test(what_overlaps_needs_its_two_slots),
        cmocka_unit_test(a_plan_is_described_without_a_context),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
