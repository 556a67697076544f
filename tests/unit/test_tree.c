/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: below an open folder no link is followed; a private folder is the user's alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/tree.h"
#include "folder_fixture.h"

static struct rung__tree root;

static void make_file(const char *name)
{
    char path[256];
    const struct rung__bytes text = {(const uint8_t *)name, strlen(name)};
    assert_int_equal(rung__file_save(in_test_folder(path, name), text, 0644, true), RUNG_OK);
}

static void make_folder(const char *name)
{
    char path[256];
    assert_int_equal(rung__folder_make(in_test_folder(path, name)), RUNG_OK);
}

static void make_link(const char *target, const char *name)
{
    char path[256];
    assert_int_equal(symlink(target, in_test_folder(path, name)), 0);
}

static int set_up(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    make_folder("a/b/c");
    make_file("a/b/c/file");
    make_file("plain");
    return rung__tree_open(test_folder, &root) == RUNG_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    rung__tree_close(&root);
    return remove_test_folder(state);
}

static void assert_error_has(const char *part)
{
    if (!strstr(rung_last_error(), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rung_last_error());
}

static rung_result try_file(const char *path)
{
    struct rung__file file;
    rung_result result = rung__tree_open_file(&root, path, &file);
    if (result == RUNG_OK)
        rung__file_close(&file);
    return result;
}

static rung_result try_folder(const char *path)
{
    struct rung__tree folder;
    rung_result result = rung__tree_enter(&root, path, &folder);
    if (result == RUNG_OK)
        rung__tree_close(&folder);
    return result;
}

static rung_result try_look(const char *name)
{
    struct rung__tree_entry entry;
    return rung__tree_look(&root, name, &entry);
}

static void what_lies_below_is_reached_by_its_path(void **state)
{
    (void)state;
    struct rung__tree folder;
    struct rung__file file;
    struct rung__folder names;
    char content[16];
    assert_int_equal(rung__tree_open_file(&root, "a/b/c/file", &file), RUNG_OK);
    assert_int_equal(file.stamp.size, strlen("a/b/c/file"));
    assert_int_equal(rung__file_read(&file, 0, content, strlen("a/b/c/file")), RUNG_OK);
    assert_memory_equal(content, "a/b/c/file", strlen("a/b/c/file"));
    assert_true(rung__file_is_unchanged(&file));
    rung__file_close(&file);

    assert_int_equal(rung__tree_enter(&root, "a/b", &folder), RUNG_OK);
    assert_int_equal(rung__tree_list(&folder, 1, &names), RUNG_OK);
    assert_int_equal(names.count, 1);
    assert_string_equal(names.names[0], "c");
    rung__folder_finish(&names);
    rung__tree_close(&folder);
}

static void a_folder_stays_the_same_when_it_gets_another_name(void **state)
{
    (void)state;
    struct rung__tree folder;
    struct rung__file file;
    char from[256], to[256];
    assert_int_equal(rung__tree_enter(&root, "a/b", &folder), RUNG_OK);
    assert_int_equal(rung__folder_rename(in_test_folder(from, "a/b"), in_test_folder(to, "moved")),
                     RUNG_OK);
    assert_int_equal(rung__tree_open_file(&folder, "c/file", &file), RUNG_OK);
    rung__file_close(&file);
    rung__tree_close(&folder);
}

static void names_are_listed_again_and_again_in_order(void **state)
{
    (void)state;
    struct rung__folder names;
    make_file("Z");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rung__tree_list(&root, 3, &names), RUNG_OK);
        assert_int_equal(names.count, 3);
        assert_string_equal(names.names[0], "Z");
        assert_string_equal(names.names[2], "plain");
        rung__folder_finish(&names);
    }
    assert_int_equal(rung__tree_list(&root, 2, &names), RUNG_CAPACITY);
    assert_int_equal(names.count, 0);
}

static void links_are_not_followed_at_any_place_of_a_path(void **state)
{
    (void)state;
    make_link("plain", "to-file");
    make_link("a", "to-folder");
    make_link("../../a/b", "a/b/up");
    static const char *const files[] = {"to-file", "to-folder/b/c/file", "a/b/up/c/file"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        assert_int_equal(try_file(files[i]), RUNG_INTEGRITY);
        assert_error_has("symbolic link");
    }
    assert_int_equal(try_folder("to-folder"), RUNG_INTEGRITY);
    assert_int_equal(try_folder("a/b/up/c"), RUNG_INTEGRITY);
    assert_int_equal(try_look("to-file"), RUNG_INTEGRITY);
    assert_int_equal(try_look("to-folder"), RUNG_INTEGRITY);
}

