/* SPDX-License-Identifier: Apache-2.0 */
/* An application brings a provider of its own, and a model runs on it. */
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
#include "adding.h"
#include "ladder/table.h"

#define SIDE       80
#define JSON_BYTES (1u << 20)

struct subject {
    struct adding adding;
    struct artifact_fixture files;
    rung_instance *instance;
    rung_model *model;
    rung_context *context;
    int told, chosen; /**< outcomes of a probe */
};

static int set_up(void **state)
{
    struct subject *subject = calloc(1, sizeof *subject);
    *state = subject;
    if (!subject || make_test_folder(state) != 0)
        return -1;
    artifact_fixture_make(&subject->files, test_folder);
    assert_int_equal(artifact_fixture_pack(&subject->files, true), RUNG_OK);
    const rung_instance_options options =
        artifact_fixture_instance(&subject->files, RUNG_INSTANCE_NO_ENVIRONMENT, RUNG_PROBE_OFF);
    assert_int_equal(rung_instance_create(&options, &subject->instance), RUNG_OK);
    return 0;
}

static int tear_down(void **state)
{
    struct subject *subject = *state;
    rung_context_destroy(subject->context);
    rung_model_destroy(subject->model);
    rung_instance_destroy(subject->instance);
    const int left = subject->adding.models + subject->adding.contexts;
    free(subject);
    return left + remove_test_folder(state);
}

static void expect_said(const char *text)
{
    if (!strstr(rung_last_error(), text))
        fail_msg("\"%s\" does not say \"%s\"", rung_last_error(), text);
}

static void expect_member(const json_t *entry, const char *key, const char *value)
{
    assert_string_equal(json_string_value(json_object_get(entry, key)), value);
}

static rung_result add(struct subject *subject, const rung_provider *table)
{
    return rung_instance_register_provider(subject->instance, table);
}

static rung_result open_on(struct subject *subject, const char *rung)
{
    const rung_model_options options = {
        .struct_size = sizeof options, .version = RUNG_STRUCT_VERSION, .threads = 1, .rung = rung};
    rung_model_destroy(subject->model);
    return rung_model_open(subject->instance, subject->files.model, &options, &subject->model);
}

