/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: what was found out of a library comes back as it was stored or not at all, and counts
 * only while its file, and for what does not load the loader's places, are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "folder_fixture.h"
#include "session/library_store.h"

static char folder[256];

static int set_up(void **state)
{
    const int made = make_test_folder(state);
    in_test_folder(folder, "state");
    return made;
}

static char cuda[] = "CUDAExecutionProvider", cpu[] = "CPUExecutionProvider", too_old[] = "too old";
static char *providers[] = {cuda, cpu};

static struct rung__known_library library_of(const char *path)
{
    struct rung__known_library library = {
        .runtime = &rung__runtimes[RUNG__RUNTIME_ORT],
        .path = (char *)path,
        .described = true,
        .fresh = true,
        .facts = {.file = (char *)path,
                  .version = "1.99.0",
                  .api = 29,
                  .providers = providers,
                  .provider_count = 2},
        .stamp = {.device = 1, .inode = 2, .size = 3, .modified_ns = 4, .changed_ns = 5},
    };
    memset(library.digest, 'a', sizeof library.digest - 1);
    return library;
}

static void put(struct rung__known_library *items, size_t count)
{
    const struct rung__libraries found = {items, count};
    if (rung__library_store_put(folder, &found) != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static void put_one(const char *path)
{
    struct rung__known_library library = library_of(path);
    put(&library, 1);
}

static void write_file(const char *text, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "%s/" RUNG__LIBRARY_FILE, folder);
    FILE *file = fopen(path, "w"); /* not synced: it is written thousands of times */
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void read_file(struct rung__buffer *to)
{
    char path[300];
    snprintf(path, sizeof path, "%s/" RUNG__LIBRARY_FILE, folder);
    assert_int_equal(rung__file_load(path, 1u << 20, to), RUNG_OK);
}

static rung_result read_result(void)
{
    struct rung__libraries found;
    const rung_result result = rung__library_store_read(folder, &found);
    rung__libraries_finish(&found);
    return result;
}

static void what_was_stored_comes_back(void **state)
{
    (void)state;
    struct rung__libraries found;
    struct rung__known_library items[] = {library_of("/a.so"), library_of("/b.so")};
    items[1].facts = (struct rung__library_facts){.result = RUNG_UNSUPPORTED, .reason = too_old};
    memset(items[1].places, 'b', sizeof items[1].places - 1);
    put(items, 2);
    assert_int_equal(rung__library_store_read(folder, &found), RUNG_OK);
    assert_int_equal(found.count, 2);
    const struct rung__known_library *good = &found.items[0], *bad = &found.items[1];
    assert_ptr_equal(good->runtime, items[0].runtime);
    assert_string_equal(good->facts.file, "/a.so");
    assert_string_equal(good->facts.version, "1.99.0");
    assert_int_equal(good->facts.api, 29);
    assert_memory_equal(&good->stamp, &items[0].stamp, sizeof good->stamp);
    assert_string_equal(good->digest, items[0].digest);
    assert_true(rung__library_is_usable(good));
    assert_true(rung__library_offers(&good->facts, "CUDAExecutionProvider"));
    assert_false(rung__library_offers(&good->facts, "CUDA"));
    assert_int_equal(bad->facts.result, RUNG_UNSUPPORTED);
    assert_string_equal(bad->facts.reason, "too old");
    assert_string_equal(bad->places, items[1].places);
    assert_false(rung__library_is_usable(bad));
    rung__libraries_finish(&found);
}

static void one_of_the_same_path_takes_the_place_of_the_other(void **state)
{
    (void)state;
    struct rung__libraries found;
    put_one("/a.so");
    put_one("/b.so");
    struct rung__known_library again = library_of("/a.so");
    again.facts.api = 14;
    put(&again, 1);
    assert_int_equal(rung__library_store_read(folder, &found), RUNG_OK);
    assert_int_equal(found.count, 2);
    assert_string_equal(found.items[0].path, "/b.so");
    assert_int_equal(found.items[1].facts.api, 14);
    rung__libraries_finish(&found);
}

static void of_too_many_the_oldest_goes(void **state)
{
    (void)state;
    struct rung__libraries found;
    char path[32];
    for (unsigned i = 0; i <= RUNG__LIBRARIES_MOST; i++) {
        snprintf(path, sizeof path, "/%u.so", i);
        put_one(path);
    }
    assert_int_equal(rung__library_store_read(folder, &found), RUNG_OK);
    assert_int_equal(found.count, RUNG__LIBRARIES_MOST);
    assert_string_equal(found.items[0].path, "/1.so");
    rung__libraries_finish(&found);
}

static void what_is_not_fresh_or_no_text_is_not_stored(void **state)
{
    (void)state;
    struct rung__libraries found;
    struct rung__known_library items[] = {library_of("/a.so"), library_of("/\xff.so")};
    items[0].fresh = false;
    put(items, 2);
    assert_int_equal(rung__library_store_read(folder, &found), RUNG_OK);
    assert_int_equal(found.count, 0);
    rung__libraries_finish(&found);
}

static void a_missing_file_is_no_failure_of_the_folder(void **state)
{
    (void)state;
    assert_int_equal(read_result(), RUNG_NOT_FOUND);
}

static void every_cut_of_the_file_is_refused(void **state)
{
    (void)state;
    struct rung__buffer whole = {0};
    put_one("/a.so");
    read_file(&whole);
    for (size_t size = 0; size + 1 < whole.size; size++) {
        write_file((const char *)whole.data, size);
        assert_int_equal(read_result(), RUNG_INTEGRITY);
    }
    rung__buffer_finish(&whole);
}

static void a_flipped_bit_anywhere_does_not_break_the_reader(void **state)
{
    (void)state;
    struct rung__buffer whole = {0};
    put_one("/a.so");
    read_file(&whole);
    for (size_t at = 0; at < whole.size; at++) {
        const unsigned bit = (unsigned)at * 5 % 8;
        whole.data[at] ^= (uint8_t)(1u << bit);
        write_file((const char *)whole.data, whole.size);
        const rung_result result = read_result();
        assert_true(result == RUNG_OK || result == RUNG_INTEGRITY);
        whole.data[at] ^= (uint8_t)(1u << bit);
    }
    rung__buffer_finish(&whole);
}

#define STAMP "\"device\":1,\"inode\":1,\"size\":1,\"modified_ns\":1,\"changed_ns\":1,"
#define HEAD  "{\"schema\":1,\"libraries\":[{\"runtime\":\"onnxruntime\",\"path\":\"/a\"," STAMP

static void what_is_foreign_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[]",
        "{}",
        "{\"schema\":2,\"libraries\":[]}",
        "{\"schema\":1,\"libraries\":{}}",
        "{\"schema\":1,\"libraries\":[],\"more\":1}",
        "{\"schema\":1,\"libraries\":[1]}",
        HEAD
        "\"digest\":\"xyz\",\"places\":\"\",\"outcome\":\"loads\",\"reason\":\"\",\"file\":\"\","
        "\"version\":\"1\",\"api\":1,\"providers\":[]}]}",
        HEAD "\"digest\":\"\",\"places\":\"\",\"outcome\":\"well\",\"reason\":\"\",\"file\":\"\","
             "\"version\":\"1\",\"api\":1,\"providers\":[]}]}",
        HEAD "\"digest\":\"\",\"places\":\"\",\"outcome\":\"loads\",\"reason\":\"\",\"file\":\"\","
             "\"version\":\"1\",\"api\":-1,\"providers\":[]}]}",
        HEAD "\"digest\":\"\",\"places\":\"\",\"outcome\":\"loads\",\"reason\":\"\",\"file\":\"\","
             "\"version\":\"1\",\"api\":1,\"providers\":[1]}]}",
        HEAD "\"digest\":\"\",\"places\":\"\",\"outcome\":\"loads\",\"reason\":\"\",\"file\":\"\","
             "\"version\":\"123456789012345678901234567890123\",\"api\":1,\"providers\":[]}]}",
    };
    put_one("/a.so");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file(texts[i], strlen(texts[i]));
        if (read_result() != RUNG_INTEGRITY)
            fail_msg("it was believed: %s", texts[i]);
    }
    put_one("/b.so"); /* what was there is no matter */
    assert_int_equal(read_result(), RUNG_OK);
}

