/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: two deaths in a row and a rung is not tried again; nothing else counts as one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/error.h"
#include "folder_fixture.h"
#include "ladder/attempts.h"

static char folder[256];

static int set_up(void **state)
{
    const int made = make_test_folder(state);
    in_test_folder(folder, "state");
    return made;
}

static struct rung__attempt begin(const char *fingerprint, const char *rung)
{
    struct rung__attempt attempt;
    if (rung__attempt_begin(folder, fingerprint, rung, "abcd", &attempt) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    return attempt;
}

static bool is_refused(const char *fingerprint, const char *rung)
{
    struct rung__attempt attempt = begin(fingerprint, rung);
    const bool refused = attempt.refused;
    assert_int_equal(rung__attempt_end(&attempt, false), RUNG_OK);
    return refused;
}

static void die(const char *fingerprint)
{
    struct rung__attempt attempt = begin(fingerprint, "cuda");
    assert_false(attempt.refused);
    assert_int_equal(rung__attempt_end(&attempt, true), RUNG_OK);
}

static void file_of_the_try(char path[300])
{
    snprintf(path, 300, "%s/attempts/cuda-abcd.json", folder);
}

static void write_file(const char *text)
{
    char path[300];
    file_of_the_try(path);
    assert_int_equal(rung__file_save(path,
                                     (struct rung__bytes){(const uint8_t *)text, strlen(text)},
                                     0600, true),
                     RUNG_OK);
}

/** Leaves a try running, as a process does that is killed, and changes a word of its record. */
static void leave_running(const char *fingerprint, const char *word, const char *other)
{
    struct rung__buffer text = {0};
    char path[300], changed[4096];
    struct rung__attempt attempt = begin(fingerprint, "cuda");
    free(attempt.path);
    file_of_the_try(path);
    assert_int_equal(rung__file_load(path, 4096, &text), RUNG_OK);
    assert_int_equal(rung__buffer_append(&text, "", 1), RUNG_OK);
    const char *at = strstr((const char *)text.data, word);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - (const char *)text.data),
             (const char *)text.data, other, at + strlen(word));
    write_file(changed);
    rung__buffer_finish(&text);
}

static void a_try_that_ends_leaves_nothing(void **state)
{
    (void)state;
    struct stat status;
    char path[300];
    file_of_the_try(path);
    struct rung__attempt attempt = begin("a", "cuda");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(rung__attempt_end(&attempt, false), RUNG_OK);
    assert_int_not_equal(stat(path, &status), 0);
}

static void two_deaths_in_a_row_and_it_is_refused(void **state)
{
    (void)state;
    die("a");
    die("a");
    assert_true(is_refused("a", "cuda"));
    assert_true(is_refused("a", "cuda"));
    assert_false(is_refused("a", "ort-cpu"));
}

static void a_try_that_ended_well_forgets_the_death_before(void **state)
{
    (void)state;
    die("a");
    assert_false(is_refused("a", "cuda"));
    die("a");
    assert_false(is_refused("a", "cuda"));
}

static void another_fingerprint_begins_again(void **state)
{
    (void)state;
    die("a");
    die("a");
    assert_false(is_refused("b", "cuda"));
}

static void a_waiter_that_was_ended_is_no_strike(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        leave_running("a", "\"running\":true", "\"running\":true");
    assert_false(is_refused("a", "cuda"));
}

static void a_machine_that_went_down_in_a_try_is_a_strike(void **state)
{
    (void)state;
    leave_running("a", "\"boot\":\"", "\"boot\":\"other");
    leave_running("a", "\"boot\":\"", "\"boot\":\"other");
    assert_true(is_refused("a", "cuda"));
}

static void a_record_that_is_none_says_nothing(void **state)
{
    (void)state;
    static const char *const contents[] = {"", "{", "[]", "{\"schema\":1}", "{\"schema\":2}"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        die("a");
        die("a");
        write_file(contents[i]);
        assert_false(is_refused("a", "cuda"));
    }
}

static void where_no_record_can_be_kept_it_says_so(void **state)
{
    (void)state;
    struct rung__attempt attempt;
    assert_int_equal(rung__attempt_begin("/proc/none", "a", "cuda", "abcd", &attempt), RUNG_IO);
    assert_int_equal(rung__attempt_end(&attempt, true), RUNG_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_test_folder)
    const struct CMUnitTest tests[] = {
        TEST(a_try_that_ends_leaves_nothing),
        TEST(two_deaths_in_a_row_and_it_is_refused),
        TEST(a_try_that_ended_well_forgets_the_death_before),
        TEST(another_fingerprint_begins_again),
        TEST(a_waiter_that_was_ended_is_no_strike),
        TEST(a_machine_that_went_down_in_a_try_is_a_strike),
        TEST(a_record_that_is_none_says_nothing),
        TEST(where_no_record_can_be_kept_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
