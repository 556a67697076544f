/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: trust comes from the named places alone, and one bad file does not undo the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rung/artifact.h>

#include "artifact/signature.h"
#include "artifact/trust.h"
#include "folder_fixture.h"

static char last_line[1024];
static int line_count;

static void keep_line(void *user, int32_t level, const char *text)
{
    (void)user;
    assert_int_equal(level, RUNG_LOG_WARNING);
    snprintf(last_line, sizeof last_line, "%s", text);
    line_count++;
}

static const struct rung__log logger = {.callback = keep_line, .level = RUNG_LOG_WARNING};

static int set_up(void **state)
{
    line_count = 0;
    return make_test_folder(state);
}

static void make_key(const char *name)
{
    char private_name[64], private_path[256], public_path[256];
    snprintf(private_name, sizeof private_name, "%s.key", name);
    assert_int_equal(rung_key_generate(in_test_folder(private_path, private_name),
                                       in_test_folder(public_path, name)),
                     RUNG_OK);
}

static void save(const char *name, const char *text)
{
    char path[256];
    const struct rung__bytes bytes = {(const uint8_t *)text, strlen(text)};
    assert_int_equal(rung__file_save(in_test_folder(path, name), bytes, 0644, true), RUNG_OK);
}

static void a_file_gives_its_key(void **state)
{
    (void)state;
    char path[256];
    struct rung__trust trust = {0};
    make_key("a.pem");
    assert_int_equal(rung__trust_add(&trust, in_test_folder(path, "a.pem"), &logger), RUNG_OK);
    assert_int_equal(trust.count, 1);
    assert_string_equal(trust.keys[0].path, path);
    assert_int_equal(rung__trust_find(&trust, trust.keys[0].id), RUNG_OK);
    rung__trust_finish(&trust);
}

static void a_folder_gives_its_pem_files_and_warns_of_the_bad_ones(void **state)
{
    (void)state;
    struct rung__trust trust = {0};
    make_key("a.pem");
    make_key("b.pem");
    make_key("c.txt");
    save("bad.pem", "no key");
    assert_int_equal(rung__trust_add(&trust, test_folder, &logger), RUNG_OK);
    assert_int_equal(trust.count, 2);
    assert_int_equal(line_count, 1);
    assert_non_null(strstr(last_line, "bad.pem"));
    rung__trust_finish(&trust);
}

static void a_missing_folder_gives_nothing(void **state)
{
    (void)state;
    char path[256];
    struct rung__trust trust = {0};
    assert_int_equal(rung__trust_add(&trust, in_test_folder(path, "none"), &logger), RUNG_OK);
    assert_int_equal(trust.count, 0);
    assert_string_equal(trust.searched, path);
    rung__trust_finish(&trust);
}

static void a_bad_file_that_is_named_itself_is_an_error(void **state)
{
    (void)state;
    char path[256];
    struct rung__trust trust = {0};
    save("bad.pem", "no key");
    assert_int_equal(rung__trust_add(&trust, in_test_folder(path, "bad.pem"), &logger),
                     RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "bad.pem"));
    assert_int_equal(rung__trust_add(&trust, in_test_folder(path, "missing.pem"), &logger),
                     RUNG_IO);
    rung__trust_finish(&trust);
}

/* A private key in the trust folder is a mistake to be told, not a key to be taken. */
static void a_private_key_gives_no_trust(void **state)
{
    (void)state;
    char path[256];
    struct rung__trust trust = {0};
    make_key("a");
    assert_int_equal(rung__trust_add(&trust, in_test_folder(path, "a.key"), &logger),
                     RUNG_INVALID_ARGUMENT);
    assert_int_equal(trust.count, 0);
    rung__trust_finish(&trust);
}

static void a_list_adds_each_of_its_places(void **state)
{
    (void)state;
    char list[600], a[256], b[256];
    struct rung__trust trust = {0};
    make_key("a.pem");
    make_key("b.pem");
    snprintf(list, sizeof list, "%s::%s:/nonexistent", in_test_folder(a, "a.pem"),
             in_test_folder(b, "b.pem"));
    assert_int_equal(rung__trust_add_list(&trust, list, &logger), RUNG_OK);
    assert_int_equal(trust.count, 2);
    assert_non_null(strstr(trust.searched, "/nonexistent"));
    rung__trust_finish(&trust);
}

static void an_unknown_key_is_refused_with_its_id_and_the_places(void **state)
{
    (void)state;
    static const uint8_t id[RUNG__KEY_ID_BYTES] = {0xab, 0xcd, 0, 0, 0, 0, 0, 1};
    struct rung__trust trust = {0};
    make_key("a.pem");
    assert_int_equal(rung__trust_add(&trust, test_folder, &logger), RUNG_OK);
    assert_int_equal(rung__trust_find(&trust, id), RUNG_PERMISSION);
    assert_non_null(strstr(rung_last_error(), "abcd000000000001"));
    assert_non_null(strstr(rung_last_error(), test_folder));
    rung__trust_finish(&trust);
}

/* The id is eight bytes only: two keys may share it, by work or by chance. */
static void each_key_of_an_id_gets_its_chance(void **state)
{
    (void)state;
    static const uint8_t digest[RUNG__SHA256_BYTES] = {1};
    char path[256];
    uint8_t signature[RUNG__SIGNATURE_BYTES];
    struct rung__buffer pem;
    struct rung__trust trust = {0};
    void *second;
    make_key("a.pem");
    make_key("b.pem");
    assert_int_equal(rung__trust_add(&trust, test_folder, &logger), RUNG_OK);
    memcpy(trust.keys[1].id, trust.keys[0].id, RUNG__KEY_ID_BYTES);

    assert_int_equal(rung__file_load(in_test_folder(path, "b.pem.key"), 4096, &pem), RUNG_OK);
    assert_int_equal(rung__key_read_private(rung__buffer_bytes(&pem), path, &second), RUNG_OK);
    assert_int_equal(rung__signature_make(second, digest, signature), RUNG_OK);
    assert_int_equal(rung__trust_verify(&trust, trust.keys[0].id, digest, signature), RUNG_OK);
    signature[0] ^= 1;
    assert_int_equal(rung__trust_verify(&trust, trust.keys[0].id, digest, signature),
                     RUNG_INTEGRITY);
    rung__key_free(second);
    rung__buffer_finish(&pem);
    rung__trust_finish(&trust);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, remove_test_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_file_gives_its_key),
        IN_FOLDER(a_folder_gives_its_pem_files_and_warns_of_the_bad_ones),
        IN_FOLDER(a_missing_folder_gives_nothing),
        IN_FOLDER(a_bad_file_that_is_named_itself_is_an_error),
        IN_FOLDER(a_private_key_gives_no_trust),
        IN_FOLDER(a_list_adds_each_of_its_places),
        IN_FOLDER(an_unknown_key_is_refused_with_its_id_and_the_places),
        IN_FOLDER(each_key_of_an_id_gets_its_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
