/* SPDX-License-Identifier: Apache-2.0 */
/* Run by test_engines_queue.py, which makes the models. */
/* Promises: engines are built in the background one after the other, the smallest model first; what
 * is paused builds nothing and goes on where it was; the end of an instance gives up what is on its
 * way and leaves nothing half. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <rung/rung.h>

#include "../unit/folder_fixture.h"
#include "base/clock.h"
#include "base/thread.h"

#define EVENTS 32
#define LONG   (UINT64_C(20) * 1000000000)

/** What the callback was told. */
static struct {
    struct rung__mutex mutex;
    struct rung__condition changed;
    struct {
        char state[16], file[64], reason[256];
        uint32_t done, total;
        bool resumed;
    } events[EVENTS];
    uint32_t count;
    bool resumed;
} told;

static rung_instance *instance;
static const char *small, *large; /* paths of models */

static void take(void *user, const rung_engines_progress *progress)
{
    const char *slash = strrchr(progress->path, '/');
    (void)user;
    rung__mutex_lock(&told.mutex);
    assert_true(told.count < EVENTS);
    snprintf(told.events[told.count].state, sizeof told.events[0].state, "%s", progress->state);
    snprintf(told.events[told.count].file, sizeof told.events[0].file, "%s", slash + 1);
    snprintf(told.events[told.count].reason, sizeof told.events[0].reason, "%s", progress->reason);
    told.events[told.count].done = progress->done;
    told.events[told.count].total = progress->total;
    told.events[told.count++].resumed = told.resumed;
    rung__condition_broadcast(&told.changed);
    rung__mutex_unlock(&told.mutex);
}

static void wait_for(uint32_t count)
{
    const uint64_t deadline = rung__clock_now() + LONG;
    rung__mutex_lock(&told.mutex);
    while (told.count < count && rung__clock_now() < deadline)
        (void)rung__condition_wait(&told.changed, &told.mutex, deadline);
    for (uint32_t i = 0; i < told.count && told.count < count; i++)
        print_error("%s %s %s\n", told.events[i].state, told.events[i].file, told.events[i].reason);
    const uint32_t found = told.count;
    rung__mutex_unlock(&told.mutex);
    assert_true(found >= count);
}

static void assert_event(uint32_t index, const char *state, const char *file, uint32_t done)
{
    assert_string_equal(told.events[index].state, state);
    assert_string_equal(told.events[index].file, file);
    assert_int_equal(told.events[index].done, done);
}

/** What a runtime that compiles does. */
static void steer(const char *faults)
{
    char text[512], trace[256];
    snprintf(text, sizeof text,
             "providers=OpenVINOExecutionProvider,CPUExecutionProvider;trace=%s%s",
             in_test_folder(trace, "trace"), faults);
    setenv("RUNG_STANDIN", text, 1);
}

/* ---- models and an instance ---- */

static int set_up(void **state)
{
    char path[256];
    if (make_test_folder(state) != 0)
        return -1;
    setenv("XDG_CACHE_HOME", in_test_folder(path, "cache"), 1);
    setenv("XDG_STATE_HOME", in_test_folder(path, "state"), 1);
    steer("");
    small = getenv("RUNG_TEST_SMALL");
    large = getenv("RUNG_TEST_LARGE");
    memset(&told, 0, sizeof told);
    rung__mutex_init(&told.mutex);
    rung__condition_init(&told.changed);
    const rung_instance_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .flags = RUNG_INSTANCE_ALLOW_UNSIGNED,
        .helper_path = getenv("RUNG_TEST_HELPER"),
    };
    return small && large && rung_instance_create(&options, &instance) == RUNG_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    rung_instance_destroy(instance);
    instance = NULL;
    return remove_test_folder(state);
}

static const rung_engines_options on_openvino = {
    .struct_size = sizeof on_openvino,
    .version = RUNG_STRUCT_VERSION,
    .threads = 1,
    .rung = "openvino-cpu",
};

