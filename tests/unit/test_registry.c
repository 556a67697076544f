/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which a plan becomes implementations (docs/stages.md), on a catalog of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "stage/set.h"

/* ---- a catalog that counts what is constructed ----------------------------------------------- */

/** A request of these stages. */
struct request {
    uint32_t size;
    int fails;
    const char *ran; /**< set: which implementation did it */
};

static int constructed, destroyed;

static rung_result create(const struct rung__stage_context *context, void **object)
{
    (void)context;
    constructed++;
    *object = &constructed;
    return RUNG_OK;
}

static void destroy(void *object)
{
    assert_ptr_equal(object, &constructed);
    destroyed++;
}

static rung_result run_as(const char *id, void *data)
{
    struct request *request = data;
    request->ran = id;
    return request->fails ? rung__fail(RUNG_BACKEND, "it failed") : RUNG_OK;
}

static rung_result run_fast(void *object, void *request)
{
    (void)object;
    return run_as("fast-v1", request);
}

static rung_result run_wide(void *object, void *request)
{
    (void)object;
    return run_as("wide-v1", request);
}

static rung_result run_base(void *object, void *request)
{
    (void)object;
    return run_as("base", request);
}

static bool check_size(const struct rung__stage_context *context, const void *data,
                       struct rung__why *why)
{
    const struct request *request = data;
    (void)context;
    return !request || request->size <= 100 ||
           rung__why_not(why, "it takes up to 100, not %u", request->size);
}

static const struct rung__stage_operations fast_operations = {check_size, create, NULL, run_fast,
                                                              destroy},
                                           wide_operations = {NULL, create, NULL, run_wide,
                                                              destroy},
                                           base_operations = {NULL, create, NULL, run_base,
                                                              destroy};

static const struct rung__shipped_record everywhere = {0};

static struct rung__implementation fast, wide, first, base[RUNG__STAGES], ring;

#define DESCRIBED .output = "numbers", .stream = "done"

/** Preprocess: fast → wide → base; first, which is proven nowhere, stands before them. */
static struct rung__catalog make_catalog(void)
{
    static const struct rung__implementation *pre[] = {&first, &fast, &wide, NULL, NULL};
    static const struct rung__implementation *rest[RUNG__STAGES][3];
    for (uint32_t stage = 0; stage < RUNG__STAGES; stage++) {
        base[stage] = (struct rung__implementation){RUNG__ON_ANY_CPU, DESCRIBED, .id = "base",
                                                    .stage = stage, .operations = &base_operations};
        rest[stage][0] = &base[stage];
        rest[stage][1] = NULL;
    }
    first = (struct rung__implementation){RUNG__ON_ANY_CPU,   DESCRIBED,
                                          .id = "first-v1",   .stage = RUNG__STAGE_PREPROCESS,
                                          .fallback = "base", .operations = &wide_operations};
    fast = (struct rung__implementation){RUNG__ON_ANY_CPU,
                                         DESCRIBED,
                                         .id = "fast-v1",
                                         .stage = RUNG__STAGE_PREPROCESS,
                                         .fallback = "wide-v1",
                                         .shipped = &everywhere,
                                         .operations = &fast_operations};
    wide = (struct rung__implementation){RUNG__ON_ANY_CPU,   DESCRIBED,
                                         .id = "wide-v1",    .stage = RUNG__STAGE_PREPROCESS,
                                         .fallback = "base", .operations = &wide_operations};
    ring = (struct rung__implementation){RUNG__ON_ANY_CPU,   DESCRIBED,
                                         .id = "ring-v1",    .stage = RUNG__STAGE_BUFFER,
                                         .fallback = "base", .operations = &wide_operations};
    pre[3] = &base[RUNG__STAGE_PREPROCESS];
    rest[RUNG__STAGE_BUFFER][0] = &ring;
    rest[RUNG__STAGE_BUFFER][1] = &base[RUNG__STAGE_BUFFER];
    struct rung__catalog catalog = {{pre, NULL}};
    for (uint32_t stage = 1; stage < RUNG__STAGES; stage++)
        catalog.stages[stage] = rest[stage];
    return catalog;
}

/* ---- one resolution -------------------------------------------------------------------------- */

static const struct rung__stage_context here = {.device = "cpu",
                                                .device_id = "a processor",
                                                .level = "scalar",
                                                .scenario = RUNG__SCENARIO_FRAME,
                                                .workers = 1,
                                                .model = ""};
static const struct rung__records none;

