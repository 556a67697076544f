/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: only regular files are opened, without waiting; reading is exact and bounded. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder_fixture.h"

static void assert_error_has(const char *part)
{
    if (!strstr(rung_last_error(), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rung_last_error());
}

static struct rung__bytes bytes_of(const char *text)
{
    return (struct rung__bytes){(const uint8_t *)text, strlen(text)};
}

static void save(const char *path, const char *text, uint32_t mode)
{
    assert_int_equal(rung__file_save(path, bytes_of(text), mode, true), RUNG_OK);
}

static void assert_holds(const char *path, const char *text)
{
    struct rung__buffer buffer;
    assert_int_equal(rung__file_load(path, 1000, &buffer), RUNG_OK);
    assert_int_equal(buffer.size, strlen(text));
    assert_memory_equal(buffer.data, text, buffer.size);
    rung__buffer_finish(&buffer);
}

static void assert_refused(const char *path, const char *why)
{
    struct rung__file file;
    assert_int_equal(rung__file_open(path, &file), RUNG_IO);
    assert_error_has(path);
    assert_error_has(why);
    assert_int_equal(file.handle, 0);
    rung__file_close(&file);
}

static void only_regular_files_are_opened(void **state)
{
    (void)state;
    char path[256];
    assert_refused(test_folder, "is a folder");
    assert_refused("/dev/null", "is a character device");
    assert_refused(in_test_folder(path, "none"), "No such file");

    assert_int_equal(mkfifo(in_test_folder(path, "fifo"), 0600), 0);
    assert_refused(path, "is a FIFO"); /* and does not wait for a writer */
    char link[256];
    assert_int_equal(symlink(path, in_test_folder(link, "link")), 0);
    assert_refused(link, "is a FIFO");

    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    memcpy(address.sun_path, in_test_folder(path, "socket"), sizeof address.sun_path - 1);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_refused(path, "is a socket");
    close(listener);
}

static void a_link_to_a_file_is_followed(void **state)
{
    (void)state;
    char path[256], link[256];
    save(in_test_folder(path, "file"), "content", 0600);
    assert_int_equal(symlink(path, in_test_folder(link, "link")), 0);
    assert_holds(link, "content");
}

static void no_descriptor_is_a_standard_stream(void **state)
{
    (void)state;
    char path[256];
    save(in_test_folder(path, "file"), "content", 0600);
    int input = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    struct rung__file file;
    rung_result result = rung__file_open(path, &file);
    dup2(input, STDIN_FILENO);
    close(input);
    assert_int_equal(result, RUNG_OK);
    assert_true(file.handle > 2);
    assert_true(fcntl((int)file.handle, F_GETFD) & FD_CLOEXEC);
    rung__file_close(&file);
    rung__file_close(&file);
}

static void reading_is_exact(void **state)
{
    (void)state;
    char path[256], data[8] = "";
    struct rung__file file;
    save(in_test_folder(path, "file"), "0123456789", 0600);
    assert_int_equal(rung__file_open(path, &file), RUNG_OK);
    assert_int_equal(file.stamp.size, 10);
    assert_int_equal(rung__file_read(&file, 3, data, 7), RUNG_OK);
    assert_string_equal(data, "3456789");
    assert_int_equal(rung__file_read(&file, 4, data, 7), RUNG_IO);
    assert_error_has("ends at byte 10");
    assert_int_equal(rung__file_read(&file, UINT64_MAX, data, 7), RUNG_IO);
    size_t got = 0;
    assert_int_equal(rung__file_read_some(&file, 8, data, 7, &got), RUNG_OK);
    assert_int_equal(got, 2);
    rung__file_close(&file);
}

static void loading_is_bounded(void **state)
{
    (void)state;
    char path[256];
    struct rung__buffer buffer;
    save(in_test_folder(path, "file"), "0123456789", 0600);
    assert_int_equal(rung__file_load(path, 10, &buffer), RUNG_OK);
    assert_int_equal(buffer.size, 10);
    rung__buffer_finish(&buffer);
    assert_int_equal(rung__file_load(path, 9, &buffer), RUNG_IO);
    assert_error_has("larger than 9 bytes");
    assert_null(buffer.data);

    /* A file of a terabyte that holds nothing must not be paid for. */
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    assert_int_equal(rung__file_load(path, 1000, &buffer), RUNG_IO);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(rung__file_load(path, 0, &buffer), RUNG_OK);
    assert_int_equal(buffer.size, 0);
    rung__buffer_finish(&buffer);
}

static void pseudo_files_of_unknown_size_are_loaded(void **state)
{
    (void)state;
    struct rung__buffer buffer;
    if (access("/proc/self/status", R_OK))
        skip();
    assert_int_equal(rung__file_load("/proc/self/status", 1 << 20, &buffer), RUNG_OK);
    assert_true(buffer.size > 100);
    rung__buffer_finish(&buffer);
    assert_int_equal(rung__file_load("/proc/self/status", 99, &buffer), RUNG_IO);
}

static void a_map_shows_the_file(void **state)
{
    (void)state;
    char path[256];
    struct rung__file file;
    struct rung__bytes mapped;
    save(in_test_folder(path, "file"), "content", 0600);
    assert_int_equal(rung__file_open(path, &file), RUNG_OK);
    assert_int_equal(rung__file_map(&file, &mapped), RUNG_OK);
    rung__file_close(&file);
    assert_int_equal(mapped.size, 7);
    assert_memory_equal(mapped.data, "content", 7);
    rung__file_unmap(&mapped);
    assert_null(mapped.data);

    save(path, "", 0600);
    assert_int_equal(rung__file_open(path, &file), RUNG_OK);
    assert_int_equal(rung__file_map(&file, &mapped), RUNG_IO);
    rung__file_close(&file);
}

static void a_change_is_noticed(void **state)
{
    (void)state;
    char path[256];
    struct rung__file file;
    save(in_test_folder(path, "file"), "content", 0600);
    struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path, past, 0), 0);
    assert_int_equal(rung__file_open(path, &file), RUNG_OK);
    assert_true(rung__file_is_unchanged(&file));
    int descriptor = open(path, O_WRONLY);
    assert_int_equal(write(descriptor, "C", 1), 1);
    close(descriptor);
    assert_false(rung__file_is_unchanged(&file));
    rung__file_close(&file);
}

