/* SPDX-License-Identifier: Apache-2.0 */
/* Plans, validation records and readiness: what they read, keep and refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "folder_fixture.h"
#include "stage/implementations.h"
#include "stage/plan.h"
#include "stage/readiness.h"
#include "stage/record.h"

static rung_result parse(const char *text, struct rung__plan *out)
{
    return rung__plan_parse((struct rung__bytes){(const uint8_t *)text, strlen(text)}, "the plan",
                            out);
}

static void a_plan_reads_as_it_is_printed(void **state)
{
    struct rung__plan plan, again;
    (void)state;
    assert_int_equal(parse("{\"preprocessor\":\"simd-exact-v1\",\"scheduler\":\"base\","
                           "\"allow_compatibility_fallback\":false}",
                           &plan),
                     RUNG_OK);
    assert_string_equal(plan.ids[RUNG__STAGE_PREPROCESS], "simd-exact-v1");
    assert_string_equal(plan.ids[RUNG__STAGE_BUFFER], "auto");
    assert_string_equal(plan.ids[RUNG__STAGE_SCHEDULE], "base");
    assert_false(plan.allow_fallback);
    json_t *json = rung__plan_json(&plan);
    char *text = json_dumps(json, JSON_COMPACT);
    assert_int_equal(parse(text, &again), RUNG_OK);
    assert_memory_equal(&plan, &again, sizeof plan);
    free(text);
    json_decref(json);
}

static void what_is_no_plan_is_refused_with_its_reason(void **state)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{\"preprocesor\":\"auto\"}",
        "{\"preprocessor\":1}",
        "{\"preprocessor\":\"\"}",
        "{\"buffer\":\"an-id-that-is-longer-than-any-implementation-has\"}",
        "{\"allow_compatibility_fallback\":\"yes\"}",
    };
    struct rung__plan plan = rung__plan_default(), before = plan;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(parse(texts[i], &plan), RUNG_INVALID_ARGUMENT);
        assert_non_null(strstr(rung_last_error(), "the plan"));
        assert_memory_equal(&plan, &before, sizeof plan);
    }
}

/* ---- records --------------------------------------------------------------------------------- */

static const struct rung__stage_context here = {
    .device = "cpu", .device_id = "a processor", .level = "avx2", .workers = 2, .model = "m"};

static struct rung__record record_of(const struct rung__implementation *implementation)
{
    struct rung__record record = {.stage = implementation->stage, .base_ns = 20, .p50_ns = 10};
    snprintf(record.id, sizeof record.id, "%s", implementation->id);
    snprintf(record.digest, sizeof record.digest, "abc");
    rung__record_environment(implementation, &here, record.environment);
    return record;
}

static void records_are_kept_and_hold_where_they_were_earned(void **state)
{
    struct rung__records records = {0}, again;
    const struct rung__record threaded = record_of(&rung__pre_threaded);
    struct rung__stage_context elsewhere = here;
    (void)state;
    assert_int_equal(rung__records_put(&records, &threaded), RUNG_OK);
    assert_int_equal(rung__records_write(test_folder, &records), RUNG_OK);
    assert_int_equal(rung__records_read(test_folder, &again), RUNG_OK);
    assert_int_equal(again.count, 1);
    assert_memory_equal(&again.rows[0], &threaded, sizeof threaded);
    assert_non_null(rung__records_find(&again, &rung__pre_threaded, &here));
    assert_null(rung__records_find(&again, &rung__pre_simd, &here));

    elsewhere.device_id = "another processor";
    assert_null(rung__records_find(&again, &rung__pre_threaded, &elsewhere));
    elsewhere = here;
    elsewhere.level = "avx512";
    assert_null(rung__records_find(&again, &rung__pre_threaded, &elsewhere));
    elsewhere = here;
    elsewhere.workers = 3;
    assert_null(rung__records_find(&again, &rung__pre_threaded, &elsewhere));
    elsewhere = here;
    elsewhere.model = "another";
    assert_null(rung__records_find(&again, &rung__pre_threaded, &elsewhere));

    rung__records_drop(&again, &threaded);
    assert_int_equal(again.count, 0);
    rung__records_finish(&again);
    rung__records_finish(&records);
}

static void the_file_is_changed_row_by_row(void **state)
{
    char path[256];
    struct rung__records records;
    struct rung__record rows[2] = {record_of(&rung__buffer_ring), record_of(&rung__pre_threaded)};
    (void)state;
    assert_int_equal(rung__records_change(test_folder, rows, 2), RUNG_OK);
    rows[0].digest[0] = '\0';
    rows[1].p50_ns = 7;
    assert_int_equal(rung__records_change(test_folder, rows, 2), RUNG_OK);
    assert_int_equal(rung__records_read(test_folder, &records), RUNG_OK);
    assert_int_equal(records.count, 1);
    assert_memory_equal(&records.rows[0], &rows[1], sizeof rows[1]);
    rung__records_finish(&records);

    assert_int_equal(rung__file_save(in_test_folder(path, RUNG__RECORDS_FILE),
                                     (struct rung__bytes){(const uint8_t *)"{", 1}, 0600, true),
                     RUNG_OK);
    assert_int_equal(rung__records_change(test_folder, &rows[1], 1), RUNG_OK);
    assert_int_equal(rung__records_read(test_folder, &records), RUNG_OK);
    assert_int_equal(records.count, 1);
    rung__records_finish(&records);
}