static struct rung__plan plan_of(const char *preprocessor)
{
    struct rung__plan plan = rung__plan_default();
    assert_int_equal(rung__plan_set(&plan, RUNG__STAGE_PREPROCESS, preprocessor, "the test"),
                     RUNG_OK);
    return plan;
}

static rung_result resolve(const struct rung__catalog *catalog, const struct rung__plan *plan,
                           struct rung__resolution out[RUNG__STAGES])
{
    const int before = constructed;
    const rung_result result = rung__registry_resolve(catalog, plan, &here, &none, out);
    assert_int_equal(constructed, before); /* whatever came of it */
    return result;
}

static void an_explicit_id_runs_when_it_can(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    const struct rung__plan plan = plan_of("wide-v1");
    struct rung__resolution all[RUNG__STAGES];
    (void)state;
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_OK);
    assert_ptr_equal(all[0].effective, &wide);
    assert_string_equal(all[0].requested, "wide-v1");
    assert_false(all[0].fell_back);
}

static void an_unknown_id_is_an_error_that_lists_the_known_ones(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    const struct rung__plan plan = plan_of("fats-v1");
    struct rung__resolution all[RUNG__STAGES];
    (void)state;
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "fats-v1"));
    assert_non_null(strstr(rung_last_error(), "first-v1, fast-v1, wide-v1, base"));
}

static void a_miss_follows_the_chain_and_keeps_the_first_reason(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    const struct rung__plan plan = plan_of("fast-v1");
    struct rung__resolution all[RUNG__STAGES];
    (void)state;
    fast.components = RUNG__COMPONENT_VULKAN;
    wide.components = RUNG__COMPONENT_CUDA;
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_OK);
    assert_string_equal(all[0].requested, "fast-v1");
    assert_string_equal(all[0].effective->id, "base");
    assert_true(all[0].fell_back);
    assert_string_equal(all[0].reason.text, "Vulkan is not there");
}

static void a_miss_without_leave_to_fall_back_is_an_error(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    struct rung__plan plan = plan_of("fast-v1");
    struct rung__resolution all[RUNG__STAGES];
    (void)state;
    plan.allow_fallback = false;
    fast.components = RUNG__COMPONENT_VULKAN;
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_UNSUPPORTED);
    assert_non_null(strstr(rung_last_error(), "Vulkan is not there"));
}

static void a_circle_of_fallbacks_is_an_error(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    const struct rung__plan plan = plan_of("fast-v1");
    struct rung__resolution all[RUNG__STAGES];
    (void)state;
    fast.components = wide.components = RUNG__COMPONENT_VULKAN;
    wide.fallback = "fast-v1";
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "circle"));
    fast.fallback = "fast-v1"; /* its own */
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "circle"));
}

static void a_fallback_that_there_is_not_is_an_error(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    const struct rung__plan plan = plan_of("fast-v1");
    struct rung__resolution all[RUNG__STAGES];
    (void)state;
    fast.components = RUNG__COMPONENT_VULKAN;
    fast.fallback = "slow-v1";
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "slow-v1"));
}

static void auto_takes_the_first_that_is_proven_here(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    const struct rung__plan plan = rung__plan_default();
    struct rung__resolution all[RUNG__STAGES];
    struct rung__records records = {0};
    struct rung__record record = {
        .stage = RUNG__STAGE_PREPROCESS, .id = "first-v1", .base_ns = 2, .p50_ns = 1};
    (void)state;
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_OK);
    assert_ptr_equal(all[0].effective, &fast); /* shipped evidence */
    assert_false(all[0].fell_back);

    rung__record_environment(&first, &here, record.environment);
    assert_int_equal(rung__records_put(&records, &record), RUNG_OK);
    assert_int_equal(rung__registry_resolve(&catalog, &plan, &here, &records, all), RUNG_OK);
    assert_ptr_equal(all[0].effective, &first); /* earned evidence */

    records.rows[0].refused = true; /* evidence against it */
    assert_int_equal(rung__registry_resolve(&catalog, &plan, &here, &records, all), RUNG_OK);
    assert_ptr_equal(all[0].effective, &fast);

    record.environment[0] = 'X'; /* of another device */
    records.rows[0] = record;
    assert_int_equal(rung__registry_resolve(&catalog, &plan, &here, &records, all), RUNG_OK);
    assert_ptr_equal(all[0].effective, &fast);
    rung__records_finish(&records);
}

