/* SPDX-License-Identifier: Apache-2.0 */
/* The first answer of a process has the rungs measured, once, by a process that is not its child.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include <rung/artifact.h>
#include <rung/rung.h>

#include "../unit/artifact_fixture.h"
#include "../unit/folder_fixture.h"
#include "base/clock.h"
#include "ladder/retry.h"
#include "ladder/store.h"

#define SIDE      80
#define LIMIT_NS  (UINT64_C(120) * 1000000000)
#define LOG_LINES 16

/** A model in an instance that reads the environment, whose folders are the test's. */
struct subject {
    struct artifact_fixture files;
    char state[256];
    rung_instance *instance;
    rung_model *model;
    rung_context *context;
    char log[LOG_LINES][256];
    uint32_t lines;
};

static void note_line(void *user, int32_t level, const char *text)
{
    struct subject *subject = user;
    (void)level;
    if (subject->lines < LOG_LINES)
        snprintf(subject->log[subject->lines++], sizeof *subject->log, "%s", text);
}

static bool was_told(const struct subject *subject, const char *text)
{
    for (uint32_t i = 0; i < subject->lines; i++)
        if (strstr(subject->log[i], text))
            return true;
    return false;
}

static int set_up(void **state)
{
    struct subject *subject = calloc(1, sizeof *subject);
    if (!subject || make_test_folder(state) != 0)
        return -1;
    *state = subject;
    artifact_fixture_make(&subject->files, test_folder);
    assert_int_equal(artifact_fixture_pack(&subject->files, true), RUNG_OK);
    in_test_folder(subject->state, "rung");
    return setenv("XDG_STATE_HOME", test_folder, true) ||
           setenv("XDG_CACHE_HOME", test_folder, true);
}

static void open_subject(struct subject *subject, rung_probe_policy policy, const char *helper)
{
    const rung_instance_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .log_level = RUNG_LOG_INFO,
        .log = note_line,
        .log_user = subject,
        .runtime_path = getenv("RUNG_TEST_RUNTIMES"),
        .trust_path = subject->files.public_key,
        .helper_path = helper,
        .probe = policy,
    };
    assert_int_equal(rung_instance_create(&options, &subject->instance), RUNG_OK);
    assert_int_equal(
        rung_model_open(subject->instance, subject->files.model, NULL, &subject->model), RUNG_OK);
    assert_int_equal(rung_context_create(subject->model, NULL, &subject->context), RUNG_OK);
}

static void answer(struct subject *subject)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    uint64_t packet[2048 / 8];
    size_t needed = 0;
    const rung_frame frame = {
        .struct_size = sizeof frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = pixels,
        .width = SIDE,
        .height = SIDE,
        .format = RUNG_PIXEL_RGB8,
    };
    assert_int_equal(
        rung_detect(subject->context, &frame, (rung_span){packet, sizeof packet}, &needed, NULL),
        RUNG_OK);
}

/** What is on its way is handed over by then. */
static void close_subject(struct subject *subject)
{
    rung_context_destroy(subject->context);
    rung_model_destroy(subject->model);
    rung_instance_destroy(subject->instance);
}

static int tear_down(void **state)
{
    free(*state);
    return remove_test_folder(state);
}

static bool has_file(const struct subject *subject, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", subject->state, name);
    return rung__path_kind(path) == RUNG__PATH_FILE;
}

static void await_file(const struct subject *subject, const char *name, bool wanted)
{
    const uint64_t limit = rung__clock_now() + LIMIT_NS;
    const struct timespec pause = {.tv_nsec = 2000000};
    while (has_file(subject, name) != wanted) {
        if (rung__clock_now() > limit)
            fail_msg("%s %s", name, wanted ? "did not come" : "did not go");
        nanosleep(&pause, NULL);
    }
}

static void nothing_is_begun_where_the_application_wants_nothing(void **state)
{
    struct subject *subject = *state;
    open_subject(subject, RUNG_PROBE_OFF, getenv("RUNG_TEST_HELPER"));
    answer(subject);
    close_subject(subject);
    assert_false(has_file(subject, RUNG__RETRY_FILE) || has_file(subject, "probe.lock"));
}

static void without_a_helper_nothing_is_begun(void **state)
{
    struct subject *subject = *state;
    open_subject(subject, RUNG_PROBE_FIRST, "/nonexistent/rung-probe");
    answer(subject);
    close_subject(subject);
    assert_false(has_file(subject, RUNG__RETRY_FILE) || has_file(subject, "probe.lock"));
}

static void a_policy_that_is_unknown_is_refused(void **state)
{
    struct subject *subject = *state;
    rung_instance_options options = {.struct_size = sizeof options,
                                     .version = RUNG_STRUCT_VERSION,
                                     .probe = (rung_probe_policy)4};
    assert_int_equal(rung_instance_create(&options, &subject->instance), RUNG_INVALID_ARGUMENT);
    options.probe = RUNG_PROBE_DEFAULT;
    assert_int_equal(setenv("RUNG_PROBE", "some", true), 0);
    assert_int_equal(rung_instance_create(&options, &subject->instance), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "off, first or all"));
    options.flags = RUNG_INSTANCE_NO_ENVIRONMENT;
    assert_int_equal(rung_instance_create(&options, &subject->instance), RUNG_OK);
    rung_instance_destroy(subject->instance);
    assert_int_equal(unsetenv("RUNG_PROBE"), 0);
}

static void the_first_answer_has_the_rungs_measured_by_a_process_of_its_own(void **state)
{
    struct subject *subject = *state;
    open_subject(subject, RUNG_PROBE_FIRST, getenv("RUNG_TEST_HELPER"));
    assert_false(has_file(subject, RUNG__RETRY_FILE));
    answer(subject);
    answer(subject);
    close_subject(subject);
    assert_true(was_told(subject, "measured in the background"));
    /* Not even one that has ended. */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    await_file(subject, RUNG__STORE_FILE, true);
    await_file(subject, RUNG__RETRY_FILE, false);
}

static void a_process_begins_one_only(void **state)
{
    struct subject *subject = *state;
    open_subject(subject, RUNG_PROBE_ALL, getenv("RUNG_TEST_HELPER"));
    answer(subject);
    close_subject(subject);
    assert_false(has_file(subject, RUNG__RETRY_FILE) || has_file(subject, "probe.lock"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_begun_where_the_application_wants_nothing),
        TEST(without_a_helper_nothing_is_begun),
        TEST(a_policy_that_is_unknown_is_refused),
        TEST(the_first_answer_has_the_rungs_measured_by_a_process_of_its_own),
        TEST(a_process_begins_one_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
