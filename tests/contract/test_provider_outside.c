/* SPDX-License-Identifier: Apache-2.0 */
/* A provider from outside that fails or lies does no harm, and the sentence says what it did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "adding.h"
#include "base/error.h"
#include "base/thread.h"
#include "provider/external.h"
#include "tiny_request.h"

struct subject {
    struct adding adding;
    struct rung__external *external;
    struct tiny_request tiny;
    void *model, *context;
    struct rung__model_memory memory;
};

static int set_up(void **state)
{
    static struct subject subject;
    memset(&subject, 0, sizeof subject);
    const rung_provider table = adding_table(&subject.adding);
    subject.external = rung__external_new(&table);
    tiny_request_make(&subject.tiny);
    *state = &subject;
    return subject.external ? 0 : -1;
}

/** Nothing that was made is left. */
static int tear_down(void **state)
{
    struct subject *subject = *state;
    rung__external_destroy(subject->external);
    rung__buffer_finish(&subject->tiny.graph);
    return subject->adding.models + subject->adding.contexts;
}

static rung_result load(struct subject *subject)
{
    struct rung__model_report report;
    return rung__provider_load(&subject->external->provider, &subject->tiny.request,
                               &subject->model, &report);
}

static rung_result make_context(struct subject *subject)
{
    return subject->external->provider.create_context(subject->model, &subject->memory,
                                                      &subject->context);
}

static void finish(struct subject *subject)
{
    if (subject->context)
        subject->external->provider.destroy_context(subject->context);
    if (subject->model)
        subject->external->provider.destroy_model(subject->model);
    subject->context = subject->model = NULL;
}

/** From nothing to the end of a run. */
static rung_result load_and_run(struct subject *subject)
{
    rung_result result = load(subject);
    if (result == RUNG_OK)
        result = make_context(subject);
    if (result == RUNG_OK)
        result = subject->external->provider.run(subject->context);
    return result;
}

static void expect_said(const char *text)
{
    if (!strstr(rung_last_error(), text))
        fail_msg("\"%s\" does not say \"%s\"", rung_last_error(), text);
}

static void expect_it_runs(struct subject *subject)
{
    assert_int_equal(subject->external->provider.run(subject->context), RUNG_OK);
    const float *numbers = subject->memory.outputs[0];
    for (uint32_t i = 0; i < subject->memory.output_bytes[0] / sizeof *numbers; i++)
        assert_true(numbers[i] ==
                    adding_number(subject->memory.input, subject->memory.input_bytes, i));
}

static void see(const rung_provider_model *request)
{
    assert_int_equal(request->struct_size, sizeof *request);
    assert_int_equal(request->flags, RUNG_PROVIDER_STRICT);
    assert_int_equal(request->threads, 1);
    assert_non_null(request->graph);
    assert_string_equal(request->name, "tiny");
    assert_int_equal(strlen(request->digest), 64);
    assert_string_equal(request->device, "adder-0");
    assert_int_equal(request->kind, RUNG_ARTIFACT_ONNX);
    assert_int_equal(request->role, RUNG_ROLE_DETECTOR);
    assert_int_equal(request->form, RUNG_FORM_F32);
    assert_int_equal(request->precision, RUNG_FORM_F32);
    assert_string_equal(request->input->name, "image");
    assert_int_equal(request->input->layout, RUNG_LAYOUT_PLANAR);
    assert_int_equal(request->output_count, 1);
    assert_string_equal(request->outputs[0].name, "rows");
    assert_int_equal(request->outputs[0].dims[2], 6);
}

static void it_is_asked_for_the_whole_model_as_it_is_declared(void **state)
{
    struct subject *subject = *state;
    subject->adding.look = see;
    assert_int_equal(load_and_run(subject), RUNG_OK);
    expect_it_runs(subject);
    finish(subject);
}