static void what_was_wrong_here_is_not_taken_whatever_ships(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    const struct rung__plan plan = rung__plan_default(), asked = plan_of("fast-v1");
    struct rung__resolution all[RUNG__STAGES];
    struct rung__records records = {0};
    struct rung__record record = {
        .stage = RUNG__STAGE_PREPROCESS, .id = "fast-v1", .refused = true};
    (void)state;
    rung__record_environment(&fast, &here, record.environment);
    assert_int_equal(rung__records_put(&records, &record), RUNG_OK);
    assert_int_equal(rung__registry_resolve(&catalog, &plan, &here, &records, all), RUNG_OK);
    assert_string_equal(all[0].effective->id, "base");
    assert_non_null(strstr(all[0].reason.text, "fast-v1 was wrong here"));
    assert_int_equal(rung__registry_resolve(&catalog, &asked, &here, &records, all), RUNG_OK);
    assert_ptr_equal(all[0].effective, &fast); /* who asks for it has it */
    rung__records_finish(&records);
}

static void what_is_of_use_to_others_alone_is_not_taken_by_itself(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    struct rung__plan plan = rung__plan_default();
    struct rung__resolution all[RUNG__STAGES];
    (void)state;
    ring.shipped = &everywhere;
    ring.for_others = true;
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_OK);
    assert_string_equal(all[RUNG__STAGE_BUFFER].effective->id, "base");
    fast.needs = &ring; /* which auto takes */
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_OK);
    assert_ptr_equal(all[RUNG__STAGE_BUFFER].effective, &ring);
    assert_ptr_equal(all[0].effective, &fast);
}

static void auto_without_evidence_is_base_and_no_fallback(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    struct rung__plan plan = rung__plan_default();
    struct rung__resolution all[RUNG__STAGES];
    (void)state;
    plan.allow_fallback = false;
    fast.shipped = NULL;
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_OK);
    assert_string_equal(all[0].effective->id, "base");
    assert_false(all[0].fell_back);
    assert_non_null(strstr(all[0].reason.text, "first-v1"));
}

static void what_an_implementation_needs_is_taken_where_the_plan_leaves_it_open(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    struct rung__plan plan = plan_of("wide-v1");
    struct rung__resolution all[RUNG__STAGES];
    (void)state;
    wide.needs = &ring;
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_OK);
    assert_ptr_equal(all[RUNG__STAGE_BUFFER].effective, &ring);
    assert_ptr_equal(all[0].effective, &wide);

    assert_int_equal(rung__plan_set(&plan, RUNG__STAGE_BUFFER, "base", "the test"), RUNG_OK);
    assert_int_equal(resolve(&catalog, &plan, all), RUNG_OK);
    assert_string_equal(all[0].effective->id, "base");
    assert_true(all[0].fell_back);
    assert_non_null(strstr(all[0].reason.text, "ring-v1"));
}

/* ---- requests -------------------------------------------------------------------------------- */

static int warnings;

static void count_warnings(void *user, int32_t level, const char *text)
{
    (void)user;
    assert_int_equal(level, RUNG_LOG_WARNING);
    assert_non_null(text);
    warnings++;
}

static void start(struct rung__stage_set *set, const struct rung__catalog *catalog,
                  const struct rung__plan *plan)
{
    const struct rung__log log = {count_warnings, NULL, RUNG_LOG_WARNING};
    constructed = destroyed = warnings = 0;
    assert_int_equal(rung__stage_set_init(set, catalog, plan, &here, &none, &log), RUNG_OK);
}

static void nothing_that_lost_is_constructed(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    const struct rung__plan plan = plan_of("fast-v1");
    struct rung__stage_set set;
    (void)state;
    fast.components = RUNG__COMPONENT_VULKAN;
    start(&set, &catalog, &plan);
    assert_int_equal(constructed, RUNG__STAGES); /* one of each stage */
    assert_ptr_equal(set.resolutions[0].effective, &wide);
    assert_int_equal(warnings, 1);
    rung__stage_set_finish(&set);
    assert_int_equal(destroyed, constructed);
}

static void a_request_that_does_not_fit_falls_back_alone_and_warns_once(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    const struct rung__plan plan = plan_of("fast-v1");
    struct request small = {.size = 1}, large = {.size = 101}, huge = {.size = 102};
    struct rung__stage_set set;
    (void)state;
    start(&set, &catalog, &plan);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rung__stage_run(&set, RUNG__STAGE_PREPROCESS, &small), RUNG_OK);
        assert_string_equal(small.ran, "fast-v1");
        assert_string_equal(set.last[0].reason.text, "");
        assert_int_equal(rung__stage_run(&set, RUNG__STAGE_PREPROCESS, &large), RUNG_OK);
        assert_string_equal(large.ran, "wide-v1");
        assert_ptr_equal(set.last[0].effective, &wide);
        assert_string_equal(set.last[0].reason.text, "it takes up to 100, not 101");
    }
    assert_int_equal(warnings, 1);
    assert_int_equal(constructed, RUNG__STAGES + 1);
    assert_int_equal(rung__stage_run(&set, RUNG__STAGE_PREPROCESS, &huge), RUNG_OK);
    assert_int_equal(warnings, 2); /* another reason */
    rung__stage_set_finish(&set);
    assert_int_equal(destroyed, constructed);
}

