/* SPDX-License-Identifier: Apache-2.0 */
/* What every provider promises, run for each of them with the same real model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adding.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/thread.h"
#include "provider/external.h"
#include "provider/provider.h"
#include "runtime/search.h"
#include "tiny_request.h"

#define THREADS         4
#define RUNS_PER_THREAD 50
#define SECOND          UINT64_C(1000000000)

/** One provider under test, and what it is given. */
struct subject {
    const struct rung__provider *provider;
    struct tiny_request tiny;
};

static int set_up(void **state)
{
    tiny_request_make(&((struct subject *)*state)->tiny);
    return 0;
}

static int tear_down(void **state)
{
    struct subject *subject = *state;
    rung__buffer_finish(&subject->tiny.graph);
    return 0;
}

static void *load(struct subject *subject, struct rung__model_report *report)
{
    void *model = NULL;
    rung_result result =
        rung__provider_load(subject->provider, &subject->tiny.request, &model, report);
    if (result != RUNG_OK)
        print_error("%s\n", rung_last_error());
    assert_int_equal(result, RUNG_OK);
    return model;
}

static void reports_the_real_inputs_and_outputs(void **state)
{
    struct subject *subject = *state;
    struct rung__model_report report;
    void *model = load(subject, &report);
    assert_int_equal(report.input_count, 1);
    assert_int_equal(report.output_count, 1);
    assert_string_equal(report.input.name, "image");
    assert_string_equal(report.outputs[0].name, "rows");
    assert_int_equal(report.outputs[0].dims[2], 6);
    assert_true(report.executed_by[0]);
    subject->provider->destroy_model(model);
}

static void expect_refused(struct subject *subject, const char *named)
{
    struct rung__model_report report;
    void *model = NULL;
    assert_int_equal(
        rung__provider_load(subject->provider, &subject->tiny.request, &model, &report),
        RUNG_INTEGRITY);
    assert_null(model);
    assert_non_null(strstr(rung_last_error(), named));
}

static void refuses_another_input_name_by_name(void **state)
{
    struct subject *subject = *state;
    snprintf(subject->tiny.view.tensors.input.name, RUNG__TENSOR_NAME_MAX, "picture");
    expect_refused(subject, "picture");
}

static void refuses_another_output_name_by_name(void **state)
{
    struct subject *subject = *state;
    snprintf(subject->tiny.view.tensors.outputs[0].name, RUNG__TENSOR_NAME_MAX, "boxes");
    expect_refused(subject, "boxes");
}

static void refuses_another_shape_by_name(void **state)
{
    struct subject *subject = *state;
    subject->tiny.view.tensors.outputs[0].dims[1] = 3;
    expect_refused(subject, "rows");
}

static void refuses_another_type_by_name(void **state)
{
    struct subject *subject = *state;
    subject->tiny.view.tensors.input.dtype = RUNG_DTYPE_U8;
    expect_refused(subject, "image");
}

static void refuses_a_missing_output(void **state)
{
    struct subject *subject = *state;
    tiny_declare(&subject->tiny.view.tensors.outputs[1], "points", 2, (uint32_t[]){2, 10});
    subject->tiny.view.tensors.output_count = 2;
    expect_refused(subject, "points");
}

static void refuses_what_is_no_graph(void **state)
{
    struct subject *subject = *state;
    struct rung__model_report report;
    void *model = NULL;
    memset(subject->tiny.graph.data, 0xff, subject->tiny.graph.size);
    rung_result result =
        rung__provider_load(subject->provider, &subject->tiny.request, &model, &report);
    assert_true(result == RUNG_INTEGRITY || result == RUNG_BACKEND || result == RUNG_UNSUPPORTED);
    assert_null(model);
    assert_true(rung_last_error()[0]);
}

/** The file is in order and its graph is not: nothing makes the output that it announces. */
static void a_graph_that_cannot_be_built_fails_alone(void **state)
{
    struct subject *subject = *state;
    struct rung__model_report report;
    void *model = NULL;
    if (!subject->provider->runtime) {
        print_message("skipped: %s builds nothing\n", subject->provider->name);
        skip();
    }
    uint8_t *name = memmem(subject->tiny.graph.data, subject->tiny.graph.size, "rows", 4);
    assert_non_null(name);
    name[3] = 'z';
    assert_int_equal(
        rung__provider_load(subject->provider, &subject->tiny.request, &model, &report),
        RUNG_BACKEND);
    assert_null(model);
    assert_true(rung_last_error()[0]);
    name[3] = 's';
    subject->provider->destroy_model(load(subject, &report));
}

static void *make_context(struct subject *subject, void *model, struct rung__model_memory *memory)
{
    void *context = NULL;
    assert_int_equal(subject->provider->create_context(model, memory, &context), RUNG_OK);
    assert_int_equal(memory->input_bytes, TINY_INPUT_BYTES);
    assert_int_equal(memory->output_bytes[0], TINY_OUTPUT_BYTES);
    assert_int_equal((uintptr_t)memory->input % 64, 0);
    assert_int_equal((uintptr_t)memory->outputs[0] % 64, 0);
    return context;
}

