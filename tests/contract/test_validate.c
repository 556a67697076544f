/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validation: what has the bytes of base and is faster has a record, and auto takes it. Who is
 * faster is decided by the test, not by the machine that it runs on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rung/rung.h>

#include "../unit/artifact_fixture.h"
#include "../unit/folder_fixture.h"
#include "base/error.h"
#include "session/validate.h"
#include "stage/implementations.h"
#include "stage/post/post.h"
#include "stage/pre/pre.h"

#define SIDE     90
#define THREADS  3 /* on one there is nothing to share */
#define ROWS     8
#define LIMIT_NS (UINT64_C(600) * 1000000000)

static struct artifact_fixture files;
static rung_instance *instance;
static rung_model *model;
static uint8_t pixels[2][SIDE * SIDE * 3];

/* ---- models and frames ----------------------------------------------------------------------- */

static void open_model(const char *rung)
{
    const rung_instance_options options = artifact_fixture_instance(&files, 0, RUNG_PROBE_OFF);
    const rung_model_options with = {.struct_size = sizeof with,
                                     .version = RUNG_STRUCT_VERSION,
                                     .threads = THREADS,
                                     .rung = rung};
    if (rung_instance_create(&options, &instance) != RUNG_OK ||
        rung_model_open(instance, files.model, &with, &model) != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static void close_model(void)
{
    rung_model_destroy(model);
    rung_instance_destroy(instance);
    model = NULL;
    instance = NULL;
}

static int set_up(void **state)
{
    if (make_test_folder(state) != 0 || setenv("XDG_STATE_HOME", test_folder, true) != 0)
        return -1;
    artifact_fixture_make(&files, test_folder);
    if (artifact_fixture_pack(&files, true) != RUNG_OK)
        return -1;
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; i < sizeof pixels[f]; i++)
            pixels[f][i] = (uint8_t)(i * 7 + f * 31 + i * i % 13);
    open_model("dummy");
    return 0;
}

static int tear_down(void **state)
{
    close_model();
    return remove_test_folder(state);
}

static rung_frame frame_of(size_t number)
{
    return (rung_frame){.struct_size = sizeof(rung_frame),
                        .version = RUNG_STRUCT_VERSION,
                        .pixels = pixels[number],
                        .width = SIDE,
                        .height = (uint32_t)(SIDE - number),
                        .format = RUNG_PIXEL_RGB8};
}

/* ---- what is reported ------------------------------------------------------------------------ */

struct row {
    char implementation[32], outcome[32], reason[256], digest[80];
    uint32_t rounds;
};

struct report {
    struct row rows[ROWS];
    size_t count;
};

static void take(void *user, const rung_validation *row)
{
    struct report *report = user;
    assert_true(report->count < ROWS);
    struct row *to = &report->rows[report->count++];
    assert_int_equal(row->struct_size, sizeof *row);
    snprintf(to->implementation, sizeof to->implementation, "%s", row->implementation);
    snprintf(to->outcome, sizeof to->outcome, "%s", row->outcome);
    snprintf(to->reason, sizeof to->reason, "%s", row->reason);
    snprintf(to->digest, sizeof to->digest, "%s", row->digest);
    to->rounds = row->rounds;
}

static const struct row *row_of(const struct report *report, const char *implementation)
{
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->rows[i].implementation, implementation) == 0)
            return &report->rows[i];
    fail_msg("there is no row of %s", implementation);
    return NULL;
}

static void assert_outcome(const struct report *report, const char *implementation,
                           const char *outcome)
{
    assert_string_equal(row_of(report, implementation)->outcome, outcome);
}

/* ---- who is faster --------------------------------------------------------------------------- */

static uint64_t tested_wins(enum rung__side side, uint64_t ns)
{
    (void)ns;
    return side == RUNG__SIDE_TESTED ? 96 : 100;
}

static uint64_t tested_hardly_wins(enum rung__side side, uint64_t ns)
{
    (void)ns;
    return side == RUNG__SIDE_TESTED ? 98 : 100;
}

static uint64_t rival_wins(enum rung__side side, uint64_t ns)
{
    (void)ns;
    return side == RUNG__SIDE_BASE ? 100 : 50;
}