static void start(const char *first, const char *second)
{
    const char *const paths[] = {first, second};
    if (rung_engines_start(instance, paths, second ? 2 : 1, &on_openvino, take, NULL) != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static const char *name_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* ---- the promises ---- */

static void the_smallest_comes_first(void **state)
{
    (void)state;
    start(large, small);
    wait_for(4);
    assert_event(0, "building", name_of(small), 0);
    assert_event(1, "built", name_of(small), 1);
    assert_event(2, "building", name_of(large), 1);
    assert_event(3, "built", name_of(large), 2);
    assert_int_equal(told.events[3].total, 2);
    start(small, NULL); /* all is there */
    wait_for(5);
    assert_event(4, "ready", name_of(small), told.events[4].total);
}

static void what_is_asked_for_meanwhile_comes_to_what_is_left(void **state)
{
    (void)state;
    rung_engines_pause(instance);
    start(large, NULL);
    start(small, NULL);
    rung_engines_resume(instance);
    wait_for(4);
    assert_int_equal(told.events[3].done, 2);
    assert_int_equal(told.events[3].total, 2);
}

static void a_paused_instance_builds_nothing(void **state)
{
    const struct timespec moment = {.tv_nsec = 200000000};
    (void)state;
    rung_engines_pause(instance);
    start(small, large);
    nanosleep(&moment, NULL); /* so that it could be wrong */
    rung__mutex_lock(&told.mutex);
    told.resumed = true;
    rung__mutex_unlock(&told.mutex);
    rung_engines_resume(instance);
    wait_for(4);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(told.events[i].resumed);
}

static size_t leftovers(void)
{
    struct rung__folder names;
    char folder[256];
    size_t count = 0;
    if (rung__folder_list(in_test_folder(folder, "cache/rung/engines"), 100, &names) != RUNG_OK)
        return 0;
    for (size_t i = 0; i < names.count; i++)
        count += strcmp(names.names[i], ".lock") != 0 && strcmp(names.names[i], ".build.lock") != 0;
    rung__folder_finish(&names);
    return count;
}

static bool hangs(void)
{
    char path[256];
    struct rung__buffer text = {0};
    const bool found = rung__file_load(in_test_folder(path, "trace"), 65536, &text) == RUNG_OK &&
                       rung__buffer_append(&text, "", 1) == RUNG_OK &&
                       strstr((const char *)text.data, " hang ");
    rung__buffer_finish(&text);
    return found;
}

static bool is_clear(void)
{
    return leftovers() == 0;
}

static void wait_until(bool (*holds)(void))
{
    const struct timespec moment = {.tv_nsec = 5000000};
    const uint64_t deadline = rung__clock_now() + LONG;
    while (!holds() && rung__clock_now() < deadline)
        nanosleep(&moment, NULL);
    assert_true(holds());
}

static void a_build_on_its_way_is_given_up_and_begun_again(void **state)
{
    (void)state;
    steer(";session=hang:OpenVINOExecutionProvider");
    start(small, NULL);
    wait_until(hangs);
    rung_engines_pause(instance);
    wait_until(is_clear);
    steer("");
    rung_engines_resume(instance);
    wait_for(3);
    assert_event(0, "building", name_of(small), 0);
    assert_event(1, "building", name_of(small), 0);
    assert_event(2, "built", name_of(small), 1);
}

static void the_end_of_an_instance_gives_up_what_is_on_its_way(void **state)
{
    (void)state;
    steer(";session=hang:OpenVINOExecutionProvider");
    start(small, large);
    wait_until(hangs);
    const uint64_t begun = rung__clock_now();
    rung_instance_destroy(instance);
    instance = NULL;
    assert_true(rung__clock_now() - begun < LONG / 2);
    assert_int_equal(told.count, 1);
    assert_int_equal(leftovers(), 0);
}

static void an_instance_that_is_paused_can_end(void **state)
{
    (void)state;
    rung_engines_pause(instance);
    start(small, NULL);
    rung_instance_destroy(instance);
    instance = NULL;
    assert_int_equal(told.count, 0);
}

static void wrong_arguments_are_refused(void **state)
{
    const char *const paths[] = {small, NULL};
    (void)state;
    rung_engines_options options = on_openvino;
    assert_int_equal(rung_engines_start(NULL, paths, 1, NULL, NULL, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_engines_start(instance, paths, 0, NULL, NULL, NULL),
                     RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_engines_build(instance, paths, 2, NULL, NULL, NULL),
                     RUNG_INVALID_ARGUMENT);
    options.rung = "no-such";
    assert_int_equal(rung_engines_build(instance, paths, 1, &options, NULL, NULL), RUNG_NOT_FOUND);
    options = on_openvino;
    options.flags = 2;
    assert_int_equal(rung_engines_build(instance, paths, 1, &options, NULL, NULL),
                     RUNG_INVALID_ARGUMENT);
    options.version = 2;
    assert_int_equal(rung_engines_build(instance, paths, 1, &options, NULL, NULL), RUNG_VERSION);
    assert_int_equal(rung_engines_list(instance, NULL, NULL), RUNG_INVALID_ARGUMENT);
    rung_engines_pause(NULL);
    rung_engines_resume(NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_smallest_comes_first),
        TEST(what_is_asked_for_meanwhile_comes_to_what_is_left),
        TEST(a_paused_instance_builds_nothing),
        TEST(a_build_on_its_way_is_given_up_and_begun_again),
        TEST(the_end_of_an_instance_gives_up_what_is_on_its_way),
        TEST(an_instance_that_is_paused_can_end),
        TEST(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