/** Registers it, and opens the model and a context on it. */
static void begin(struct subject *subject, const rung_provider *table)
{
    assert_int_equal(add(subject, table), RUNG_OK);
    if (open_on(subject, table->name) != RUNG_OK ||
        rung_context_create(subject->model, NULL, &subject->context) != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static rung_result detect(struct subject *subject, uint8_t grey, rung_run_info *info)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    uint64_t packet[4096 / 8];
    memset(pixels, grey, sizeof pixels);
    const rung_frame frame = {.struct_size = sizeof frame,
                              .version = RUNG_STRUCT_VERSION,
                              .pixels = pixels,
                              .width = SIDE,
                              .height = SIDE,
                              .format = RUNG_PIXEL_RGB8};
    *info = (rung_run_info){.struct_size = sizeof *info, .version = RUNG_STRUCT_VERSION};
    return rung_detect(subject->context, &frame, (rung_span){packet, sizeof packet}, NULL, info);
}

/** What this provider makes of a picture: numbers that count up from one that the picture gives. */
static float first_number(const struct subject *subject)
{
    rung_output output = {.struct_size = sizeof output, .version = RUNG_STRUCT_VERSION};
    assert_int_equal(rung_context_get_output(subject->context, 0, &output), RUNG_OK);
    assert_int_equal(output.count, 12);
    for (uint32_t i = 0; i < output.count; i++) {
        const uint32_t number = (uint32_t)(output.numbers[0] * 256) + i;
        assert_true(output.numbers[i] == (float)(number % 256) / 256.0f);
    }
    return output.numbers[0];
}

static void a_model_that_names_it_runs_on_it(void **state)
{
    struct subject *subject = *state;
    rung_run_info info;
    rung_provider table = adding_table(&subject->adding);
    begin(subject, &table);
    memset(&table, 0xee, sizeof table); /* it was copied */
    assert_int_equal(detect(subject, 0, &info), RUNG_OK);
    assert_string_equal(info.rung, "adding");
    assert_string_equal(info.identity, "tiny");
    assert_string_equal(info.precision, "f32");
    const float of_black = first_number(subject);
    assert_int_equal(detect(subject, 77, &info), RUNG_OK);
    const float of_grey = first_number(subject);
    assert_true(of_black != of_grey);
    assert_int_equal(detect(subject, 0, &info), RUNG_OK);
    assert_true(first_number(subject) == of_black);
}

static void its_precision_names_the_results(void **state)
{
    struct subject *subject = *state;
    rung_run_info info;
    rung_provider table = adding_table(&subject->adding);
    table.precision = RUNG_FORM_F16;
    begin(subject, &table);
    assert_int_equal(detect(subject, 5, &info), RUNG_OK);
    assert_string_equal(info.identity, "tiny+f16");
    assert_string_equal(info.precision, "f16");
}

static void a_form_that_it_does_not_take_is_not_offered(void **state)
{
    struct subject *subject = *state;
    rung_provider table = adding_table(&subject->adding);
    table.forms = 1u << RUNG_FORM_F16 | 1u << RUNG_FORM_INT8;
    assert_int_equal(add(subject, &table), RUNG_OK);
    assert_int_equal(open_on(subject, "adding"), RUNG_UNSUPPORTED);
    expect_said("it takes models in other forms, and this one is in f32");
}

static void only_partly(rung_provider_answer *answer)
{
    answer->flags |= RUNG_PROVIDER_PARTIAL;
    snprintf(answer->reason, sizeof answer->reason, "2 nodes are not known to it");
}

static void one_that_would_run_a_part_is_refused(void **state)
{
    struct subject *subject = *state;
    const rung_provider table = adding_table(&subject->adding);
    subject->adding.lie = only_partly;
    assert_int_equal(add(subject, &table), RUNG_OK);
    assert_int_equal(open_on(subject, "adding"), RUNG_UNSUPPORTED);
    expect_said("only a part of tiny");
    expect_said("2 nodes are not known to it");
}

static void what_goes_wrong_in_a_run_reaches_the_caller(void **state)
{
    struct subject *subject = *state;
    rung_run_info info;
    const rung_provider table = adding_table(&subject->adding);
    begin(subject, &table);
    subject->adding.fails = "collect";
    subject->adding.with = RUNG_BACKEND;
    assert_int_equal(detect(subject, 5, &info), RUNG_BACKEND);
    expect_said("adding: told to fail in collect");
    subject->adding.fails = NULL;
    assert_int_equal(detect(subject, 5, &info), RUNG_OK);
    subject->adding.fails = "collect";
    subject->adding.with = RUNG_DEVICE_LOST;
    assert_int_equal(detect(subject, 5, &info), RUNG_DEVICE_LOST);
    expect_said("adding: told to fail in collect");
}

static void a_context_whose_device_is_lost_is_made_anew(void **state)
{
    struct subject *subject = *state;
    rung_run_info info;
    const rung_provider table = adding_table(&subject->adding);
    begin(subject, &table);
    subject->adding.fails = "wait";
    subject->adding.with = RUNG_DEVICE_LOST;
    assert_int_equal(detect(subject, 5, &info), RUNG_DEVICE_LOST);
    const int runs = subject->adding.runs;
    assert_int_equal(detect(subject, 5, &info), RUNG_DEVICE_LOST);
    expect_said("rung_context_rebuild");
    assert_int_equal(subject->adding.runs, runs);
    subject->adding.fails = "query_model"; /* it is still away */
    assert_int_equal(rung_context_rebuild(subject->context), RUNG_BACKEND);
    assert_int_equal(subject->adding.contexts, 0);
    assert_int_equal(detect(subject, 5, &info), RUNG_DEVICE_LOST);
    subject->adding.fails = NULL;
    assert_int_equal(rung_context_rebuild(subject->context), RUNG_OK);
    assert_int_equal(detect(subject, 5, &info), RUNG_OK);
    assert_string_equal(info.rung, "adding");
}

static rung_ticket submit_grey(struct subject *subject)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    rung_ticket ticket = 0;
    const rung_frame frame = {.struct_size = sizeof frame,
                              .version = RUNG_STRUCT_VERSION,
                              .pixels = pixels,
                              .width = SIDE,
                              .height = SIDE,
                              .format = RUNG_PIXEL_RGB8};
    const rung_frame *frames[] = {&frame};
    const rung_request request = {.struct_size = sizeof request,
                                  .version = RUNG_STRUCT_VERSION,
                                  .frames = frames,
                                  .frame_count = 1};
    assert_int_equal(rung_submit(subject->context, &request, &ticket), RUNG_OK);
    return ticket;
}

