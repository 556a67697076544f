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

#include "../unit/tiny_onnx.h"
#include "base/file.h"
#include "base/thread.h"
#include "provider/provider.h"
#include "runtime/search.h"

#define THREADS         4
#define RUNS_PER_THREAD 50

static const float rows[2][6] = {{0.25f, 0.25f, 0.5f, 0.5f, 0.75f, 0},
                                 {0, 0, 0.25f, 0.25f, 0.5f, 1}};

/** One provider under test, and what it is given. */
struct subject {
    const struct rung__provider *provider;
    struct rung__buffer graph;
    struct rung__artifact_view view;
    struct rung__model_request request;
};

static void declare(struct rung__tensor *tensor, const char *name, uint32_t rank,
                    const uint32_t *dims)
{
    snprintf(tensor->name, sizeof tensor->name, "%s", name);
    tensor->dtype = RUNG_DTYPE_F32;
    tensor->rank = rank;
    memcpy(tensor->dims, dims, rank * sizeof *dims);
}

static int set_up(void **state)
{
    struct subject *subject = *state;
    const struct tiny_rows model = {.input = "image",
                                    .output = "rows",
                                    .width = 8,
                                    .height = 8,
                                    .rows = rows[0],
                                    .row_count = 2,
                                    .opset = 17};
    subject->graph = (struct rung__buffer){0};
    tiny_rows(&subject->graph, &model);
    memset(&subject->view, 0, sizeof subject->view);
    snprintf(subject->view.header.name, sizeof subject->view.header.name, "tiny");
    subject->view.header.providers = RUNG__PROVIDER_ORT | RUNG__PROVIDER_TRACT;
    subject->view.sections[RUNG__SECTION_PAYLOAD] = rung__buffer_bytes(&subject->graph);
    declare(&subject->view.tensors.input, "image", 4, (uint32_t[]){1, 3, 8, 8});
    declare(&subject->view.tensors.outputs[0], "rows", 3, (uint32_t[]){1, 2, 6});
    subject->view.tensors.output_count = 1;
    subject->request = (struct rung__model_request){
        .artifact = &subject->view,
        .threads = 1,
        .helper = getenv("RUNG_TEST_HELPER"),
    };
    return 0;
}

static int tear_down(void **state)
{
    struct subject *subject = *state;
    rung__buffer_finish(&subject->graph);
    return 0;
}

static void *load(struct subject *subject, struct rung__model_report *report)
{
    void *model = NULL;
    rung_result result = rung__provider_load(subject->provider, &subject->request, &model, report);
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
    assert_int_equal(rung__provider_load(subject->provider, &subject->request, &model, &report),
                     RUNG_INTEGRITY);
    assert_null(model);
    assert_non_null(strstr(rung_last_error(), named));
}

static void refuses_another_input_name_by_name(void **state)
{
    struct subject *subject = *state;
    snprintf(subject->view.tensors.input.name, RUNG__TENSOR_NAME_MAX, "picture");
    expect_refused(subject, "picture");
}

static void refuses_another_output_name_by_name(void **state)
{
    struct subject *subject = *state;
    snprintf(subject->view.tensors.outputs[0].name, RUNG__TENSOR_NAME_MAX, "boxes");
    expect_refused(subject, "boxes");
}

static void refuses_another_shape_by_name(void **state)
{
    struct subject *subject = *state;
    subject->view.tensors.outputs[0].dims[1] = 3;
    expect_refused(subject, "rows");
}

static void refuses_another_type_by_name(void **state)
{
    struct subject *subject = *state;
    subject->view.tensors.input.dtype = RUNG_DTYPE_U8;
    expect_refused(subject, "image");
}

static void refuses_a_missing_output(void **state)
{
    struct subject *subject = *state;
    declare(&subject->view.tensors.outputs[1], "points", 2, (uint32_t[]){2, 10});
    subject->view.tensors.output_count = 2;
    expect_refused(subject, "points");
}

static void refuses_what_is_no_graph(void **state)
{
    struct subject *subject = *state;
    struct rung__model_report report;
    void *model = NULL;
    memset(subject->graph.data, 0xff, subject->graph.size);
    rung_result result = rung__provider_load(subject->provider, &subject->request, &model, &report);
    assert_true(result == RUNG_INTEGRITY || result == RUNG_BACKEND);
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
    uint8_t *name = memmem(subject->graph.data, subject->graph.size, "rows", 4);
    assert_non_null(name);
    name[3] = 'z';
    assert_int_equal(rung__provider_load(subject->provider, &subject->request, &model, &report),
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
    assert_int_equal(memory->input_bytes, 3 * 8 * 8 * 4);
    assert_int_equal(memory->output_bytes[0], 2 * 6 * 4);
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
        assert_memory_equal(kept, rows, sizeof kept);

    subject->provider->destroy_context(first);
    subject->provider->destroy_context(second);
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

int main(void)
{
    return run_contract(&rung__provider_dummy) + run_on_runtime(&rung__provider_ort) +
           run_on_runtime(&rung__provider_tract);
}
