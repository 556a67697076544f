/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: two deaths in a row and a rung is not tried again; nothing else counts as one. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

static struct rung__attempt begin(const char *fingerprint, const char *rung,
                                  enum rung__try_kind kind)
{
    struct rung__attempt attempt;
    const struct rung__try what = {folder, fingerprint, rung, "abcd", kind};
    if (rung__attempt_begin(&what, &attempt) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    return attempt;
}

static bool is_refused(const char *fingerprint, const char *rung)
{
    struct rung__attempt attempt = begin(fingerprint, rung, RUNG__TRY_BUILD);
    const bool refused = attempt.refused;
    assert_int_equal(rung__attempt_end(&attempt, false), RUNG_OK);
    return refused;
}

/** A child of a probe that dies. */
static void die(const char *fingerprint)
{
    struct rung__attempt attempt = begin(fingerprint, "cuda", RUNG__TRY_PROBE);
    assert_false(attempt.refused);
    assert_int_equal(rung__attempt_end(&attempt, true), RUNG_OK);
}

static void attempt_file(char path[300], const char *end)
{
    snprintf(path, 300, "%s/attempts/cuda-abcd%s", folder, end);
}

static void strike_file(char path[300])
{
    snprintf(path, 300, "%s/strikes/cuda-abcd.json", folder);
}

static bool exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

static void write_file(const char *path, const char *text)
{
    assert_int_equal(rung__file_save(path,
                                     (struct rung__bytes){(const uint8_t *)text, strlen(text)},
                                     0600, true),
                     RUNG_OK);
}

/** Changes a word of the record of a try. */
static void change_record(const char *word, const char *other)
{
    struct rung__buffer text = {0};
    char path[300], changed[4096];
    attempt_file(path, ".json");
    assert_int_equal(rung__file_load(path, 4096, &text), RUNG_OK);
    assert_int_equal(rung__buffer_append(&text, "", 1), RUNG_OK);
    const char *at = strstr((const char *)text.data, word);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - (const char *)text.data),
             (const char *)text.data, other, at + strlen(word));
    write_file(path, changed);
    rung__buffer_finish(&text);
}

enum ending { KILLED, EXITS, HEARS_OF_A_SIGNAL };

