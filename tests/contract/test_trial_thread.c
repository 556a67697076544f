/* SPDX-License-Identifier: Apache-2.0 */
/* Where no process can be made a thread tries a rung: what fails, dawdles or hangs is an outcome.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <rung/rung.h>

#include "../unit/artifact_fixture.h"
#include "../unit/folder_fixture.h"
#include "artifact/view.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "ladder/trial_thread.h"

#define MS    UINT64_C(1000000)
#define LONG  (60000 * MS)
#define FILES (1u << 20)

/** A provider whose runs come back when the test lets them. */
static struct {
    struct rung__mutex mutex;
    struct rung__condition condition;
    bool holds, runs;
    unsigned alive; /**< models and contexts */
    rung_result result;
} fake;

static void set(bool *flag, bool value)
{
    rung__mutex_lock(&fake.mutex);
    *flag = value;
    rung__condition_broadcast(&fake.condition);
    rung__mutex_unlock(&fake.mutex);
}

static void await_flag(const bool *flag, bool value)
{
    rung__mutex_lock(&fake.mutex);
    while (*flag != value)
        (void)rung__condition_wait(&fake.condition, &fake.mutex, RUNG__CLOCK_NEVER);
    rung__mutex_unlock(&fake.mutex);
}

static void count(int change)
{
    rung__mutex_lock(&fake.mutex);
    fake.alive += (unsigned)change;
    rung__condition_broadcast(&fake.condition);
    rung__mutex_unlock(&fake.mutex);
}

static void await_nothing_alive(void)
{
    rung__mutex_lock(&fake.mutex);
    while (fake.alive)
        (void)rung__condition_wait(&fake.condition, &fake.mutex, RUNG__CLOCK_NEVER);
    rung__mutex_unlock(&fake.mutex);
}

static rung_result create_model(const struct rung__provider *from,
                                const struct rung__model_request *request, void **model)
{
    (void)from;
    struct rung__model_report *report = calloc(1, sizeof *report);
    assert_non_null(report);
    rung__model_report_fill(report, &request->artifact->tensors.input, 1,
                            request->artifact->tensors.outputs,
                            request->artifact->tensors.output_count, "FakeProvider");
    *model = report;
    count(1);
    return RUNG_OK;
}

static void destroy_model(void *model)
{
    free(model);
    count(-1);
}

static rung_result query_model(const void *model, struct rung__model_report *report)
{
    *report = *(const struct rung__model_report *)model;
    return RUNG_OK;
}

static rung_result create_context(void *model, struct rung__model_memory *memory, void **context)
{
    struct rung__model_memory *own = calloc(1, sizeof *own);
    assert_non_null(own);
    rung_result result = rung__model_memory_create(model, own);
    *memory = *own;
    *context = own;
    count(1);
    return result;
}

static void destroy_context(void *context)
{
    rung__model_memory_finish(context);
    free(context);
    count(-1);
}

static rung_result run(void *context)
{
    (void)context;
    set(&fake.runs, true);
    await_flag(&fake.holds, false);
    return fake.result == RUNG_OK ? RUNG_OK : rung__fail(fake.result, "the fake refuses");
}

static const struct rung__provider provider = {
    .struct_size = sizeof provider,
    .version = 1,
    .name = "fake",
    .compatibility = UINT64_MAX, /* any model may run on it */
    .create_model = create_model,
    .destroy_model = destroy_model,
    .query_model = query_model,
    .create_context = create_context,
    .destroy_context = destroy_context,
    .run = run,
};
static const struct rung__option none = {0};
static const struct rung__rung rung = {
    .id = "fake", .provider = &provider, .executed_by = NULL, .session = &none, .options = &none};

struct subject {
    struct rung__buffer file;
    struct rung__artifact_view view;
};