static void a_ticket_whose_run_does_not_end_can_be_cancelled(void **state)
{
    struct subject *subject = *state;
    const rung_context_options options = {.struct_size = sizeof options,
                                          .version = RUNG_STRUCT_VERSION,
                                          .flags = RUNG_CONTEXT_TICKETS};
    uint64_t packet[4096 / 8];
    const rung_span span = {packet, sizeof packet};
    rung_ticket_state now;
    rung_report report = {.struct_size = sizeof report, .version = RUNG_STRUCT_VERSION};
    const rung_provider table = adding_table(&subject->adding);
    assert_int_equal(add(subject, &table), RUNG_OK);
    assert_int_equal(open_on(subject, "adding"), RUNG_OK);
    assert_int_equal(rung_context_create(subject->model, &options, &subject->context), RUNG_OK);
    subject->adding.holds = true;
    for (int i = 1; i <= 20; i++) {
        const rung_ticket ticket = submit_grey(subject);
        while (subject->adding.runs < i)
            assert_int_equal(rung_wait(subject->context, ticket, 100000, &now), RUNG_TIMEOUT);
        const rung_result result = rung_cancel(subject->context, ticket);
        if (result == RUNG_BUSY) { /* else the run has ended already */
            assert_int_equal(rung_wait(subject->context, ticket, UINT64_MAX, &now), RUNG_OK);
            assert_int_equal(now, RUNG_TICKET_CANCELLED);
            assert_int_equal(rung_collect(subject->context, ticket, 0, span, NULL, NULL),
                             RUNG_CANCELLED);
        } else
            assert_int_equal(result, RUNG_OK);
        assert_int_equal(rung_poll(subject->context, ticket, &now), RUNG_STALE);
        assert_int_equal(subject->adding.cancels, i);
    }
    subject->adding.holds = false;
    const rung_ticket ticket = submit_grey(subject);
    assert_int_equal(rung_collect(subject->context, ticket, UINT64_MAX, span, NULL, NULL), RUNG_OK);
    assert_int_equal(rung_context_get_report(subject->context, &report), RUNG_OK);
    assert_int_equal(report.cancels, 20);
    assert_int_equal(report.failures, 0);
    assert_int_equal(report.frames, 1);
}

static void compiles_and_imports(rung_provider_answer *answer)
{
    answer->flags |= RUNG_PROVIDER_COMPILES;
    answer->surfaces = RUNG_PROVIDER_SURFACE_SHARED | RUNG_PROVIDER_SURFACE_DMABUF;
    answer->copied_surfaces = RUNG_PROVIDER_SURFACE_SHARED;
}

static void has_compiled_before(rung_provider_answer *answer)
{
    answer->flags |= RUNG_PROVIDER_COMPILES | RUNG_PROVIDER_ENGINE_PRESENT;
}