static struct report validate(const struct rung__catalog *catalog,
                              uint64_t (*weigh)(enum rung__side side, uint64_t ns))
{
    const rung_frame frames[] = {frame_of(0), frame_of(1)};
    struct report report = {0};
    const struct rung__validate_task task = {
        .catalog = catalog,
        .frames = frames,
        .frame_count = 2,
        .limit_ns = LIMIT_NS,
        .weigh = weigh,
        .callback = take,
        .user = &report,
    };
    if (rung__validate(model, &task) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    return report;
}

/* ---- what auto takes ------------------------------------------------------------------------- */

static void assert_auto(uint32_t flags, size_t stage, const char *id)
{
    char text[65536];
    assert_int_equal(
        rung_plan_describe(instance, model, "{}", flags, (rung_span){text, sizeof text}, NULL),
        RUNG_OK);
    json_t *json = json_loads(text, 0, NULL);
    const json_t *row = json_array_get(json_object_get(json, "stages"), stage);
    assert_string_equal(json_string_value(json_object_get(row, "effective")), id);
    json_decref(json);
}

/** What there is for one thread, whatever it is called on this processor. */
static const char *without_record(void)
{
    struct report report = validate(&rung__catalog, rival_wins);
    return strcmp(row_of(&report, "simd-exact-v1")->outcome, "shipped") == 0 ? "simd-exact-v1"
                                                                             : "base";
}

static char *records_path(char to[256])
{
    return (char *)in_test_folder(to, "rung/stages.json");
}

static json_t *load_records(void)
{
    char path[256];
    json_t *json = json_load_file(records_path(path), 0, NULL);
    assert_non_null(json);
    return json;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void every_implementation_has_a_row_and_the_bytes_of_base(void **state)
{
    static const char *const rungs[] = {"dummy", "ort-cpu"};
    static const char *const expected[] = {"simd-exact-v1", "threaded-exact-v1", "import-v1",
                                           "ring-v1",       "overlap-v1",        "grid-exact-v1"};
    (void)state;
    for (size_t r = 0; r < 2; r++) {
        struct report report = {0};
        close_model();
        open_model(rungs[r]);
        assert_int_equal(rung_model_validate(model, NULL, take, &report), RUNG_OK);
        assert_int_equal(report.count, 6);
        for (size_t i = 0; i < report.count; i++) {
            const struct row *row = &report.rows[i];
            assert_string_equal(row->implementation, expected[i]);
            if (strcmp(row->outcome, "unsuited") == 0) /* without vectors */
                continue;
            assert_int_equal(strlen(row->digest), 64);
            assert_true(row->rounds >= 3 || strcmp(row->outcome, "unmeasured") == 0);
        }
    }
}

static void what_is_faster_is_recorded_and_taken_until_the_file_goes(void **state)
{
    char path[256];
    (void)state;
    const char *without = without_record();
    assert_auto(0, 0, without);
    assert_auto(RUNG_CONTEXT_SERIES, 2, "base");

    const struct report report = validate(&rung__catalog, tested_wins);
    assert_outcome(&report, "threaded-exact-v1", "recorded");
    assert_outcome(&report, "ring-v1", "recorded");
    assert_outcome(&report, "overlap-v1", "recorded");
    assert_outcome(&report, "import-v1", "shipped");
    assert_auto(0, 0, "threaded-exact-v1");
    assert_auto(0, 1, "import-v1");
    assert_auto(RUNG_CONTEXT_SERIES, 1, "ring-v1");
    assert_auto(RUNG_CONTEXT_SERIES, 2, "overlap-v1");

    json_t *json = load_records();
    const json_t *rows = json_object_get(json, "records");
    assert_int_equal(json_array_size(rows), 3);
    const json_t *first = json_array_get(rows, 0);
    assert_string_equal(json_string_value(json_object_get(first, "id")), "threaded-exact-v1");
    assert_int_equal(json_integer_value(json_object_get(first, "base_ns")), 100);
    assert_int_equal(json_integer_value(json_object_get(first, "p50_ns")), 96);
    assert_int_equal(json_integer_value(json_object_get(first, "width")), SIDE);
    assert_string_equal(json_string_value(json_object_get(first, "digest")),
                        row_of(&report, "threaded-exact-v1")->digest);
    json_decref(json);

    assert_true(rung__file_remove(records_path(path)));
    assert_auto(0, 0, without);
    assert_auto(RUNG_CONTEXT_SERIES, 1, "import-v1");
    assert_auto(RUNG_CONTEXT_SERIES, 2, "base");
}

static void a_record_of_another_environment_is_not_used(void **state)
{
    char path[256];
    size_t i;
    json_t *row;
    (void)state;
    const char *without = without_record();
    (void)validate(&rung__catalog, tested_wins);
    json_t *json = load_records();
    json_array_foreach(json_object_get(json, "records"), i, row)
    {
        char environment[512];
        snprintf(environment, sizeof environment, "%s of another",
                 json_string_value(json_object_get(row, "environment")));
        json_object_set_new(row, "environment", json_string(environment));
    }
    assert_int_equal(json_dump_file(json, records_path(path), 0), 0);
    json_decref(json);
    assert_auto(0, 0, without);
    assert_auto(RUNG_CONTEXT_SERIES, 2, "base");
}

static void one_that_is_not_faster_than_all_others_loses_its_record(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        (void)validate(&rung__catalog, tested_wins);
        const struct report report = validate(&rung__catalog, i ? rival_wins : tested_hardly_wins);
        assert_outcome(&report, "threaded-exact-v1",
                       strcmp(without_record(), "base") == 0 && i ? "recorded" : "slower");
        assert_outcome(&report, "overlap-v1", "slower");
        assert_auto(RUNG_CONTEXT_SERIES, 2, "base");
    }
}

static void without_time_nothing_is_proven_and_a_record_stays(void **state)
{
    struct report report = {0};
    const rung_frame frames[] = {frame_of(0)};
    const struct rung__validate_task hasty = {
        .catalog = &rung__catalog,
        .frames = frames,
        .frame_count = 1,
        .limit_ns = 1,
        .callback = take,
        .user = &report,
    };
    (void)state;
    (void)validate(&rung__catalog, tested_wins);
    assert_int_equal(rung__validate(model, &hasty), RUNG_OK);
    assert_outcome(&report, "threaded-exact-v1", "unmeasured");
    assert_int_equal(row_of(&report, "threaded-exact-v1")->rounds, 0);
    assert_auto(0, 0, "threaded-exact-v1");
}

/* ---- implementations that are no good -------------------------------------------------------- */

static rung_result run_wrong(void *object, void *data)
{
    struct rung__pre_request *request = data;
    rung_result result = rung__pre_base.operations->run(object, data);
    ((uint8_t *)request->tensor)[77] ^= 0x10;
    return result;
}

static rung_result run_failing(void *object, void *data)
{
    (void)object, (void)data;
    return rung__fail(RUNG_BACKEND, "the device is on fire");
}

/** Right in the first round, which looks at two frames, and then no more: a target of nothing. */
static rung_result run_wrong_later(void *object, void *data)
{
    static unsigned runs;
    struct rung__post_request *request = data;
    rung_result result = rung__post_base.operations->run(object, data);
    if (++runs > 2) {
        request->decoded->candidates[0] = (struct rung__candidate){0};
        request->selected->order[0] = 0;
        request->selected->count = 1;
    }
    return result;
}

/** As base, but with another `run`, and with the name of one that may have a record. */
static struct report validate_with(enum rung__stage stage, rung_result (*run)(void *, void *))
{
    static const struct rung__implementation *const bases[] = {
        &rung__pre_base, &rung__buffer_base, &rung__schedule_base, &rung__post_base,
        &rung__engine_base};
    struct rung__implementation no_good = *bases[stage];
    struct rung__stage_operations operations = *no_good.operations;
    const struct rung__implementation *lists[RUNG__STAGES][3] = {{NULL}};
    struct rung__catalog catalog;
    for (uint32_t i = 0; i < RUNG__STAGES; i++) {
        lists[i][0] = i == stage ? &no_good : bases[i];
        lists[i][1] = i == stage ? bases[i] : NULL;
        catalog.stages[i] = lists[i];
    }
    no_good.id = "threaded-exact-v1";
    no_good.components = RUNG__COMPONENT_THREADS;
    no_good.per_model = true;
    no_good.fallback = RUNG__STAGE_BASE;
    operations.run = run ? run : operations.run;
    no_good.operations = &operations;
    return validate(&catalog, tested_wins);
}

static void one_whose_bytes_differ_is_refused_from_then_on(void **state)
{
    (void)state;
    struct report report = validate_with(RUNG__STAGE_PREPROCESS, NULL);
    assert_outcome(&report, "threaded-exact-v1", "recorded");
    assert_auto(0, 0, "threaded-exact-v1");

    report = validate_with(RUNG__STAGE_PREPROCESS, run_wrong);
    assert_int_equal(report.count, 1);
    assert_outcome(&report, "threaded-exact-v1", "different");
    assert_string_equal(report.rows[0].digest, "");
    assert_non_null(strstr(report.rows[0].reason, "frame 0"));
    json_t *json = load_records();
    const json_t *record = json_array_get(json_object_get(json, "records"), 0);
    assert_true(json_is_true(json_object_get(record, "refused")));
    json_decref(json);
    assert_auto(0, 0, without_record());

    report = validate_with(RUNG__STAGE_PREPROCESS, NULL); /* it is mended */
    assert_outcome(&report, "threaded-exact-v1", "recorded");
    assert_auto(0, 0, "threaded-exact-v1");
}

static void one_whose_bytes_differ_later_is_refused_too(void **state)
{
    (void)state;
    const struct report report = validate_with(RUNG__STAGE_POSTPROCESS, run_wrong_later);
    assert_outcome(&report, "threaded-exact-v1", "different");
    assert_string_equal(report.rows[0].digest, "");
    assert_non_null(strstr(report.rows[0].reason, "packet"));
}

static void one_that_fails_is_an_outcome(void **state)
{
    (void)state;
    const struct report report = validate_with(RUNG__STAGE_PREPROCESS, run_failing);
    assert_outcome(&report, "threaded-exact-v1", "failed");
    assert_non_null(strstr(report.rows[0].reason, "on fire"));
}

/* ---- behind a probe -------------------------------------------------------------------------- */

static char told[512];

static void hear(void *user, int32_t level, const char *text)
{
    (void)user, (void)level;
    if (strstr(text, "the stages around the model"))
        snprintf(told, sizeof told, "%s", text);
}

static void a_probe_validates_what_it_chose_in_a_process_or_without(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        rung_instance *probing = NULL;
        const rung_instance_options options = {
            .struct_size = sizeof options,
            .version = RUNG_STRUCT_VERSION,
            .flags = i ? RUNG_INSTANCE_NO_CHILDREN : 0,
            .runtime_path = getenv("RUNG_TEST_RUNTIMES"),
            .trust_path = files.public_key,
            .helper_path = i ? NULL : getenv("RUNG_TEST_HELPER"),
            .probe = RUNG_PROBE_OFF,
            .log_level = RUNG_LOG_INFO,
            .log = hear,
        };
        const rung_probe_options with = {
            .struct_size = sizeof with, .version = RUNG_STRUCT_VERSION, .threads = THREADS};
        told[0] = '\0';
        assert_int_equal(rung_instance_create(&options, &probing), RUNG_OK);
        assert_int_equal(rung_model_probe(probing, files.model, &with, NULL, NULL), RUNG_OK);
        for (size_t row = 0; row < 3; row++) {
            static const char *const earned[] = {"threaded-exact-v1 ", "ring-v1 ", "overlap-v1 "};
            assert_non_null(strstr(told, earned[row]));
        }
        assert_null(strstr(told, "different"));
        assert_null(strstr(told, "failed"));
        assert_null(strstr(told, "import-v1")); /* its evidence ships */
        rung_instance_destroy(probing);
    }
}

