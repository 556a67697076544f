/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a rung that kills this process twice in a row is refused at the third start; what ends
 * in any other way is not held against it; the floor is not guarded. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../unit/folder_fixture.h"
#include "base/error.h"
#include "base/text.h"
#include "session/guard.h"

/* What the provider does when it loads, and when it runs. */
static enum { WELL, REFUSES, DIES, LOSES_ITS_DEVICE, EXITS } on_load, on_run;

static rung_result act(int what)
{
    if (what == DIES)
        raise(SIGSEGV);
    if (what == EXITS)
        exit(0);
    if (what == LOSES_ITS_DEVICE)
        return rung__fail(RUNG_DEVICE_LOST, "the device is gone");
    return what == REFUSES ? rung__fail(RUNG_BACKEND, "it does not want to") : RUNG_OK;
}

static int models, contexts; /* that were made and not destroyed */

static rung_result create_model(const struct rung__provider *from,
                                const struct rung__model_request *request, void **model)
{
    (void)from;
    (void)request;
    *model = &models;
    const rung_result result = act((int)on_load);
    models += result == RUNG_OK;
    return result;
}

static void destroy_model(void *model)
{
    (void)model;
    models--;
}

/** Exactly what the artifact of these tests declares. */
static rung_result query_model(const void *model, struct rung__model_report *report)
{
    (void)model;
    *report = (struct rung__model_report){.input_count = 1};
    (void)rung__text_format(report->executed_by, sizeof report->executed_by, "Accelerator");
    return RUNG_OK;
}

static rung_result create_context(void *model, struct rung__model_memory *memory, void **context)
{
    (void)model;
    *memory = (struct rung__model_memory){0};
    *context = &contexts;
    contexts++;
    return RUNG_OK;
}

static void destroy_context(void *context)
{
    (void)context;
    contexts--;
}

static rung_result run(void *context)
{
    (void)context;
    return act((int)on_run);
}

static const struct rung__provider provider = {
    .struct_size = sizeof provider,
    .version = 1,
    .name = "accelerator",
    .compatibility = 1,
    .create_model = create_model,
    .destroy_model = destroy_model,
    .query_model = query_model,
    .create_context = create_context,
    .destroy_context = destroy_context,
    .run = run,
};
static const struct rung__rung accelerated = {
    .id = "fast", .provider = &provider, .executed_by = "Accelerator"};
static const struct rung__rung at_the_floor = {
    .id = "slow", .provider = &provider, .executed_by = "Processor", .floor = true};

static char state_folder[256];
static rung_instance *instance;

static int set_up(void **state)
{
    const rung_instance_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .runtime_path = "/nowhere",
    };
    const int made = make_test_folder(state);
    setenv("XDG_STATE_HOME", test_folder, 1);
    snprintf(state_folder, sizeof state_folder, "%s/rung", test_folder);
    on_load = on_run = WELL;
    models = contexts = 0;
    return made || rung_instance_create(&options, &instance) != RUNG_OK;
}

static int tear_down(void **state)
{
    rung_instance_destroy(instance);
    return remove_test_folder(state);
}

static rung_result load(const struct rung__rung *rung)
{
    static const struct rung__artifact_view artifact = {.header = {.providers = 1}};
    const struct rung__model_request request = {.artifact = &artifact, .threads = 1};
    struct rung__model_report report;
    void *loaded = NULL;
    const rung_result result =
        rung__guarded_load(instance, rung, "abcd", &request, &loaded, &report);
    assert_int_equal(contexts, 0);
    assert_int_equal(loaded != NULL, result == RUNG_OK);
    assert_int_equal(models, result == RUNG_OK);
    models = 0;
    return result;
}

/** A process of its own that loads; true when it dies of it. */
static bool dies(const struct rung__rung *rung)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(load(rung) == RUNG_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
}

static bool is_refused(void)
{
    const rung_result result = load(&accelerated);
    return result == RUNG_UNSUPPORTED && strstr(rung_last_error(), "died twice");
}

static void a_rung_that_loads_and_runs_is_loaded(void **state)
{
    (void)state;
    assert_int_equal(load(&accelerated), RUNG_OK);
    assert_int_equal(load(&at_the_floor), RUNG_OK);
}

static void one_that_kills_twice_on_load_is_refused_at_the_third_start(void **state)
{
    (void)state;
    on_load = DIES;
    assert_true(dies(&accelerated));
    assert_true(dies(&accelerated));
    assert_false(dies(&accelerated));
    assert_true(is_refused());
    assert_non_null(strstr(rung_last_error(), state_folder));
}

static void one_that_kills_on_its_first_run_is_refused_too(void **state)
{
    (void)state;
    on_run = DIES;
    assert_true(dies(&accelerated));
    assert_true(dies(&accelerated));
    assert_true(is_refused());
}

static void another_device_begins_again(void **state)
{
    (void)state;
    on_load = DIES;
    assert_true(dies(&accelerated));
    assert_true(dies(&accelerated));
    on_load = WELL;
    assert_true(is_refused());
    rung_instance_destroy(instance);
    setenv("RUNG_HARDWARE_ROOT", test_folder, 1); /* a machine of which nothing is known */
    assert_int_equal(rung_instance_create(NULL, &instance), RUNG_OK);
    unsetenv("RUNG_HARDWARE_ROOT");
    assert_int_equal(load(&accelerated), RUNG_OK);
}

static void what_fails_is_told_and_is_no_strike(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        on_load = REFUSES;
        assert_int_equal(load(&accelerated), RUNG_BACKEND);
        assert_string_equal(rung_last_error(), "it does not want to");
        on_load = WELL;
        on_run = LOSES_ITS_DEVICE;
        assert_int_equal(load(&accelerated), RUNG_BACKEND);
        assert_non_null(strstr(rung_last_error(), "first run failed: the device is gone"));
        on_run = WELL;
    }
    assert_int_equal(load(&accelerated), RUNG_OK);
}

static void a_program_that_exits_in_the_middle_is_no_strike(void **state)
{
    (void)state;
    on_run = EXITS;
    for (int i = 0; i < 3; i++)
        assert_false(dies(&accelerated));
    on_run = WELL;
    assert_int_equal(load(&accelerated), RUNG_OK);
}

static void the_floor_is_not_guarded(void **state)
{
    (void)state;
    on_load = DIES;
    for (int i = 0; i < 3; i++)
        assert_true(dies(&at_the_floor));
    assert_int_equal(rung__path_kind(state_folder), RUNG__PATH_MISSING);
}

static void without_a_folder_it_loads_and_says_so_once(void **state)
{
    (void)state;
    assert_int_equal(rung__file_save(state_folder, (struct rung__bytes){0}, 0600, true), RUNG_OK);
    assert_int_equal(load(&accelerated), RUNG_OK);
    assert_int_equal(load(&accelerated), RUNG_OK);
    assert_true(instance->told_of_state);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_rung_that_loads_and_runs_is_loaded),
        TEST(one_that_kills_twice_on_load_is_refused_at_the_third_start),
        TEST(one_that_kills_on_its_first_run_is_refused_too),
        TEST(another_device_begins_again),
        TEST(what_fails_is_told_and_is_no_strike),
        TEST(a_program_that_exits_in_the_middle_is_no_strike),
        TEST(the_floor_is_not_guarded),
        TEST(without_a_folder_it_loads_and_says_so_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
