/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a file appears whole, with its mode, or not at all; folders are made and listed. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder_fixture.h"

static struct rung__bytes bytes_of(const char *text)
{
    return (struct rung__bytes){(const uint8_t *)text, strlen(text)};
}

static void assert_holds(const char *path, const char *text)
{
    struct rung__buffer buffer;
    assert_int_equal(rung__file_load(path, 1000, &buffer), RUNG_OK);
    assert_int_equal(buffer.size, strlen(text));
    assert_memory_equal(buffer.data, text, buffer.size);
    rung__buffer_finish(&buffer);
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
}

static void the_mode_is_the_one_asked_for(void **state)
{
    (void)state;
    const mode_t umasks[] = {0, 022, 0777};
    const mode_t modes[] = {0600, 0644, 0755, 0400};
    char path[256];
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 4; j++) {
            mode_t before = umask(umasks[i]);
            rung_result result =
                rung__file_save(in_test_folder(path, "file"), bytes_of("x"), modes[j], true);
            umask(before);
            assert_int_equal(result, RUNG_OK);
            assert_int_equal(mode_of(path), modes[j]);
        }
    assert_int_equal(count_in_test_folder(), 1);
}

static void a_file_is_replaced_only_when_asked(void **state)
{
    (void)state;
    char path[256];
    in_test_folder(path, "file");
    assert_int_equal(rung__file_save(path, bytes_of("one"), 0600, false), RUNG_OK);
    assert_int_equal(rung__file_save(path, bytes_of("two"), 0600, false), RUNG_ALREADY_EXISTS);
    assert_non_null(strstr(rung_last_error(), path));
    assert_holds(path, "one");
    assert_int_equal(rung__file_save(path, bytes_of("three"), 0600, true), RUNG_OK);
    assert_holds(path, "three");
    assert_int_equal(count_in_test_folder(), 1);
}

static void nothing_shows_before_the_commit(void **state)
{
    (void)state;
    char path[256];
    struct rung__file_writer writer;
    in_test_folder(path, "file");
    assert_int_equal(rung__file_writer_begin(&writer, path, 0644), RUNG_OK);
    assert_int_equal(rung__file_writer_write(&writer, "half", 4), RUNG_OK);
    assert_int_equal(rung__path_kind(path), RUNG__PATH_MISSING);
    rung__file_writer_abort(&writer);
    rung__file_writer_abort(&writer);
    assert_int_equal(count_in_test_folder(), 0);
}

static void what_is_left_unsynced_replaces_whole(void **state)
{
    (void)state;
    char path[256];
    struct rung__file_writer writer;
    in_test_folder(path, "file");
    assert_int_equal(rung__file_save(path, bytes_of("old"), 0600, true), RUNG_OK);
    assert_int_equal(rung__file_writer_begin(&writer, path, 0600), RUNG_OK);
    assert_int_equal(rung__file_writer_write(&writer, "new", 3), RUNG_OK);
    assert_holds(path, "old");
    assert_int_equal(rung__file_writer_leave(&writer), RUNG_OK);
    assert_holds(path, "new");
    assert_int_equal(count_in_test_folder(), 1);
}

static void a_failed_write_leaves_nothing_behind(void **state)
{
    (void)state;
    char path[256], data[8192] = "";
    struct rung__file_writer writer;
    struct rlimit before, small;
    in_test_folder(path, "file");
    assert_int_equal(rung__file_save(path, bytes_of("old"), 0600, true), RUNG_OK);
    assert_int_equal(rung__file_writer_begin(&writer, path, 0600), RUNG_OK);

    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 4096;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    rung_result result = rung__file_writer_write(&writer, data, sizeof data);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);

    assert_int_equal(result, RUNG_IO);
    assert_non_null(strstr(rung_last_error(), path));
    rung__file_writer_abort(&writer);
    assert_int_equal(count_in_test_folder(), 1);
    assert_holds(path, "old");
}

static void a_failed_commit_leaves_nothing_behind(void **state)
{
    (void)state;
    char path[256];
    assert_int_equal(mkdir(in_test_folder(path, "folder"), 0700), 0);
    assert_int_equal(rung__file_save(path, bytes_of("x"), 0600, true), RUNG_IO);
    assert_int_equal(count_in_test_folder(), 1);
    assert_int_equal(rung__path_kind(path), RUNG__PATH_FOLDER);
}

static void a_bad_path_is_refused(void **state)
{
    (void)state;
    char path[256];
    assert_int_equal(rung__file_save(in_test_folder(path, "none/file"), bytes_of("x"), 0600, true),
                     RUNG_IO);
    assert_int_equal(rung__file_save(in_test_folder(path, ""), bytes_of("x"), 0600, true), RUNG_IO);
    assert_int_equal(rung__file_save("", bytes_of("x"), 0600, true), RUNG_IO);
    assert_int_equal(count_in_test_folder(), 0);
}

