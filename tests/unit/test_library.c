/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a library that is missing and one that does not load are told apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <openssl/crypto.h>

#include "base/library.h"
#include "folder_fixture.h"

/* ISO C has no cast from a function to data. */
static char *path_of_code(void (*function)(void))
{
    void *address;
    memcpy(&address, &function, sizeof address);
    return rung__library_path_of(address);
}

static void an_open_library_gives_its_symbols(void **state)
{
    (void)state;
    char *path = path_of_code((void (*)(void))OpenSSL_version_num);
    struct rung__library library;
    assert_non_null(path);
    assert_int_equal(path[0], '/');
    assert_non_null(strstr(path, "crypto"));
    assert_int_equal(rung__library_open(path, &library), RUNG_OK);
    assert_non_null(rung__library_symbol(&library, "OpenSSL_version_num"));
    assert_null(rung__library_symbol(&library, "rung_has_no_such_symbol"));
    free(path);
}

static void a_missing_library_is_not_found(void **state)
{
    (void)state;
    char path[256];
    struct rung__library library;
    assert_int_equal(rung__library_open(in_test_folder(path, "none.so"), &library), RUNG_NOT_FOUND);
    assert_non_null(strstr(rung_last_error(), path));
    assert_null(library.handle);
    assert_int_equal(rung__library_open("librung-none.so.99", &library), RUNG_NOT_FOUND);
}

static void a_bad_library_has_the_loaders_reason(void **state)
{
    (void)state;
    char path[256];
    struct rung__library library;
    struct rung__bytes bytes = {(const uint8_t *)"no library at all", 17};
    assert_int_equal(rung__file_save(in_test_folder(path, "bad.so"), bytes, 0600, true), RUNG_OK);
    assert_int_equal(rung__library_open(path, &library), RUNG_BACKEND);
    assert_non_null(strstr(rung_last_error(), path));
    assert_int_equal(rung__library_open(test_folder, &library), RUNG_BACKEND);
    assert_int_equal(mkfifo(in_test_folder(path, "fifo.so"), 0600), 0);
    assert_int_equal(rung__library_open(path, &library), RUNG_BACKEND); /* without waiting */
}

static int some_data;

static void code_and_data_have_a_file(void **state)
{
    (void)state;
    char here[4096];
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    if (length < 0)
        skip();
    here[length] = 0;
    char *of_data = rung__library_path_of(&some_data);
    char *of_code = path_of_code((void (*)(void))code_and_data_have_a_file);
    assert_string_equal(of_data, here);
    assert_string_equal(of_code, here);
    free(of_data);
    free(of_code);
    assert_null(rung__library_path_of(here)); /* the stack */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_test_folder, remove_test_folder)
    const struct CMUnitTest tests[] = {
        TEST(an_open_library_gives_its_symbols),
        TEST(a_missing_library_is_not_found),
        TEST(a_bad_library_has_the_loaders_reason),
        TEST(code_and_data_have_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