static void a_report_has_what_it_says_of_the_model(void **state)
{
    struct subject *subject = *state;
    rung_report report = {.struct_size = sizeof report, .version = RUNG_STRUCT_VERSION};
    rung_tensor_info tensor = {.struct_size = sizeof tensor, .version = RUNG_STRUCT_VERSION};
    char *json = malloc(JSON_BYTES);
    const rung_provider table = adding_table(&subject->adding);
    subject->adding.lie = compiles_and_imports;
    begin(subject, &table);
    assert_int_equal(rung_context_get_report(subject->context, &report), RUNG_OK);
    assert_true(report.compiled && !report.engine);
    assert_int_equal(report.surfaces, 3);
    assert_int_equal(report.copied_surfaces, RUNG_PROVIDER_SURFACE_SHARED);
    assert_int_equal(rung_context_get_tensor(subject->context, 0, &tensor), RUNG_OK);
    assert_int_equal(tensor.alignment, 128);
    assert_int_equal(rung_context_report(subject->context, (rung_span){json, JSON_BYTES}, NULL),
                     RUNG_OK);
    json_t *all = json_loads(json, 0, NULL);
    expect_member(json_object_get(all, "surfaces"), "shared", "copied");
    expect_member(json_object_get(all, "surfaces"), "dmabuf", "direct");
    json_decref(all);
    free(json);
    rung_context_destroy(subject->context);
    subject->context = NULL;
    subject->adding.lie = has_compiled_before;
    assert_int_equal(open_on(subject, "adding"), RUNG_OK);
    assert_int_equal(rung_context_create(subject->model, NULL, &subject->context), RUNG_OK);
    assert_int_equal(rung_context_get_report(subject->context, &report), RUNG_OK);
    assert_true(report.engine && !report.compiled && report.surfaces == 0);
}

static void a_report_has_the_memory_that_it_tells(void **state)
{
    struct subject *subject = *state;
    rung_report report = {.struct_size = sizeof report, .version = RUNG_STRUCT_VERSION};
    const rung_provider table = adding_table(&subject->adding);
    begin(subject, &table);
    assert_int_equal(rung_context_get_report(subject->context, &report), RUNG_OK);
    assert_string_equal(report.rung, "adding");
    assert_string_equal(report.executed_by, "an adder");
    assert_true(report.device_bytes == 0 && report.packed_bytes == RUNG_REPORT_UNKNOWN);
    subject->adding.fails = "memory_stats"; /* then it is what it said of the model */
    subject->adding.with = RUNG_BACKEND;
    assert_int_equal(rung_context_get_report(subject->context, &report), RUNG_OK);
    assert_true(report.device_bytes == 0 && report.packed_bytes == 0);
}

static void it_serves_nobody_who_did_not_name_it(void **state)
{
    struct subject *subject = *state;
    rung_model_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    const rung_provider table = adding_table(&subject->adding);
    assert_int_equal(add(subject, &table), RUNG_OK);
    assert_int_equal(open_on(subject, NULL), RUNG_OK);
    assert_int_equal(rung_model_get_info(subject->model, &info), RUNG_OK);
    assert_string_not_equal(info.rung, "adding");
    assert_int_equal(rung_instance_use(subject->instance, "adding"), RUNG_UNSUPPORTED);
}

/** What a probe found of it. */
static void note_outcome(void *user, const rung_probe_rung *rung)
{
    struct subject *subject = user;
    subject->told += strcmp(rung->rung, "adding") == 0 &&
                     strcmp(rung->outcome, "unmeasured") == 0 &&
                     strcmp(rung->reason, "it is taken by name only") == 0;
    subject->chosen += strcmp(rung->outcome, "chosen") == 0;
}

static void a_probe_leaves_it_alone(void **state)
{
    struct subject *subject = *state;
    const rung_provider table = adding_table(&subject->adding);
    const rung_probe_options options = {.struct_size = sizeof options,
                                        .version = RUNG_STRUCT_VERSION,
                                        .flags = RUNG_PROBE_RUNGS_ONLY,
                                        .policy = RUNG_PROBE_FIRST,
                                        .threads = 1};
    assert_int_equal(add(subject, &table), RUNG_OK);
    assert_int_equal(
        rung_model_probe(subject->instance, subject->files.model, &options, note_outcome, subject),
        RUNG_OK);
    assert_int_equal(subject->told, 1);
    assert_int_equal(subject->chosen, 1);
    assert_int_equal(subject->adding.runs, 0);
}

/** Its entry in what explains the rungs. The caller's. */
static json_t *explain(const struct subject *subject, const char *rung)
{
    char *text = malloc(JSON_BYTES);
    json_t *all, *entry, *found = NULL;
    size_t i;
    assert_int_equal(rung_instance_explain(subject->instance, (rung_span){text, JSON_BYTES}, NULL),
                     RUNG_OK);
    all = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(all);
    json_array_foreach(json_object_get(all, "rungs"), i,
                       entry) if (strcmp(json_string_value(json_object_get(entry, "rung")), rung) ==
                                  0) found = json_incref(entry);
    json_decref(all);
    assert_non_null(found);
    return found;
}

