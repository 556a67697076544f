/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a verdict comes back as it was stored or not at all, and only while all it depends on
 * is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "folder_fixture.h"
#include "ladder/store.h"

static char folder[256];

static int set_up(void **state)
{
    const int made = make_test_folder(state);
    in_test_folder(folder, "state");
    return made;
}

static struct rung__verdict verdict_of(const char *model, const char *name)
{
    struct rung__verdict verdict = {.threads = 2, .rung_count = 2};
    snprintf(verdict.model, sizeof verdict.model, "%s", model);
    snprintf(verdict.name, sizeof verdict.name, "%s", name);
    snprintf(verdict.rungs[0].rung, sizeof verdict.rungs[0].rung, "cuda");
    rung__outcome_set(&verdict.rungs[0].outcome, RUNG__OUTCOME_CRASHED, "killed by signal %d", 11);
    snprintf(verdict.rungs[1].rung, sizeof verdict.rungs[1].rung, "ort-cpu");
    rung__outcome_set(&verdict.rungs[1].outcome, RUNG__OUTCOME_CHOSEN, "12.3 ms");
    verdict.rungs[1].outcome.runs = 5;
    verdict.rungs[1].outcome.median_ns = 12300000;
    verdict.rungs[1].outcome.peak_bytes = UINT64_C(1) << 40;
    verdict.rungs[1].outcome.threads = 3;
    return verdict;
}

static void put(const char *fingerprint, const char *model, const char *name)
{
    const struct rung__verdict verdict = verdict_of(model, name);
    if (rung__store_put(folder, fingerprint, &verdict) != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static void write_file(const char *text, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "%s/" RUNG__STORE_FILE, folder);
    assert_int_equal(
        rung__file_save(path, (struct rung__bytes){(const uint8_t *)text, size}, 0600, true),
        RUNG_OK);
}

static rung_result read_result(void)
{
    struct rung__store store;
    const rung_result result = rung__store_read(folder, &store);
    rung__store_finish(&store);
    return result;
}

static void what_was_stored_comes_back(void **state)
{
    (void)state;
    struct rung__store store;
    put("a=1\n", "aa", "first");
    assert_int_equal(rung__store_read(folder, &store), RUNG_OK);
    assert_string_equal(store.fingerprint, "a=1\n");
    const struct rung__verdict *found = rung__store_find(&store, "aa");
    const struct rung__verdict expected = verdict_of("aa", "first");
    assert_non_null(found);
    assert_memory_equal(found, &expected, sizeof expected);
    assert_int_equal(rung__verdict_chosen(found), 1);
    assert_int_equal(rung__verdict_of(found, "cuda")->kind, RUNG__OUTCOME_CRASHED);
    assert_null(rung__verdict_of(found, "webgpu"));
    assert_null(rung__store_find(&store, "bb"));
    rung__store_finish(&store);
}

static void other_models_add_and_do_not_replace(void **state)
{
    (void)state;
    struct rung__store store;
    put("a=1\n", "aa", "first");
    put("a=1\n", "bb", "second");
    put("a=1\n", "aa", "again");
    assert_int_equal(rung__store_read(folder, &store), RUNG_OK);
    assert_int_equal(store.count, 2);
    assert_string_equal(store.verdicts[0].name, "again");
    assert_string_equal(store.verdicts[1].name, "second");
    rung__store_finish(&store);
}

static void another_fingerprint_drops_all_that_was(void **state)
{
    (void)state;
    struct rung__store store;
    put("a=1\n", "aa", "first");
    put("a=2\n", "bb", "second");
    assert_int_equal(rung__store_read(folder, &store), RUNG_OK);
    assert_int_equal(store.count, 1);
    assert_string_equal(store.fingerprint, "a=2\n");
    assert_string_equal(store.verdicts[0].model, "bb");
    rung__store_finish(&store);
}

static void of_too_many_models_the_oldest_but_the_first_goes(void **state)
{
    (void)state;
    struct rung__store store;
    char model[16];
    for (uint32_t i = 0; i <= RUNG__VERDICTS; i++) {
        snprintf(model, sizeof model, "%04u", i);
        put("a=1\n", model, "x");
    }
    assert_int_equal(rung__store_read(folder, &store), RUNG_OK);
    assert_int_equal(store.count, RUNG__VERDICTS);
    assert_string_equal(store.verdicts[0].model, "0000");
    assert_string_equal(store.verdicts[1].model, "0002");
    rung__store_finish(&store);
}

static void without_a_file_there_is_no_verdict(void **state)
{
    (void)state;
    assert_int_equal(read_result(), RUNG_NOT_FOUND);
}

static void a_file_cut_anywhere_is_a_missing_verdict(void **state)
{
    (void)state;
    struct rung__buffer whole = {0};
    char path[300];
    put("a=1\n", "aa", "first");
    snprintf(path, sizeof path, "%s/" RUNG__STORE_FILE, folder);
    assert_int_equal(rung__file_load(path, 1 << 20, &whole), RUNG_OK);
    for (size_t size = 0; size + 1 < whole.size; size++) {
        write_file((const char *)whole.data, size);
        assert_int_equal(read_result(), RUNG_INTEGRITY);
    }
    rung__buffer_finish(&whole);
}

static void foreign_content_is_a_missing_verdict_and_is_replaced(void **state)
{
    (void)state;
    static const char *const foreign[] = {
        "[]",
        "{}",
        "{\"schema\":2,\"fingerprint\":\"\",\"models\":[]}",
        "{\"schema\":1,\"fingerprint\":\"\",\"models\":[]}",
        "{\"schema\":1,\"fingerprint\":\"\",\"models\":[[]]}",
        "{\"schema\":1,\"fingerprint\":7,\"models\":[{}]}",
        "{\"schema\":1,\"fingerprint\":\"\",\"models\":[{\"model\":\"a\",\"name\":\"b\","
        "\"threads\":1,"
        "\"rungs\":[{\"rung\":\"ort-cpu\",\"outcome\":\"best\"}]}]}",
        "\x7f"
        "ELF",
    };
    put("a=1\n", "aa", "first");
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        write_file(foreign[i], strlen(foreign[i]));
        assert_int_equal(read_result(), RUNG_INTEGRITY);
    }
    put("a=1\n", "aa", "first");
    assert_int_equal(read_result(), RUNG_OK);
}