static void a_newer_record_takes_the_place_of_the_older_one(void **state)
{
    struct rung__records records = {0};
    struct rung__record record = record_of(&rung__pre_simd);
    (void)state;
    for (uint32_t i = 0; i < RUNG__RECORDS_MAX + 3; i++) {
        record.p50_ns = i;
        assert_int_equal(rung__records_put(&records, &record), RUNG_OK);
        assert_int_equal(records.count, 1);
    }
    for (uint32_t i = 0; i < RUNG__RECORDS_MAX + 3; i++) {
        snprintf(record.environment, sizeof record.environment, "%u", i);
        assert_int_equal(rung__records_put(&records, &record), RUNG_OK);
    }
    assert_int_equal(records.count, RUNG__RECORDS_MAX);
    assert_string_equal(records.rows[0].environment, "3"); /* the oldest went */
    rung__records_finish(&records);
}

static void a_damaged_file_of_records_is_refused(void **state)
{
    static const char *const texts[] = {
        "{",
        "{\"schema\":2,\"records\":[]}",
        "{\"schema\":1}",
        "{\"schema\":1,\"records\":[{}]}",
        ("{\"schema\":1,\"records\":[{\"stage\":\"lunch\",\"id\":\"a\",\"environment\":\"e\","
         "\"width\":0,\"height\":0,\"base_ns\":1,\"p50_ns\":1,\"digest\":\"\"}]}"),
    };
    struct rung__records records;
    (void)state;
    char *path = rung__path_join(test_folder, RUNG__RECORDS_FILE);
    assert_non_null(path);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct rung__bytes bytes = {(const uint8_t *)texts[i], strlen(texts[i])};
        assert_int_equal(rung__file_save(path, bytes, 0600, true), RUNG_OK);
        assert_int_equal(rung__records_read(test_folder, &records), RUNG_INTEGRITY);
        assert_int_equal(records.count, 0);
    }
    assert_true(rung__file_remove(path));
    assert_int_equal(rung__records_read(test_folder, &records), RUNG_OK);
    assert_int_equal(records.count, 0);
    free(path);
}

/* ---- readiness ------------------------------------------------------------------------------- */

static void count_wait(void *user)
{
    ++*(int *)user;
}

static void a_tensor_is_waited_for_once(void **state)
{
    struct rung__readiness readiness = {0};
    int waits = 0, tensor = 0, other = 0;
    const struct rung__ready_event event = {count_wait, &waits};
    (void)state;
    assert_int_equal(rung__readiness_enter(&readiness, &tensor, 7, event), RUNG_OK);
    rung__readiness_wait(&readiness, &other, 7);  /* another buffer is ready */
    rung__readiness_wait(&readiness, &tensor, 6); /* so is another generation */
    assert_int_equal(waits, 0);
    rung__readiness_wait(&readiness, &tensor, 7);
    rung__readiness_wait(&readiness, &tensor, 7);
    assert_int_equal(waits, 1);
}

static void too_many_tensors_on_their_way_are_refused(void **state)
{
    struct rung__readiness readiness = {0};
    int waits = 0, tensors[RUNG__READINESS_MAX + 1];
    const struct rung__ready_event event = {count_wait, &waits};
    (void)state;
    for (uint32_t i = 0; i < RUNG__READINESS_MAX; i++)
        assert_int_equal(rung__readiness_enter(&readiness, &tensors[i], 1, event), RUNG_OK);
    assert_int_equal(rung__readiness_enter(&readiness, &tensors[RUNG__READINESS_MAX], 1, event),
                     RUNG_CAPACITY);
    rung__readiness_wait(&readiness, &tensors[0], 1);
    assert_int_equal(rung__readiness_enter(&readiness, &tensors[RUNG__READINESS_MAX], 1, event),
                     RUNG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_reads_as_it_is_printed),
        cmocka_unit_test(what_is_no_plan_is_refused_with_its_reason),
        cmocka_unit_test_setup_teardown(records_are_kept_and_hold_where_they_were_earned,
                                        make_test_folder, remove_test_folder),
        cmocka_unit_test_setup_teardown(the_file_is_changed_row_by_row, make_test_folder,
                                        remove_test_folder),
        cmocka_unit_test(a_newer_record_takes_the_place_of_the_older_one),
        cmocka_unit_test_setup_teardown(a_damaged_file_of_records_is_refused, make_test_folder,
                                        remove_test_folder),
        cmocka_unit_test(a_tensor_is_waited_for_once),
        cmocka_unit_test(too_many_tensors_on_their_way_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