static void explain_lists_it_and_whether_its_device_is_here(void **state)
{
    struct subject *subject = *state;
    const rung_provider table = adding_table(&subject->adding);
    assert_int_equal(add(subject, &table), RUNG_OK);
    json_t *entry = explain(subject, "adding");
    expect_member(entry, "outcome", "by name only");
    expect_member(entry, "text", "adds up bytes on a thread of its own");
    expect_member(entry, "provider", "adding");
    expect_member(entry, "precision", "f32");
    expect_member(entry, "model_form", "any");
    expect_member(entry, "fallback", "ort-cpu");
    json_decref(entry);
    subject->adding.no_device = true;
    entry = explain(subject, "adding");
    expect_member(entry, "outcome", "absent");
    expect_member(entry, "reason", "adding: it finds none of its devices here");
    json_decref(entry);
    assert_int_equal(open_on(subject, "adding"), RUNG_UNSUPPORTED);
    expect_said("it finds none of its devices here");
}

/* ---- registration ---- */

static void a_table_that_lacks_a_function_is_refused_by_its_name(void **state)
{
    struct subject *subject = *state;
    for (int i = 0; i < 7; i++) {
        static const char *const names[] = {"query_model",    "create_model",    "destroy_model",
                                            "create_context", "destroy_context", "submit",
                                            "collect"};
        rung_provider table = adding_table(&subject->adding);
        table.query_model = i == 0 ? NULL : table.query_model;
        table.create_model = i == 1 ? NULL : table.create_model;
        table.destroy_model = i == 2 ? NULL : table.destroy_model;
        table.create_context = i == 3 ? NULL : table.create_context;
        table.destroy_context = i == 4 ? NULL : table.destroy_context;
        table.submit = i == 5 ? NULL : table.submit;
        table.collect = i == 6 ? NULL : table.collect;
        assert_int_equal(add(subject, &table), RUNG_INVALID_ARGUMENT);
        expect_said(names[i]);
        expect_said("adding");
    }
}

static void refuse(struct subject *subject, const rung_provider *table, rung_result result,
                   const char *says)
{
    if (add(subject, table) != result)
        fail_msg("not %d: %s", result, rung_last_error());
    expect_said(says);
}

static void a_table_out_of_range_is_refused_by_its_member(void **state)
{
    struct subject *subject = *state;
    const rung_provider right = adding_table(&subject->adding);
    char line[300];
    rung_provider table = right;
    table.version = 2;
    refuse(subject, &table, RUNG_VERSION, "rung_provider.version is 2");
    table = right;
    table.struct_size = 7;
    refuse(subject, &table, RUNG_INVALID_ARGUMENT, "rung_provider.struct_size is 7");
    table.struct_size = (uint32_t)offsetof(rung_provider, submit); /* of before there was submit */
    refuse(subject, &table, RUNG_INVALID_ARGUMENT, "rung_provider.submit of adding is NULL");
    table = right;
    table.flags = 1u << 7;
    refuse(subject, &table, RUNG_INVALID_ARGUMENT, "rung_provider.flags of adding");
    table = right;
    table.forms = 1u << 20;
    refuse(subject, &table, RUNG_INVALID_ARGUMENT, "rung_provider.forms of adding");
    table = right;
    table.precision = (rung_form)9;
    refuse(subject, &table, RUNG_INVALID_ARGUMENT, "rung_provider.precision of adding is 9");
    table = right;
    table.text = NULL;
    refuse(subject, &table, RUNG_INVALID_ARGUMENT, "rung_provider.text of adding");
    table.text = "two\nlines";
    refuse(subject, &table, RUNG_INVALID_ARGUMENT, "rung_provider.text of adding");
    table.text = "\xff";
    refuse(subject, &table, RUNG_INVALID_ARGUMENT, "rung_provider.text of adding");
    memset(line, 'a', sizeof line);
    line[201] = '\0';
    table.text = line;
    refuse(subject, &table, RUNG_INVALID_ARGUMENT, "rung_provider.text of adding");
    line[200] = '\0';
    assert_int_equal(add(subject, &table), RUNG_OK);
    assert_int_equal(rung_instance_register_provider(subject->instance, NULL),
                     RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_instance_register_provider(NULL, &right), RUNG_INVALID_ARGUMENT);
}