static bool is_shared(const char *path)
{
    struct rung__file file;
    assert_int_equal(rung__file_open(path, &file), RUNG_OK);
    rung__file_close(&file);
    return file.shared;
}

static void a_file_that_others_may_change_is_shared(void **state)
{
    (void)state;
    char path[256], link[256], folder[256], inner[256];
    save(in_test_folder(path, "file"), "content", 0644);
    assert_false(is_shared(path));
    assert_int_equal(chmod(path, 0664), 0);
    assert_true(is_shared(path));
    assert_int_equal(chmod(path, 0646), 0);
    assert_true(is_shared(path));
    assert_int_equal(chmod(path, 0644), 0);

    assert_int_equal(chmod(test_folder, 0777), 0);
    assert_true(is_shared(path));
    assert_int_equal(chmod(test_folder, 01777), 0); /* sticky */
    assert_false(is_shared(path));
    assert_int_equal(chmod(test_folder, 0700), 0);

    /* The folder of the file counts, not that of the link. */
    assert_int_equal(mkdir(in_test_folder(folder, "open"), 0777), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    save(in_test_folder(inner, "open/file"), "content", 0600);
    assert_int_equal(symlink(inner, in_test_folder(link, "link")), 0);
    assert_true(is_shared(link));
    assert_int_equal(symlink(path, in_test_folder(link, "open/link")), 0);
    assert_false(is_shared(link));

    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, 12345), 0);
        assert_true(is_shared(path));
    }
}