static void gives_the_same_output_for_the_same_input(void **state)
{
    struct subject *subject = *state;
    struct rung__model_report report;
    struct rung__model_memory first_memory, second_memory;
    float kept[12];
    void *model = load(subject, &report);
    void *first = make_context(subject, model, &first_memory);
    void *second = make_context(subject, model, &second_memory);
    memset(first_memory.input, 7, first_memory.input_bytes);
    memset(second_memory.input, 7, second_memory.input_bytes);

    assert_int_equal(subject->provider->run(first), RUNG_OK);
    memcpy(kept, first_memory.outputs[0], sizeof kept);
    memset(first_memory.outputs[0], 0xee, sizeof kept);
    assert_int_equal(subject->provider->run(first), RUNG_OK);
    assert_memory_equal(first_memory.outputs[0], kept, sizeof kept);
    assert_int_equal(subject->provider->run(second), RUNG_OK);
    assert_memory_equal(second_memory.outputs[0], kept, sizeof kept);
    if (subject->provider->runtime)
        assert_memory_equal(kept, tiny_request_rows, sizeof kept);

    subject->provider->destroy_context(first);
    subject->provider->destroy_context(second);
    subject->provider->destroy_model(model);
}

/** What any order of ends leaves behind is a leak, or memory that is gone: the sanitizer says so.
 */
static void contexts_end_in_any_order(void **state)
{
    struct subject *subject = *state;
    struct rung__model_report report;
    struct rung__model_memory memory[3];
    void *contexts[3];
    void *first = load(subject, &report), *second = load(subject, &report);
    contexts[0] = make_context(subject, first, &memory[0]);
    contexts[1] = make_context(subject, second, &memory[1]);
    contexts[2] = make_context(subject, first, &memory[2]);
    memset(memory[2].input, 5, memory[2].input_bytes);
    subject->provider->destroy_context(contexts[0]);
    assert_int_equal(subject->provider->run(contexts[2]), RUNG_OK);
    subject->provider->destroy_context(contexts[2]);
    subject->provider->destroy_model(first);
    assert_int_equal(subject->provider->run(contexts[1]), RUNG_OK);
    subject->provider->destroy_context(contexts[1]);
    subject->provider->destroy_model(second);
}

static void memory_is_zero_before_the_first_run(void **state)
{
    struct subject *subject = *state;
    static const uint8_t zeros[TINY_INPUT_BYTES];
    struct rung__model_report report;
    struct rung__model_memory memory;
    void *model = load(subject, &report);
    void *context = make_context(subject, model, &memory);
    assert_memory_equal(memory.input, zeros, memory.input_bytes);
    assert_memory_equal(memory.outputs[0], zeros, memory.output_bytes[0]);
    subject->provider->destroy_context(context);
    subject->provider->destroy_model(model);
}

/** Another thread that cancels whatever runs, again and again. */
struct canceller {
    const struct rung__provider *provider;
    void *context;
    atomic_bool ends;
};

static void cancel_again_and_again(void *argument)
{
    struct canceller *canceller = argument;
    while (!atomic_load(&canceller->ends))
        canceller->provider->cancel(canceller->context);
}

static void a_cancelled_run_says_so_and_the_next_one_answers(void **state)
{
    struct subject *subject = *state;
    const struct rung__provider *provider = subject->provider;
    struct rung__model_report report;
    struct rung__model_memory memory;
    struct rung__thread thread;
    float kept[12];
    if (!provider->cancel) {
        print_message("skipped: what runs on %s ends by itself\n", provider->name);
        skip();
    }
    void *model = load(subject, &report);
    void *context = make_context(subject, model, &memory);
    memset(memory.input, 9, memory.input_bytes);
    provider->cancel(context); /* nothing runs, and so nothing is cancelled */
    assert_int_equal(provider->run(context), RUNG_OK);
    memcpy(kept, memory.outputs[0], sizeof kept);

    struct canceller canceller = {.provider = provider, .context = context};
    const uint64_t deadline = rung__clock_now() + 20 * SECOND;
    rung_result result = RUNG_OK;
    assert_int_equal(rung__thread_start(&thread, "canceller", cancel_again_and_again, &canceller),
                     RUNG_OK);
    while (result == RUNG_OK && rung__clock_now() < deadline)
        result = provider->run(context);
    atomic_store(&canceller.ends, true);
    rung__thread_join(&thread);
    assert_int_equal(result, RUNG_CANCELLED);
    assert_non_null(strstr(rung_last_error(), "cancelled"));

    memset(memory.outputs[0], 0xee, sizeof kept);
    assert_int_equal(provider->run(context), RUNG_OK);
    assert_memory_equal(memory.outputs[0], kept, sizeof kept);
    provider->destroy_context(context);
    provider->destroy_model(model);
}