static int set_up(void **state)
{
    struct artifact_fixture files;
    struct rung__layout layout;
    struct subject *subject = calloc(1, sizeof *subject);
    *state = subject;
    if (!subject || make_test_folder(state) != 0)
        return -1;
    memset(&fake, 0, sizeof fake);
    rung__mutex_init(&fake.mutex);
    rung__condition_init(&fake.condition);
    artifact_fixture_make(&files, test_folder);
    assert_int_equal(artifact_fixture_pack(&files, true), RUNG_OK);
    assert_int_equal(rung__file_load(files.model, FILES, &subject->file), RUNG_OK);
    const struct rung__bytes bytes = rung__buffer_bytes(&subject->file);
    assert_int_equal(rung__layout_read(bytes, bytes.size, &layout), RUNG_OK);
    return rung__view_read(bytes, &layout, &subject->view) == RUNG_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct subject *subject = *state;
    rung__buffer_finish(&subject->file);
    free(subject);
    rung__condition_finish(&fake.condition);
    rung__mutex_finish(&fake.mutex);
    return remove_test_folder(state);
}

static struct rung__probe_task task_of(const struct subject *subject, uint64_t time_limit_ns)
{
    return (struct rung__probe_task){.rung = &rung,
                                     .library = "",
                                     .artifact = &subject->view,
                                     .threads = 3,
                                     .time_limit_ns = time_limit_ns};
}

static void what_answers_has_figures_and_gives_everything_back(void **state)
{
    const struct rung__probe_task task = task_of(*state, LONG);
    struct rung__trial trial;
    bool left = true;
    assert_int_equal(rung__probe_try_here(&task, NULL, &trial, &left), RUNG_OK);
    assert_true(trial.answered && !left);
    assert_int_equal(trial.outcome.threads, 3);
    assert_in_range(trial.outcome.runs, 3, 5);
    assert_string_equal(trial.outcome.executed_by, "FakeProvider");
    assert_true(trial.outputs.size > 0 && trial.outcome.build_ns > 0);
    assert_int_equal(fake.alive, 0);
    rung__trial_finish(&trial);
}

static void what_fails_gives_its_own_reason(void **state)
{
    const struct rung__probe_task task = task_of(*state, LONG);
    struct rung__trial trial;
    bool left = true;
    fake.result = RUNG_BACKEND;
    assert_int_equal(rung__probe_try_here(&task, NULL, &trial, &left), RUNG_OK);
    assert_int_equal(trial.outcome.kind, RUNG__OUTCOME_FAILED);
    assert_string_equal(trial.outcome.reason, "the fake refuses");
    assert_true(!trial.answered && !left);
    assert_int_equal(fake.alive, 0);
    rung__trial_finish(&trial);
    fake.result = RUNG_NO_MEMORY;
    assert_int_equal(rung__probe_try_here(&task, NULL, &trial, &left), RUNG_NO_MEMORY);
    rung__trial_finish(&trial);
}

static void what_hangs_is_left_and_the_caller_goes_on(void **state)
{
    const struct rung__probe_task task = task_of(*state, 20 * MS);
    struct rung__trial trial;
    bool left = false;
    fake.holds = true;
    assert_int_equal(rung__probe_try_here(&task, NULL, &trial, &left), RUNG_OK);
    assert_int_equal(trial.outcome.kind, RUNG__OUTCOME_TIMEOUT);
    assert_true(left && !trial.answered);
    rung__trial_finish(&trial);
    await_flag(&fake.runs, true); /* it hangs in the run, or came to it just now */
    set(&fake.holds, false);      /* what comes back after all ends by itself */
    await_nothing_alive();
}

struct host {
    const struct rung__probe_task *task;
    atomic_bool ending;
    rung_result result;
    struct rung__trial trial;
    bool left;
};

static void try_in_host(void *argument)
{
    struct host *host = argument;
    host->result = rung__probe_try_here(host->task, &host->ending, &host->trial, &host->left);
}

static void a_host_that_ends_waits_for_what_comes_back(void **state)
{
    const struct rung__probe_task task = task_of(*state, LONG);
    struct host host = {.task = &task};
    struct rung__thread thread;
    fake.holds = true;
    assert_int_equal(rung__thread_start(&thread, "host", try_in_host, &host), RUNG_OK);
    await_flag(&fake.runs, true);
    atomic_store(&host.ending, true);
    set(&fake.holds, false);
    rung__thread_join(&thread);
    assert_int_equal(host.result, RUNG_BUSY);
    assert_false(host.left);
    assert_int_equal(fake.alive, 0);
    rung__trial_finish(&host.trial);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_answers_has_figures_and_gives_everything_back),
        TEST(what_fails_gives_its_own_reason),
        TEST(what_hangs_is_left_and_the_caller_goes_on),
        TEST(a_host_that_ends_waits_for_what_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