static void the_longest_name_can_be_written(void **state)
{
    (void)state;
    char name[256], path[512];
    for (size_t i = 0; i < 254; i += 2)
        memcpy(name + i, "\xc3\xa9", 3);
    memcpy(name + 254, "x", 2);
    snprintf(path, sizeof path, "%s/%s", test_folder, name);
    assert_int_equal(rung__file_save(path, bytes_of("x"), 0600, false), RUNG_OK);
    assert_holds(path, "x");
    assert_int_equal(count_in_test_folder(), 1);
}

static void a_link_is_replaced_and_not_followed(void **state)
{
    (void)state;
    char target[256], link[256];
    in_test_folder(target, "target");
    assert_int_equal(rung__file_save(target, bytes_of("old"), 0600, true), RUNG_OK);
    assert_int_equal(symlink(target, in_test_folder(link, "link")), 0);
    assert_int_equal(rung__file_save(link, bytes_of("new"), 0600, true), RUNG_OK);
    assert_holds(target, "old");
    assert_holds(link, "new");
}

static void folders_are_made_with_those_above(void **state)
{
    (void)state;
    char path[256], file[256];
    mode_t before = umask(0);
    rung_result result = rung__folder_make(in_test_folder(path, "a/b//c/"));
    umask(before);
    assert_int_equal(result, RUNG_OK);
    assert_int_equal(mode_of(path), 0700);
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(rung__folder_make(path), RUNG_OK);
    assert_int_equal(mode_of(path), 0755);
    assert_int_equal(rung__folder_make("/"), RUNG_OK);

    assert_int_equal(rung__file_save(in_test_folder(file, "file"), bytes_of("x"), 0600, true),
                     RUNG_OK);
    assert_int_equal(rung__folder_make(file), RUNG_IO);
    assert_int_equal(rung__folder_make(in_test_folder(path, "file/below")), RUNG_IO);
    assert_int_equal(rung__folder_make(""), RUNG_IO);
}

static void names_are_sorted_by_bytes(void **state)
{
    (void)state;
    const char *names[] = {"\xc3\xa9", "b", "a", "B", ".hidden"};
    const char *sorted[] = {".hidden", "B", "a", "b", "\xc3\xa9"};
    char path[256];
    struct rung__folder folder;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(rung__file_save(in_test_folder(path, names[i]), bytes_of(""), 0600, false),
                         RUNG_OK);
    assert_int_equal(rung__folder_list(test_folder, 5, &folder), RUNG_OK);
    assert_int_equal(folder.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(folder.names[i], sorted[i]);
    rung__folder_finish(&folder);

    assert_int_equal(rung__folder_list(test_folder, 4, &folder), RUNG_CAPACITY);
    assert_null(folder.names);
    assert_int_equal(rung__folder_list(in_test_folder(path, "none"), 4, &folder), RUNG_NOT_FOUND);
    assert_int_equal(rung__folder_list(in_test_folder(path, "a"), 4, &folder), RUNG_IO);
}

static void a_path_has_a_kind(void **state)
{
    (void)state;
    char path[256], link[256];
    assert_int_equal(rung__path_kind(test_folder), RUNG__PATH_FOLDER);
    assert_int_equal(rung__path_kind("/dev/null"), RUNG__PATH_OTHER);
    assert_int_equal(symlink(in_test_folder(path, "file"), in_test_folder(link, "link")), 0);
    assert_int_equal(rung__path_kind(link), RUNG__PATH_MISSING);
    assert_int_equal(rung__file_save(path, bytes_of("x"), 0600, true), RUNG_OK);
    assert_int_equal(rung__path_kind(link), RUNG__PATH_FILE);
    assert_int_equal(rung__path_kind(in_test_folder(path, "file/below")), RUNG__PATH_MISSING);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_test_folder, remove_test_folder)
    const struct CMUnitTest tests[] = {
        TEST(the_mode_is_the_one_asked_for),
        TEST(a_file_is_replaced_only_when_asked),
        TEST(nothing_shows_before_the_commit),
        TEST(what_is_left_unsynced_replaces_whole),
        TEST(a_failed_write_leaves_nothing_behind),
        TEST(a_failed_commit_leaves_nothing_behind),
        TEST(a_bad_path_is_refused),
        TEST(the_longest_name_can_be_written),
        TEST(a_link_is_replaced_and_not_followed),
        TEST(folders_are_made_with_those_above),
        TEST(names_are_sorted_by_bytes),
        TEST(a_path_has_a_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