static void the_memory_that_is_told_holds_at_least_the_tensors(void **state)
{
    struct subject *subject = *state;
    struct rung__model_report report;
    struct rung__model_memory memory;
    rung_provider_memory told;
    void *model = load(subject, &report);
    void *context = make_context(subject, model, &memory);
    rung__provider_memory(subject->provider, context, &told);
    const uint64_t tensors = rung__model_memory_bytes(&memory);
    assert_int_equal(tensors, TINY_INPUT_BYTES + TINY_OUTPUT_BYTES);
    assert_true(told.host >= tensors && told.host < 1u << 30);
    assert_true(told.device == 0); /* all of these compute on the processor */
    assert_int_equal(subject->provider->run(context), RUNG_OK);
    rung__provider_memory(subject->provider, context, &told);
    assert_true(told.host >= tensors && told.host < 1u << 30);
    subject->provider->destroy_context(context);
    subject->provider->destroy_model(model);
}

struct runner {
    struct subject *subject;
    void *model;
    float output[12];
    int failures;
};

static void run_many(void *argument)
{
    struct runner *runner = argument;
    struct rung__model_memory memory;
    void *context = NULL;
    const struct rung__provider *provider = runner->subject->provider;
    if (provider->create_context(runner->model, &memory, &context) != RUNG_OK) {
        runner->failures++;
        return;
    }
    memset(memory.input, 3, memory.input_bytes);
    for (int i = 0; i < RUNS_PER_THREAD; i++)
        runner->failures += provider->run(context) != RUNG_OK;
    memcpy(runner->output, memory.outputs[0], sizeof runner->output);
    provider->destroy_context(context);
}

static void serves_several_threads_side_by_side(void **state)
{
    struct subject *subject = *state;
    struct rung__model_report report;
    struct rung__thread threads[THREADS];
    struct runner runners[THREADS];
    void *model = load(subject, &report);
    for (int i = 0; i < THREADS; i++) {
        runners[i] = (struct runner){.subject = subject, .model = model};
        assert_int_equal(rung__thread_start(&threads[i], "runner", run_many, &runners[i]), RUNG_OK);
    }
    for (int i = 0; i < THREADS; i++)
        rung__thread_join(&threads[i]);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(runners[i].failures, 0);
        assert_memory_equal(runners[i].output, runners[0].output, sizeof runners[0].output);
    }
    subject->provider->destroy_model(model);
}

static bool load_runtime(const struct rung__runtime *runtime)
{
    struct rung__runtime_candidates found;
    const struct rung__runtime_places places = {.option = getenv("RUNG_TEST_RUNTIMES")};
    bool loaded = false;
    if (rung__runtime_search(runtime, &places, &found) != RUNG_OK)
        return false;
    for (size_t i = 0; i < found.count && !loaded; i++)
        loaded = runtime->open(found.items[i].path) == RUNG_OK;
    rung__runtime_candidates_finish(&found);
    return loaded;
}

static int run_contract(const struct rung__provider *provider)
{
    struct subject subject = {.provider = provider};
    struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_the_real_inputs_and_outputs),
        cmocka_unit_test(refuses_another_input_name_by_name),
        cmocka_unit_test(refuses_another_output_name_by_name),
        cmocka_unit_test(refuses_another_shape_by_name),
        cmocka_unit_test(refuses_another_type_by_name),
        cmocka_unit_test(refuses_a_missing_output),
        cmocka_unit_test(refuses_what_is_no_graph),
        cmocka_unit_test(a_graph_that_cannot_be_built_fails_alone),
        cmocka_unit_test(gives_the_same_output_for_the_same_input),
        cmocka_unit_test(contexts_end_in_any_order),
        cmocka_unit_test(memory_is_zero_before_the_first_run),
        cmocka_unit_test(a_cancelled_run_says_so_and_the_next_one_answers),
        cmocka_unit_test(the_memory_that_is_told_holds_at_least_the_tensors),
        cmocka_unit_test(serves_several_threads_side_by_side),
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        tests[i].setup_func = set_up;
        tests[i].teardown_func = tear_down;
        tests[i].initial_state = &subject;
    }
    return cmocka_run_group_tests_name(provider->name, tests, NULL, NULL);
}

/** A provider whose runtime is not there has broken its contract: the tests need them all. */
static int run_on_runtime(const struct rung__provider *provider)
{
    const char *runtimes = getenv("RUNG_TEST_RUNTIMES");
    if (load_runtime(provider->runtime))
        return run_contract(provider);
    print_error("no %s below %s: run scripts/fetch-runtimes\n", provider->runtime->text,
                runtimes ? runtimes : "(unset)");
    return 1;
}

/** One from outside, with none of the functions that it may do without, or with all of them. */
static int run_outside(bool least)
{
    struct adding adding = {0};
    rung_provider table = adding_table(&adding);
    table.name = least ? "adding-least" : "adding";
    if (least) {
        table.enumerate_devices = NULL;
        table.poll = NULL;
        table.wait = NULL;
        table.cancel = NULL;
        table.reset = NULL;
        table.synchronize = NULL;
        table.memory_stats = NULL;
    }
    struct rung__external *external = rung__external_new(&table);
    if (!external)
        return 1;
    const int failures = run_contract(&external->provider);
    rung__external_destroy(external);
    return failures + adding.models + adding.contexts;
}

int main(void)
{
    return run_contract(&rung__provider_dummy) + run_on_runtime(&rung__provider_ort) +
           run_on_runtime(&rung__provider_tract) + run_outside(false) + run_outside(true);
}