/** What each function that fails comes to. */
static const struct failure {
    const char *function;
    rung_result with, result;
} failures[] = {
    {"enumerate_devices", RUNG_BACKEND, RUNG_UNSUPPORTED},
    {"enumerate_devices", RUNG_NOT_FOUND, RUNG_UNSUPPORTED},
    {"query_model", RUNG_BACKEND, RUNG_BACKEND},
    {"query_model", RUNG_DEVICE_LOST, RUNG_BACKEND},
    {"query_model", RUNG_NO_MEMORY, RUNG_NO_MEMORY},
    {"query_model", RUNG_TIMEOUT, RUNG_BACKEND},
    {"create_model", RUNG_UNSUPPORTED, RUNG_UNSUPPORTED},
    {"create_model", RUNG_INTEGRITY, RUNG_INTEGRITY},
    {"create_model", RUNG_DEVICE_LOST, RUNG_BACKEND},
    {"create_model", RUNG_NO_MEMORY, RUNG_NO_MEMORY},
    {"create_model", 7, RUNG_BACKEND},
    {"create_context", RUNG_BACKEND, RUNG_BACKEND},
    {"create_context", RUNG_DEVICE_LOST, RUNG_BACKEND},
    {"create_context", RUNG_NO_MEMORY, RUNG_NO_MEMORY},
    {"create_context", INT32_MIN, RUNG_BACKEND},
    {"submit", RUNG_BACKEND, RUNG_BACKEND},
    {"submit", RUNG_DEVICE_LOST, RUNG_DEVICE_LOST},
    {"submit", RUNG_CANCELLED, RUNG_BACKEND},
    {"submit", -99, RUNG_BACKEND},
    {"wait", RUNG_BACKEND, RUNG_BACKEND},
    {"wait", RUNG_DEVICE_LOST, RUNG_DEVICE_LOST},
    {"wait", RUNG_BUSY, RUNG_BACKEND},
    {"collect", RUNG_BACKEND, RUNG_BACKEND},
    {"collect", RUNG_DEVICE_LOST, RUNG_DEVICE_LOST},
    {"collect", RUNG_CANCELLED, RUNG_BACKEND},
    {"collect", RUNG_NO_MEMORY, RUNG_NO_MEMORY},
    {"collect", RUNG_STALE, RUNG_BACKEND},
};

static void expect_failure(struct subject *subject, const struct failure *failure)
{
    subject->adding.fails = failure->function;
    subject->adding.with = failure->with;
    (void)rung__fail(RUNG_IO, "of another time");
    const rung_result result = load_and_run(subject);
    if (result != failure->result)
        fail_msg("%s %d: %d, not %d: %s", failure->function, failure->with, result, failure->result,
                 rung_last_error());
    expect_said("adding: ");
    assert_null(strstr(rung_last_error(), "of another time"));
    subject->adding.fails = NULL;
}

static void each_failure_has_its_result_and_leaves_nothing(void **state)
{
    struct subject *subject = *state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        expect_failure(subject, &failures[i]);
        if (failures[i].with != RUNG_NOT_FOUND && failures[i].with != RUNG_CANCELLED)
            expect_said(failures[i].function);
        finish(subject);
        assert_int_equal(subject->adding.models, 0);
        assert_int_equal(subject->adding.contexts, 0);
    }
}

static void a_failure_without_a_reason_names_the_function(void **state)
{
    struct subject *subject = *state;
    subject->adding.silent = true;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        if (failures[i].with == RUNG_NOT_FOUND)
            continue; /* that there is no device is no failure of the function's */
        expect_failure(subject, &failures[i]);
        if (failures[i].with != RUNG_CANCELLED)
            expect_said(failures[i].function);
        finish(subject);
    }
}

static void a_context_runs_again_after_a_failed_run(void **state)
{
    static const char *const functions[] = {"submit", "wait", "collect"};
    struct subject *subject = *state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const int resets = subject->adding.resets, waits = subject->adding.synchronizations;
        expect_failure(subject, &(struct failure){functions[i], RUNG_BACKEND, RUNG_BACKEND});
        assert_int_equal(subject->adding.resets, resets + 1);
        assert_int_equal(subject->adding.synchronizations, waits + 1);
        expect_it_runs(subject);
        finish(subject);
    }
}