static void files_of_two_names_are_refused(void **state)
{
    (void)state;
    char from[256], to[256];
    assert_int_equal(link(in_test_folder(from, "plain"), in_test_folder(to, "second")), 0);
    assert_int_equal(try_file("plain"), RUNG_INTEGRITY);
    assert_error_has("hard link");
    assert_int_equal(try_look("second"), RUNG_INTEGRITY);
    assert_int_equal(unlink(to), 0);
    assert_int_equal(try_file("plain"), RUNG_OK);
}

static void what_is_something_else_is_refused_and_what_is_missing_not_found(void **state)
{
    (void)state;
    char path[256];
    assert_int_equal(mkfifo(in_test_folder(path, "fifo"), 0600), 0);
    assert_int_equal(try_file("fifo"), RUNG_INTEGRITY);
    assert_error_has("FIFO");
    assert_int_equal(try_look("fifo"), RUNG_INTEGRITY);
    assert_int_equal(try_file("a"), RUNG_INTEGRITY);
    assert_error_has("a folder");
    assert_int_equal(try_folder("plain"), RUNG_INTEGRITY);
    assert_int_equal(try_file("plain/x"), RUNG_INTEGRITY);
    assert_int_equal(try_file("none"), RUNG_NOT_FOUND);
    assert_int_equal(try_folder("a/none/c"), RUNG_NOT_FOUND);
    assert_int_equal(try_look("none"), RUNG_NOT_FOUND);
    assert_int_equal(try_folder("a//b"), RUNG_IO);
    assert_int_equal(try_folder("/"), RUNG_IO);
    struct rung__tree folder;
    assert_int_equal(rung__tree_open(in_test_folder(path, "none"), &folder), RUNG_NOT_FOUND);
    assert_int_equal(rung__tree_open(in_test_folder(path, "plain"), &folder), RUNG_IO);
}

static void a_private_folder_lets_nobody_else_write(void **state)
{
    (void)state;
    char path[256], link_path[256];
    in_test_folder(path, "a/b");
    assert_int_equal(rung__folder_check_private(path), RUNG_OK);
    static const mode_t modes[] = {0720, 0702, 01777};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_int_equal(rung__folder_check_private(path), RUNG_PERMISSION);
    }
    assert_int_equal(chmod(path, 0700), 0);
    make_link("b", "a/link");
    assert_int_equal(rung__folder_check_private(in_test_folder(link_path, "a/link")),
                     RUNG_PERMISSION);
    assert_error_has("symbolic link");
    assert_int_equal(chmod(in_test_folder(link_path, "a"), 0777), 0);
    assert_int_equal(rung__folder_check_private(path), RUNG_PERMISSION);
    assert_error_has("replace");
    assert_int_equal(chmod(link_path, 01777), 0);
    assert_int_equal(rung__folder_check_private(path), RUNG_OK);
    assert_int_equal(rung__folder_check_private(in_test_folder(path, "none")), RUNG_IO);
}

static void a_private_folder_belongs_to_the_user(void **state)
{
    (void)state;
    char path[256];
    if (geteuid() != 0)
        skip();
    assert_int_equal(chown(in_test_folder(path, "a/b"), 12345, 12345), 0);
    assert_int_equal(rung__folder_check_private(path), RUNG_PERMISSION);
    assert_int_equal(rung__folder_check_private(in_test_folder(path, "a/b/c")), RUNG_PERMISSION);
}

static void removing_takes_all_of_it_and_nothing_that_links_lead_to(void **state)
{
    (void)state;
    char path[256];
    make_link("../plain", "a/link");
    make_link("/", "a/b/everything");
    assert_int_equal(chmod(in_test_folder(path, "a/b/c/file"), 0400), 0);
    assert_int_equal(rung__folder_remove(in_test_folder(path, "a")), RUNG_OK);
    assert_int_equal(rung__path_kind(path), RUNG__PATH_MISSING);
    assert_int_equal(try_file("plain"), RUNG_OK);
    assert_int_equal(rung__folder_remove(path), RUNG_OK);
    assert_int_equal(rung__folder_remove(in_test_folder(path, "plain/x")), RUNG_IO);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(what_lies_below_is_reached_by_its_path),
        IN_FOLDER(a_folder_stays_the_same_when_it_gets_another_name),
        IN_FOLDER(names_are_listed_again_and_again_in_order),
        IN_FOLDER(links_are_not_followed_at_any_place_of_a_path),
        IN_FOLDER(files_of_two_names_are_refused),
        IN_FOLDER(what_is_something_else_is_refused_and_what_is_missing_not_found),
        IN_FOLDER(a_private_folder_lets_nobody_else_write),
        IN_FOLDER(a_private_folder_belongs_to_the_user),
        IN_FOLDER(removing_takes_all_of_it_and_nothing_that_links_lead_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