static void a_folder_that_others_may_write_in_is_not_believed(void **state)
{
    (void)state;
    put_one("/a.so");
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(read_result(), RUNG_PERMISSION);
    struct rung__known_library library = library_of("/b.so");
    const struct rung__libraries found = {&library, 1};
    assert_int_equal(rung__library_store_put(folder, &found), RUNG_PERMISSION);
    assert_int_equal(chmod(folder, 0700), 0);
}

static void the_file_is_the_users_alone(void **state)
{
    (void)state;
    char path[300];
    struct stat info;
    put_one("/a.so");
    snprintf(path, sizeof path, "%s/" RUNG__LIBRARY_FILE, folder);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void another_file_or_another_link_is_another_state_of_the_places(void **state)
{
    (void)state;
    char before[RUNG__LIBRARY_PLACES], after[RUNG__LIBRARY_PLACES], path[300];
    assert_int_equal(rung__folder_make(folder), RUNG_OK);
    assert_int_equal(rung__library_places(folder, before), RUNG_OK);
    assert_int_equal(rung__library_places(folder, after), RUNG_OK);
    assert_string_equal(before, after);
    assert_int_equal(strlen(before), RUNG__LIBRARY_PLACES - 1);
    snprintf(path, sizeof path, "%s/libmore.so", folder);
    assert_int_equal(
        rung__file_save(path, (struct rung__bytes){(const uint8_t *)"x", 1}, 0600, true), RUNG_OK);
    assert_int_equal(rung__library_places(folder, after), RUNG_OK);
    assert_string_not_equal(before, after);
    assert_int_equal(rung__library_places(NULL, before), RUNG_OK);
    assert_string_not_equal(before, after);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_test_folder)
    const struct CMUnitTest tests[] = {
        TEST(what_was_stored_comes_back),
        TEST(one_of_the_same_path_takes_the_place_of_the_other),
        TEST(of_too_many_the_oldest_goes),
        TEST(what_is_not_fresh_or_no_text_is_not_stored),
        TEST(a_missing_file_is_no_failure_of_the_folder),
        TEST(every_cut_of_the_file_is_refused),
        TEST(a_flipped_bit_anywhere_does_not_break_the_reader),
        TEST(what_is_foreign_is_refused),
        TEST(a_folder_that_others_may_write_in_is_not_believed),
        TEST(the_file_is_the_users_alone),
        TEST(another_file_or_another_link_is_another_state_of_the_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