static void a_folder_that_others_may_write_in_is_not_believed(void **state)
{
    (void)state;
    put("a=1\n", "aa", "first");
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(read_result(), RUNG_PERMISSION);
    const struct rung__verdict verdict = verdict_of("aa", "first");
    assert_int_equal(rung__store_put(folder, "a=1\n", &verdict), RUNG_PERMISSION);
}

static void the_folder_and_the_file_are_the_users_alone(void **state)
{
    (void)state;
    struct stat status;
    char path[300];
    put("a=1\n", "aa", "first");
    snprintf(path, sizeof path, "%s/" RUNG__STORE_FILE, folder);
    assert_int_equal(stat(folder, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void where_no_folder_can_be_made_nothing_is_stored(void **state)
{
    (void)state;
    const struct rung__verdict verdict = verdict_of("aa", "first");
    assert_int_equal(rung__store_put("/proc/none/rung", "a=1\n", &verdict), RUNG_IO);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_test_folder)
    const struct CMUnitTest tests[] = {
        TEST(what_was_stored_comes_back),
        TEST(other_models_add_and_do_not_replace),
        TEST(another_fingerprint_drops_all_that_was),
        TEST(of_too_many_models_the_oldest_but_the_first_goes),
        TEST(without_a_file_there_is_no_verdict),
        TEST(a_file_cut_anywhere_is_a_missing_verdict),
        TEST(foreign_content_is_a_missing_verdict_and_is_replaced),
        TEST(a_folder_that_others_may_write_in_is_not_believed),
        TEST(the_folder_and_the_file_are_the_users_alone),
        TEST(where_no_folder_can_be_made_nothing_is_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