static void a_sealed_memory_file_cannot_change(void **state)
{
    (void)state;
    struct rung__memory_file file;
    struct rung__bytes mapped;
    assert_int_equal(rung__memory_file_create(10000, &file), RUNG_OK);
    assert_int_equal(rung__memory_file_write(&file, 9998, "ab", 2), RUNG_OK);
    assert_int_equal(rung__memory_file_write(&file, 9999, "ab", 2), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung__memory_file_write(&file, UINT64_MAX, "ab", 2), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung__memory_file_seal(&file, &mapped), RUNG_OK);
    assert_int_equal(mapped.size, 10000);
    assert_memory_equal(mapped.data + 9997, "\0ab", 3);
#if defined(F_SEAL_WRITE)
    assert_int_equal(rung__memory_file_write(&file, 0, "ab", 2), RUNG_IO);
    assert_int_equal(ftruncate((int)file.handle, 5), -1);
    assert_int_equal(ftruncate((int)file.handle, 20000), -1);
    assert_ptr_equal(mmap(NULL, 10000, PROT_WRITE, MAP_SHARED, (int)file.handle, 0), MAP_FAILED);
#endif
    rung__memory_file_close(&file);
    assert_memory_equal(mapped.data + 9997, "\0ab", 3);
    rung__file_unmap(&mapped);
}

static void a_memory_file_has_a_size(void **state)
{
    (void)state;
    struct rung__memory_file file;
    assert_int_equal(rung__memory_file_create(0, &file), RUNG_NO_MEMORY);
    assert_int_equal(rung__memory_file_create(UINT64_MAX, &file), RUNG_NO_MEMORY);
    rung__memory_file_close(&file);
}

static void the_beginning_of_a_file_is_read_without_waiting(void **state)
{
    (void)state;
    char path[256], bytes[8] = "........";
    size_t got = 9;
    assert_int_equal(rung__file_peek(in_test_folder(path, "none"), bytes, 4, &got), RUNG_NOT_FOUND);
    assert_int_equal(got, 0);
    save(in_test_folder(path, "a"), "abcdef", 0600);
    assert_int_equal(rung__file_peek(path, bytes, 4, &got), RUNG_OK);
    assert_int_equal(got, 4);
    assert_memory_equal(bytes, "abcd....", 8);
    assert_int_equal(rung__file_peek(path, bytes, sizeof bytes, &got), RUNG_OK);
    assert_int_equal(got, 6);
    assert_int_equal(rung__file_peek("/proc/self/stat", bytes, sizeof bytes, &got), RUNG_OK);
    assert_int_equal(got, sizeof bytes); /* it says size 0 */

    assert_int_equal(mkfifo(in_test_folder(path, "fifo"), 0600), 0);
    assert_int_equal(rung__file_peek(path, bytes, sizeof bytes, &got), RUNG_IO);
    assert_error_has("is a FIFO");
    assert_int_equal(rung__file_peek(test_folder, bytes, sizeof bytes, &got), RUNG_IO);
    assert_error_has("is a folder");
}

static void the_last_name_of_a_link_is_told(void **state)
{
    (void)state;
    char path[256], name[8];
    assert_int_equal(symlink("../drivers/nvidia", in_test_folder(path, "driver")), 0);
    assert_true(rung__path_link_name(path, name, sizeof name));
    assert_string_equal(name, "nvidia");
    assert_false(rung__path_link_name(path, name, 6)); /* no room for its zero */
    assert_int_equal(symlink("drivers/", in_test_folder(path, "nameless")), 0);
    assert_false(rung__path_link_name(path, name, sizeof name));
    assert_false(rung__path_link_name(test_folder, name, sizeof name));
    assert_false(rung__path_link_name(in_test_folder(path, "none"), name, sizeof name));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_test_folder, remove_test_folder)
    const struct CMUnitTest tests[] = {
        TEST(the_beginning_of_a_file_is_read_without_waiting),
        TEST(the_last_name_of_a_link_is_told),
        TEST(only_regular_files_are_opened),
        TEST(a_link_to_a_file_is_followed),
        TEST(no_descriptor_is_a_standard_stream),
        TEST(reading_is_exact),
        TEST(loading_is_bounded),
        TEST(pseudo_files_of_unknown_size_are_loaded),
        TEST(a_map_shows_the_file),
        TEST(a_change_is_noticed),
        TEST(a_file_that_others_may_change_is_shared),
        TEST(a_sealed_memory_file_cannot_change),
        TEST(a_memory_file_has_a_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