static void a_context_that_cannot_be_reset_runs_nothing_more(void **state)
{
    static const char *const functions[] = {"collect reset", "collect synchronize"};
    struct subject *subject = *state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        expect_failure(subject, &(struct failure){functions[i], RUNG_BACKEND, RUNG_BACKEND});
        expect_said("collect");
        const int runs = subject->adding.runs;
        assert_int_equal(subject->external->provider.run(subject->context), RUNG_BACKEND);
        expect_said("make another one");
        assert_int_equal(subject->adding.runs, runs);
        finish(subject);
    }
}

static void a_context_whose_device_is_lost_is_not_asked_again(void **state)
{
    struct subject *subject = *state;
    expect_failure(subject, &(struct failure){"collect", RUNG_DEVICE_LOST, RUNG_DEVICE_LOST});
    assert_int_equal(subject->adding.resets, 0);
    const int runs = subject->adding.runs;
    assert_int_equal(subject->external->provider.run(subject->context), RUNG_DEVICE_LOST);
    expect_said("adding");
    assert_int_equal(subject->adding.runs, runs);
    subject->external->provider.destroy_context(subject->context);
    assert_int_equal(make_context(subject), RUNG_OK); /* the device may be back */
    expect_it_runs(subject);
    finish(subject);
}

static void polled_where_it_cannot_wait(void **state)
{
    struct subject *subject = *state;
    subject->external->theirs.wait = NULL;
    assert_int_equal(load_and_run(subject), RUNG_OK);
    expect_it_runs(subject);
    finish(subject);
    expect_failure(subject, &(struct failure){"poll", RUNG_DEVICE_LOST, RUNG_DEVICE_LOST});
    finish(subject);
    expect_failure(subject, &(struct failure){"poll", RUNG_TIMEOUT, RUNG_BACKEND});
    finish(subject);
}

static void run_held(void *argument)
{
    struct subject *subject = argument;
    assert_int_equal(subject->external->provider.run(subject->context), RUNG_CANCELLED);
    expect_said("adding: it was cancelled");
}

static void a_run_that_does_not_end_can_be_cancelled(void **state)
{
    struct subject *subject = *state;
    struct rung__thread thread;
    assert_int_equal(load_and_run(subject), RUNG_OK);
    subject->adding.holds = true;
    assert_int_equal(rung__thread_start(&thread, "held", run_held, subject), RUNG_OK);
    while (!subject->adding.cancels)
        subject->external->provider.cancel(subject->context);
    rung__thread_join(&thread);
    subject->external->provider.cancel(subject->context);
    assert_int_equal(subject->adding.cancels, 1); /* once for a run, and for none that has ended */
    assert_int_equal(subject->adding.resets, 0);
    subject->adding.holds = false;
    expect_it_runs(subject);
    finish(subject);
}

static void its_memory_is_what_it_tells_or_what_it_told(void **state)
{
    struct subject *subject = *state;
    rung_provider_memory told;
    assert_int_equal(load_and_run(subject), RUNG_OK);
    rung__provider_memory(&subject->external->provider, subject->context, &told);
    assert_true(told.host == TINY_INPUT_BYTES + TINY_OUTPUT_BYTES && told.device == 0);
    assert_true(told.packed == RUNG_PROVIDER_UNKNOWN && told.opaque == RUNG_PROVIDER_UNKNOWN);
    subject->adding.fails = "memory_stats";
    subject->adding.with = RUNG_BACKEND;
    rung__provider_memory(&subject->external->provider, subject->context, &told);
    assert_true(told.host == 4096 && told.packed == 0);
    finish(subject);
}

/* ---- lies about a model ---- */

static void cannot(rung_provider_answer *answer)
{
    answer->flags = 0;
    snprintf(answer->reason, sizeof answer->reason, "it has a node of Nonsense");
}