static void a_name_is_well_formed_and_nobody_elses(void **state)
{
    static const char *const odd[] = {NULL,        "",    "-a", "Adding",
                                      "adding up", "a/b", "ä",  "a234567890123456789012345678901x"};
    static const char *const taken[] = {"ort", "ort-cpu", "tract", "dummy", "cuda", "adding"};
    struct subject *subject = *state;
    rung_provider table = adding_table(&subject->adding);
    assert_int_equal(add(subject, &table), RUNG_OK);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        table.name = odd[i];
        refuse(subject, &table, RUNG_INVALID_ARGUMENT, "rung_provider.name is");
    }
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        table.name = taken[i];
        refuse(subject, &table, RUNG_ALREADY_EXISTS, taken[i]);
    }
    table.name = "a23456789012345678901234567890-";
    assert_int_equal(add(subject, &table), RUNG_OK);
}

static void there_are_as_many_as_a_table_holds(void **state)
{
    struct subject *subject = *state;
    char name[16];
    rung_provider table = adding_table(&subject->adding);
    table.name = name;
    rung_result result = RUNG_OK;
    uint32_t count = 0;
    for (; result == RUNG_OK && count < 100; count++) {
        snprintf(name, sizeof name, "adding-%u", count);
        result = add(subject, &table);
    }
    assert_int_equal(result, RUNG_CAPACITY);
    assert_int_equal(count - 1, RUNG__VERDICT_RUNGS - rung__rung_count);
    assert_int_equal(open_on(subject, "adding-3"), RUNG_OK);
}

static void it_closes_when_a_model_is_opened(void **state)
{
    struct subject *subject = *state;
    const rung_provider table = adding_table(&subject->adding);
    assert_int_equal(open_on(subject, "dummy"), RUNG_OK);
    refuse(subject, &table, RUNG_STATE, "adding cannot be registered any more");
    assert_int_equal(open_on(subject, "adding"), RUNG_NOT_FOUND);
}

static void it_closes_when_a_model_is_probed(void **state)
{
    struct subject *subject = *state;
    const rung_provider table = adding_table(&subject->adding);
    assert_int_equal(rung_model_probe(subject->instance, "/nowhere", NULL, NULL, NULL), RUNG_IO);
    refuse(subject, &table, RUNG_STATE, "adding cannot be registered any more");
}

int main(void)
{
    struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_that_names_it_runs_on_it),
        cmocka_unit_test(its_precision_names_the_results),
        cmocka_unit_test(a_form_that_it_does_not_take_is_not_offered),
        cmocka_unit_test(one_that_would_run_a_part_is_refused),
        cmocka_unit_test(what_goes_wrong_in_a_run_reaches_the_caller),
        cmocka_unit_test(a_context_whose_device_is_lost_is_made_anew),
        cmocka_unit_test(a_ticket_whose_run_does_not_end_can_be_cancelled),
        cmocka_unit_test(a_report_has_what_it_says_of_the_model),
        cmocka_unit_test(a_report_has_the_memory_that_it_tells),
        cmocka_unit_test(it_serves_nobody_who_did_not_name_it),
        cmocka_unit_test(a_probe_leaves_it_alone),
        cmocka_unit_test(explain_lists_it_and_whether_its_device_is_here),
        cmocka_unit_test(a_table_that_lacks_a_function_is_refused_by_its_name),
        cmocka_unit_test(a_table_out_of_range_is_refused_by_its_member),
        cmocka_unit_test(a_name_is_well_formed_and_nobody_elses),
        cmocka_unit_test(there_are_as_many_as_a_table_holds),
        cmocka_unit_test(it_closes_when_a_model_is_opened),
        cmocka_unit_test(it_closes_when_a_model_is_probed),
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        tests[i].setup_func = set_up;
        tests[i].teardown_func = tear_down;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