/** A process that ends in the middle of a try. */
static void end_in_the_middle(enum rung__try_kind kind, enum ending ending)
{
    const pid_t child = fork();
    int status;
    assert_true(child >= 0);
    if (child == 0) {
        (void)begin("a", "cuda", kind);
        if (ending == EXITS)
            exit(3);
        if (ending == HEARS_OF_A_SIGNAL)
            rung__cancel_all();
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(ending == EXITS ? WIFEXITED(status) : WIFSIGNALED(status));
}

static void a_try_that_ends_leaves_nothing(void **state)
{
    (void)state;
    struct stat status;
    char path[300], lock[300];
    attempt_file(path, ".json");
    attempt_file(lock, ".lock");
    struct rung__attempt attempt = begin("a", "cuda", RUNG__TRY_BUILD);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(rung__attempt_end(&attempt, false), RUNG_OK);
    assert_false(exists(path) || exists(lock));
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

static void a_process_that_dies_in_a_build_is_a_strike(void **state)
{
    (void)state;
    end_in_the_middle(RUNG__TRY_BUILD, KILLED);
    end_in_the_middle(RUNG__TRY_BUILD, KILLED);
    assert_true(is_refused("a", "cuda"));
}

static void one_that_exits_or_is_interrupted_is_none(void **state)
{
    (void)state;
    char path[300];
    attempt_file(path, ".json");
    for (int i = 0; i < 3; i++) {
        end_in_the_middle(RUNG__TRY_BUILD, EXITS);
        assert_false(exists(path));
        end_in_the_middle(RUNG__TRY_BUILD, HEARS_OF_A_SIGNAL);
        assert_false(exists(path));
    }
    assert_false(is_refused("a", "cuda"));
}

static void an_interruption_does_not_forget_the_death_before(void **state)
{
    (void)state;
    end_in_the_middle(RUNG__TRY_BUILD, KILLED);
    end_in_the_middle(RUNG__TRY_BUILD, EXITS);
    end_in_the_middle(RUNG__TRY_BUILD, KILLED);
    assert_true(is_refused("a", "cuda"));
}

static void a_waiter_that_was_ended_is_no_strike(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        end_in_the_middle(RUNG__TRY_PROBE, KILLED);
    assert_false(is_refused("a", "cuda"));
}

static void a_machine_that_went_down_in_a_try_is_a_strike(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        end_in_the_middle(RUNG__TRY_PROBE, KILLED);
        change_record("\"boot\":\"", "\"boot\":\"other");
    }
    assert_true(is_refused("a", "cuda"));
}

static void a_try_on_its_way_elsewhere_is_no_death(void **state)
{
    (void)state;
    char path[300];
    attempt_file(path, ".json");
    struct rung__attempt first = begin("a", "cuda", RUNG__TRY_BUILD);
    for (int i = 0; i < 3; i++)
        assert_false(is_refused("a", "cuda"));
    assert_int_equal(rung__attempts_settle(folder), RUNG_OK);
    assert_true(exists(path));
    assert_int_equal(rung__attempt_end(&first, false), RUNG_OK);
    assert_false(exists(path));
}

static void what_the_dead_left_is_counted_once(void **state)
{
    (void)state;
    struct rung__strike *strikes;
    uint32_t count;
    assert_int_equal(rung__attempts_settle(folder), RUNG_OK);
    assert_int_equal(rung__strikes_list(folder, &strikes, &count), RUNG_OK);
    assert_int_equal(count, 0);
    free(strikes);
    end_in_the_middle(RUNG__TRY_BUILD, KILLED);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rung__attempts_settle(folder), RUNG_OK);
    assert_int_equal(rung__strikes_list(folder, &strikes, &count), RUNG_OK);
    assert_int_equal(count, 1);
    assert_string_equal(strikes[0].rung, "cuda");
    assert_string_equal(strikes[0].model, "abcd");
    assert_int_equal(strikes[0].kind, RUNG__TRY_BUILD);
    assert_int_equal(strikes[0].strikes, 1);
    assert_true(strikes[0].time > 0);
    free(strikes);
}

static const char other_try[] =
    "{\"schema\":1,\"rung\":\"cuda\",\"model\":\"abcd\",\"fingerprint\":\"a\",\"what\":\"other\","
    "\"strikes\":2,\"time\":1}";
static const char *const contents[] = {
    "", "{", "[]", "{\"schema\":1}", "{\"schema\":2}", other_try,
};

static void a_record_that_is_none_says_nothing(void **state)
{
    (void)state;
    char path[300];
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        die("a");
        die("a");
        strike_file(path);
        write_file(path, contents[i]);
        attempt_file(path, ".json");
        write_file(path, contents[i]);
        assert_int_equal(rung__attempts_settle(folder), RUNG_OK);
        assert_false(is_refused("a", "cuda"));
    }
}

static void where_no_record_can_be_kept_it_says_so(void **state)
{
    (void)state;
    struct rung__attempt attempt;
    const struct rung__try what = {"/proc/none", "a", "cuda", "abcd", RUNG__TRY_PROBE};
    assert_int_equal(rung__attempt_begin(&what, &attempt), RUNG_IO);
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
        TEST(a_process_that_dies_in_a_build_is_a_strike),
        TEST(one_that_exits_or_is_interrupted_is_none),
        TEST(an_interruption_does_not_forget_the_death_before),
        TEST(a_waiter_that_was_ended_is_no_strike),
        TEST(a_machine_that_went_down_in_a_try_is_a_strike),
        TEST(a_try_on_its_way_elsewhere_is_no_death),
        TEST(what_the_dead_left_is_counted_once),
        TEST(a_record_that_is_none_says_nothing),
        TEST(where_no_record_can_be_kept_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