static void cannot_and_says_nothing(rung_provider_answer *answer)
{
    answer->flags = 0;
}

static void only_partly(rung_provider_answer *answer)
{
    answer->flags |= RUNG_PROVIDER_PARTIAL;
    snprintf(answer->reason, sizeof answer->reason, "3 of 9 nodes run on the processor");
}

static void in_f16(rung_provider_answer *answer)
{
    answer->precision = RUNG_FORM_F16;
}

static void in_nonsense(rung_provider_answer *answer)
{
    answer->precision = (rung_form)77;
}

static void unknown_flags(rung_provider_answer *answer)
{
    answer->flags |= 1u << 31;
}

static void unknown_surfaces(rung_provider_answer *answer)
{
    answer->surfaces = 1u << 9;
}

static void copies_what_it_cannot_import(rung_provider_answer *answer)
{
    answer->surfaces = RUNG_PROVIDER_SURFACE_SHARED;
    answer->copied_surfaces = RUNG_PROVIDER_SURFACE_DMABUF;
}

static void endless_reason(rung_provider_answer *answer)
{
    memset(answer->reason, 'a', sizeof answer->reason);
}

static void endless_executor(rung_provider_answer *answer)
{
    memset(answer->executed_by, 'a', sizeof answer->executed_by);
}

static void endless_name(rung_provider_answer *answer)
{
    memset(answer->outputs[0].name, 'a', sizeof answer->outputs[0].name);
}

static void too_many_outputs(rung_provider_answer *answer)
{
    answer->output_count = UINT32_MAX;
}

static void one_output_more(rung_provider_answer *answer)
{
    answer->outputs[1] = answer->outputs[0];
    snprintf(answer->outputs[1].name, sizeof answer->outputs[1].name, "more");
    answer->output_count = 2;
}

static void no_outputs(rung_provider_answer *answer)
{
    answer->output_count = 0;
}

static void another_shape(rung_provider_answer *answer)
{
    answer->outputs[0].dims[1] = 3;
}

static void an_open_shape(rung_provider_answer *answer)
{
    answer->input.dims[2] = 0;
}

static void too_many_dimensions(rung_provider_answer *answer)
{
    answer->input.rank = UINT32_MAX;
}

static void another_type(rung_provider_answer *answer)
{
    answer->input.dtype = RUNG_DTYPE_U8;
}

static void a_type_of_nothing(rung_provider_answer *answer)
{
    answer->outputs[0].dtype = (rung_dtype)99;
}

static void another_layout(rung_provider_answer *answer)
{
    answer->input.layout = RUNG_LAYOUT_INTERLEAVED;
}

static void another_name(rung_provider_answer *answer)
{
    snprintf(answer->input.name, sizeof answer->input.name, "picture");
}

static void an_odd_alignment(rung_provider_answer *answer)
{
    answer->input.alignment = 96;
}

static void a_small_alignment(rung_provider_answer *answer)
{
    answer->outputs[0].alignment = 16;
}

static void a_huge_alignment(rung_provider_answer *answer)
{
    answer->outputs[0].alignment = 1u << 31;
}