/* ---- what stands in the way ------------------------------------------------------------------ */

static void a_folder_that_cannot_be_written_is_an_outcome(void **state)
{
    (void)state;
    setenv("XDG_STATE_HOME", files.model, true); /* which is no folder */
    close_model();
    open_model("dummy");
    const struct report report = validate(&rung__catalog, tested_wins);
    assert_outcome(&report, "threaded-exact-v1", "unkept");
    assert_outcome(&report, "overlap-v1", "unkept");
}

static void wrong_arguments_are_refused(void **state)
{
    rung_frame frame = frame_of(0);
    const rung_frame *frames[] = {&frame};
    rung_validate_options options = {.struct_size = sizeof options,
                                     .version = RUNG_STRUCT_VERSION,
                                     .frames = frames,
                                     .frame_count = 1};
    (void)state;
    assert_int_equal(rung_model_validate(NULL, NULL, NULL, NULL), RUNG_INVALID_ARGUMENT);
    frame.width = 0;
    assert_int_equal(rung_model_validate(model, &options, NULL, NULL), RUNG_INVALID_ARGUMENT);
    frame = frame_of(0);
    frame.struct_size = 2;
    assert_int_equal(rung_model_validate(model, &options, NULL, NULL), RUNG_INVALID_ARGUMENT);
    frame = frame_of(0);
    options.frame_count = 65;
    assert_int_equal(rung_model_validate(model, &options, NULL, NULL), RUNG_INVALID_ARGUMENT);
    options.frame_count = 1;
    options.frames = NULL;
    assert_int_equal(rung_model_validate(model, &options, NULL, NULL), RUNG_INVALID_ARGUMENT);
    options.frames = frames;
    options.flags = 1;
    assert_int_equal(rung_model_validate(model, &options, NULL, NULL), RUNG_INVALID_ARGUMENT);
    options.flags = 0;
    options.time_limit_ms = 1;
    assert_int_equal(rung_model_validate(model, &options, NULL, NULL), RUNG_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_implementation_has_a_row_and_the_bytes_of_base),
        TEST(what_is_faster_is_recorded_and_taken_until_the_file_goes),
        TEST(a_record_of_another_environment_is_not_used),
        TEST(one_that_is_not_faster_than_all_others_loses_its_record),
        TEST(without_time_nothing_is_proven_and_a_record_stays),
        TEST(one_whose_bytes_differ_is_refused_from_then_on),
        TEST(one_whose_bytes_differ_later_is_refused_too),
        TEST(one_that_fails_is_an_outcome),
        TEST(a_probe_validates_what_it_chose_in_a_process_or_without),
        TEST(a_folder_that_cannot_be_written_is_an_outcome),
        TEST(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