static void a_request_that_does_not_fit_fails_where_nothing_may_fall_back(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    struct rung__plan plan = plan_of("fast-v1");
    struct request large = {.size = 101};
    struct rung__stage_set set;
    (void)state;
    plan.allow_fallback = false;
    start(&set, &catalog, &plan);
    assert_int_equal(rung__stage_run(&set, RUNG__STAGE_PREPROCESS, &large), RUNG_UNSUPPORTED);
    assert_null(large.ran);
    assert_int_equal(constructed, RUNG__STAGES);
    rung__stage_set_finish(&set);
}

static void a_failure_while_it_runs_never_falls_back(void **state)
{
    const struct rung__catalog catalog = make_catalog();
    const struct rung__plan plan = plan_of("fast-v1");
    struct request request = {.size = 1, .fails = 1};
    struct rung__stage_set set;
    (void)state;
    start(&set, &catalog, &plan);
    assert_int_equal(rung__stage_run(&set, RUNG__STAGE_PREPROCESS, &request), RUNG_BACKEND);
    assert_string_equal(request.ran, "fast-v1");
    assert_int_equal(constructed, RUNG__STAGES);
    assert_int_equal(warnings, 0);
    rung__stage_set_finish(&set);
}

/* ---- the library's own catalog --------------------------------------------------------------- */

static void every_stage_of_the_library_ends_in_base_without_a_circle(void **state)
{
    (void)state;
    for (uint32_t stage = 0; stage < RUNG__STAGES; stage++) {
        const struct rung__implementation *const *each = rung__catalog.stages[stage];
        for (; *each; each++) {
            const struct rung__implementation *at = *each;
            assert_int_equal(at->stage, stage);
            assert_ptr_equal(rung__catalog_find(&rung__catalog, stage, at->id), at);
            for (int steps = 0; at->fallback; steps++) {
                assert_true(steps < 10);
                at = rung__catalog_find(&rung__catalog, stage, at->fallback);
                assert_non_null(at);
            }
            assert_string_equal(at->id, "base");
        }
        assert_string_equal(each[-1]->id, "base");
    }
}

static void the_catalog_is_readable_without_constructing_anything(void **state)
{
    json_t *json = rung__catalog_json(&rung__catalog), *row;
    size_t i;
    (void)state;
    assert_non_null(json);
    json_array_foreach(json, i, row)
    {
        assert_true(json_is_string(json_object_get(row, "id")));
        assert_true(json_is_string(json_object_get(row, "numerics")));
        assert_true(json_array_size(json_object_get(json_object_get(row, "inputs"), "dtypes")) > 0);
    }
    assert_true(i >= 11);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_explicit_id_runs_when_it_can),
        cmocka_unit_test(an_unknown_id_is_an_error_that_lists_the_known_ones),
        cmocka_unit_test(a_miss_follows_the_chain_and_keeps_the_first_reason),
        cmocka_unit_test(a_miss_without_leave_to_fall_back_is_an_error),
        cmocka_unit_test(a_circle_of_fallbacks_is_an_error),
        cmocka_unit_test(a_fallback_that_there_is_not_is_an_error),
        cmocka_unit_test(auto_takes_the_first_that_is_proven_here),
        cmocka_unit_test(what_was_wrong_here_is_not_taken_whatever_ships),
        cmocka_unit_test(what_is_of_use_to_others_alone_is_not_taken_by_itself),
        cmocka_unit_test(auto_without_evidence_is_base_and_no_fallback),
        cmocka_unit_test(what_an_implementation_needs_is_taken_where_the_plan_leaves_it_open),
        cmocka_unit_test(nothing_that_lost_is_constructed),
        cmocka_unit_test(a_request_that_does_not_fit_falls_back_alone_and_warns_once),
        cmocka_unit_test(a_request_that_does_not_fit_fails_where_nothing_may_fall_back),
        cmocka_unit_test(a_failure_while_it_runs_never_falls_back),
        cmocka_unit_test(every_stage_of_the_library_ends_in_base_without_a_circle),
        cmocka_unit_test(the_catalog_is_readable_without_constructing_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