static const struct lie {
    void (*lie)(rung_provider_answer *answer);
    rung_result result;
    const char *says;
} lies[] = {
    {cannot, RUNG_UNSUPPORTED, "adding cannot run tiny: it has a node of Nonsense"},
    {cannot_and_says_nothing, RUNG_UNSUPPORTED, "adding cannot run tiny: it gives no reason"},
    {only_partly, RUNG_UNSUPPORTED, "only a part of tiny"},
    {in_f16, RUNG_UNSUPPORTED, "in f16, and it is asked for f32"},
    {in_nonsense, RUNG_UNSUPPORTED, "in an unknown form"},
    {unknown_flags, RUNG_BACKEND, "flags that are not known"},
    {unknown_surfaces, RUNG_BACKEND, "surfaces that are not known"},
    {copies_what_it_cannot_import, RUNG_BACKEND, "copies ones that it does not import"},
    {endless_reason, RUNG_BACKEND, "a text that has no end"},
    {endless_executor, RUNG_BACKEND, "a text that has no end"},
    {endless_name, RUNG_BACKEND, "whose name has no end"},
    {too_many_outputs, RUNG_BACKEND, "more outputs than there may be"},
    {one_output_more, RUNG_INTEGRITY, "has 2 outputs, not 1 as declared"},
    {no_outputs, RUNG_INTEGRITY, "no output \"rows\""},
    {another_shape, RUNG_INTEGRITY, "\"rows\" has shape [1,3,6], not [1,2,6] as declared"},
    {an_open_shape, RUNG_INTEGRITY, "\"image\" has shape [1,3,?,8], not [1,3,8,8] as declared"},
    {too_many_dimensions, RUNG_INTEGRITY, "\"image\" of tiny has 4294967295 dimensions"},
    {another_type, RUNG_INTEGRITY, "\"image\" is u8, not f32 as declared"},
    {a_type_of_nothing, RUNG_INTEGRITY, "\"rows\" is of another type, not f32 as declared"},
    {another_layout, RUNG_INTEGRITY, "\"image\" of tiny is interleaved, not planar as declared"},
    {another_name, RUNG_INTEGRITY, "no input \"image\"; its first is \"picture\""},
    {an_odd_alignment, RUNG_BACKEND, "\"image\" of tiny is to be aligned to 96"},
    {a_small_alignment, RUNG_BACKEND, "\"rows\" of tiny is to be aligned to 16"},
    {a_huge_alignment, RUNG_BACKEND, "\"rows\" of tiny is to be aligned to 2147483648"},
};

static void what_is_not_as_declared_is_refused_by_name(void **state)
{
    struct subject *subject = *state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        subject->adding.lie = lies[i].lie;
        const rung_result result = load(subject);
        if (result != lies[i].result)
            fail_msg("lie %zu: %d, not %d: %s", i, result, lies[i].result, rung_last_error());
        expect_said(lies[i].says);
        assert_null(subject->model);
        assert_int_equal(subject->adding.models, 0);
    }
}

static void memory_that_is_not_as_said_is_refused_by_name(void **state)
{
    struct subject *subject = *state;
    assert_int_equal(load(subject), RUNG_OK);
    subject->adding.shorter = 4;
    assert_int_equal(make_context(subject), RUNG_BACKEND);
    expect_said("\"image\" 764 bytes; it takes 768");
    subject->adding.shorter = 0;
    subject->adding.misaligned = 64; /* it said 128 */
    assert_int_equal(make_context(subject), RUNG_BACKEND);
    expect_said("\"image\" memory that is not aligned to 128 bytes");
    assert_int_equal(subject->adding.contexts, 0);
    subject->adding.misaligned = 0;
    assert_int_equal(make_context(subject), RUNG_OK);
    expect_it_runs(subject);
    finish(subject);
}

int main(void)
{
    struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_asked_for_the_whole_model_as_it_is_declared),
        cmocka_unit_test(each_failure_has_its_result_and_leaves_nothing),
        cmocka_unit_test(a_failure_without_a_reason_names_the_function),
        cmocka_unit_test(a_context_runs_again_after_a_failed_run),
        cmocka_unit_test(a_context_that_cannot_be_reset_runs_nothing_more),
        cmocka_unit_test(a_context_whose_device_is_lost_is_not_asked_again),
        cmocka_unit_test(polled_where_it_cannot_wait),
        cmocka_unit_test(a_run_that_does_not_end_can_be_cancelled),
        cmocka_unit_test(its_memory_is_what_it_tells_or_what_it_told),
        cmocka_unit_test(what_is_not_as_declared_is_refused_by_name),
        cmocka_unit_test(memory_that_is_not_as_said_is_refused_by_name),
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        tests[i].setup_func = set_up;
        tests[i].teardown_func = tear_down;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
