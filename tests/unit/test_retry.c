/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: what comes to no end is not begun again at once, and rarer each time; never for good.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "folder_fixture.h"
#include "ladder/retry.h"

#define HOUR INT64_C(3600)

static char folder[256], note[300];

static int set_up(void **state)
{
    const int made = make_test_folder(state);
    in_test_folder(folder, "state");
    snprintf(note, sizeof note, "%s/%s", folder, RUNG__RETRY_FILE);
    return made;
}

static bool is_due(const char *fingerprint)
{
    bool due = false;
    if (rung__retry_begin(folder, fingerprint, &due) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    return due;
}

static void write_note(const char *text)
{
    FILE *file = fopen(note, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/** Makes the last try one of `seconds` ago, and of `tries` in a row. */
static void age(unsigned tries, int64_t seconds)
{
    char text[1024], digest[65] = "", changed[1024];
    FILE *file = fopen(note, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    const char *at = strstr(text, "\"fingerprint\":\"");
    assert_non_null(at);
    snprintf(digest, sizeof digest, "%.64s", at + strlen("\"fingerprint\":\""));
    snprintf(changed, sizeof changed,
             "{\"schema\":1,\"fingerprint\":\"%s\",\"tries\":%u,\"time\":%" PRId64 "}", digest,
             tries, (int64_t)time(NULL) - seconds);
    write_note(changed);
}

static void a_second_try_waits(void **state)
{
    (void)state;
    assert_true(is_due("a device"));
    assert_false(is_due("a device"));
    age(1, HOUR - 60);
    assert_false(is_due("a device"));
    age(1, HOUR + 60);
    assert_true(is_due("a device"));
    assert_false(is_due("a device"));
}

static void pauses_grow_up_to_a_week(void **state)
{
    static const struct {
        unsigned tries;
        int64_t hours;
    } rows[] = {{2, 4}, {3, 16}, {4, 64}, {5, 168}, {99, 168}};
    (void)state;
    assert_true(is_due("a device"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        age(rows[i].tries, rows[i].hours * HOUR - 60);
        assert_false(is_due("a device"));
        age(rows[i].tries, rows[i].hours * HOUR + 60);
        assert_true(is_due("a device"));
    }
}

static void another_device_need_not_wait(void **state)
{
    (void)state;
    assert_true(is_due("a device"));
    assert_true(is_due("the same with a newer driver"));
    assert_true(is_due("a device"));
}

static void what_came_to_its_end_is_forgotten(void **state)
{
    (void)state;
    assert_true(is_due("a device"));
    rung__retry_forget(folder);
    assert_true(is_due("a device"));
}

static void a_wrong_clock_stops_nothing(void **state)
{
    (void)state;
    assert_true(is_due("a device"));
    age(5, -24 * HOUR);
    assert_true(is_due("a device"));
}

static void a_note_that_cannot_be_read_is_none(void **state)
{
    static const char *const texts[] = {"", "{", "[]", "{\"schema\":1}", "{\"schema\":2}"};
    (void)state;
    assert_true(is_due("a device"));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_note(texts[i]);
        assert_true(is_due("a device"));
    }
}

static void a_folder_of_others_is_not_used(void **state)
{
    bool due = true;
    (void)state;
    assert_true(is_due("a device"));
    rung__retry_forget(folder);
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(rung__retry_begin(folder, "a device", &due), RUNG_PERMISSION);
    assert_false(due);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_test_folder)
    const struct CMUnitTest tests[] = {
        TEST(a_second_try_waits),
        TEST(pauses_grow_up_to_a_week),
        TEST(another_device_need_not_wait),
        TEST(what_came_to_its_end_is_forgotten),
        TEST(a_wrong_clock_stops_nothing),
        TEST(a_note_that_cannot_be_read_is_none),
        TEST(a_folder_of_others_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
