/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a bundle is what was signed, whatever else lies about; what is loaded is a private copy
 * of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <rung/artifact.h>

#include "artifact/artifact.h"
#include "artifact/bundle.h"
#include "artifact_fixture.h"
#include "folder_fixture.h"

#define BUNDLE ARTIFACT_FIXTURE_LOCATOR

static struct artifact_fixture fixture;
static struct rung__trust trust;
static char cache[256];

static int set_up(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    artifact_fixture_make(&fixture, test_folder);
    artifact_fixture_make_bundle(&fixture);
    artifact_fixture_trust(&fixture, &trust);
    in_test_folder(cache, "cache");
    assert_int_equal(artifact_fixture_pack(&fixture, true), RUNG_OK);
    return 0;
}

static int tear_down(void **state)
{
    rung__trust_finish(&trust);
    return remove_test_folder(state);
}

static struct rung__bytes bytes_of(const char *text)
{
    return (struct rung__bytes){(const uint8_t *)text, strlen(text)};
}

static void save(const char *name, const char *content)
{
    char path[256];
    artifact_fixture_save(in_test_folder(path, name), bytes_of(content));
}

static void assert_error_has(const char *part)
{
    if (!strstr(rung_last_error(), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rung_last_error());
}

static rung_result try_loading(void)
{
    struct rung__artifact artifact;
    rung_result result =
        rung__artifact_admit_to_load(fixture.model, RUNG__ADMIT_TRUSTED, &trust, cache, &artifact);
    if (result == RUNG_OK)
        rung__artifact_finish(&artifact);
    return result;
}

static rung_result try_looking(enum rung__admission admission)
{
    struct rung__artifact artifact;
    rung_result result = rung__artifact_admit(fixture.model, admission, &trust, &artifact);
    if (result == RUNG_OK)
        rung__artifact_finish(&artifact);
    return result;
}

/* Whether a copy is there already or not makes no difference. */
static void assert_refused(const char *part)
{
    assert_int_equal(try_loading(), RUNG_INTEGRITY);
    assert_error_has(part);
    assert_error_has(fixture.model);
    assert_int_equal(try_looking(RUNG__ADMIT_TRUSTED), RUNG_INTEGRITY);
    assert_error_has(part);
    assert_int_equal(try_looking(RUNG__ADMIT_STRUCTURE), RUNG_INTEGRITY);
    assert_error_has(part);
}

/* ---- locator ----------------------------------------------------------------------------- */

static void only_locators_that_lead_down_are_taken(void **state)
{
    (void)state;
    static const char *const good[] = {"a", "a/b", "...", "..a", ".a", "a.", "A-Z_0.9/-"};
    static const char *const bad[] = {"",     ".",    "..",     "/",       "/a",  "a/",
                                      "a//b", "./a",  "a/..",   "a/./",    "../", "a b",
                                      "a\\b", "a\nb", "a/../b", "\xc3\xa9"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_int_equal(rung__locator_check(bytes_of(good[i])), RUNG_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (rung__locator_check(bytes_of(bad[i])) != RUNG_INTEGRITY)
            fail_msg("\"%s\" is taken", bad[i]);
    assert_int_equal(rung__locator_check((struct rung__bytes){(const uint8_t *)"a\0b", 3}),
                     RUNG_INTEGRITY);
}

static void a_locator_has_at_most_256_bytes(void **state)
{
    (void)state;
    uint8_t locator[257];
    memset(locator, 'a', sizeof locator);
    assert_int_equal(rung__locator_check((struct rung__bytes){locator, 256}), RUNG_OK);
    assert_int_equal(rung__locator_check((struct rung__bytes){locator, 257}), RUNG_INTEGRITY);
}

/* ---- digest ------------------------------------------------------------------------------ */

/* The bytes that docs/artifact.md lists, written down once more. */
static void the_digest_is_over_paths_sizes_and_contents_in_order(void **state)
{
    (void)state;
    static const char expected[] = "\6\0\0\0Data-2\22\0\0\0\0\0\0\0sorts before Data/"
                                   "\12\0\0\0Data/model\7\0\0\0\0\0\0\0a graph"
                                   "\22\0\0\0Data/weights/empty\0\0\0\0\0\0\0\0"
                                   "\15\0\0\0Manifest.json\2\0\0\0\0\0\0\0{}";
    uint8_t digest[RUNG__SHA256_BYTES], found[RUNG__SHA256_BYTES];
    struct rung__bundle bundle;
    assert_int_equal(rung__sha256_of(expected, sizeof expected - 1, digest), RUNG_OK);
    assert_int_equal(rung__bundle_open(test_folder, bytes_of(BUNDLE), &bundle), RUNG_OK);
    assert_int_equal(bundle.files.count, ARTIFACT_FIXTURE_FILES);
    assert_int_equal(bundle.bytes, 18 + 7 + 2);
    assert_int_equal(rung__bundle_hash(&bundle, NULL, found), RUNG_OK);
    assert_memory_equal(found, digest, sizeof digest);
    assert_int_equal(rung__bundle_check(&bundle, digest), RUNG_OK);
    digest[31] ^= 1;
    assert_int_equal(rung__bundle_check(&bundle, digest), RUNG_INTEGRITY);
    rung__bundle_finish(&bundle);
}

/* ---- admission --------------------------------------------------------------------------- */

static void an_admitted_bundle_is_loaded_from_its_copy(void **state)
{
    (void)state;
    struct rung__artifact artifact;
    struct rung__buffer content;
    char path[256], expected[512];
    assert_int_equal(
        rung__artifact_admit_to_load(fixture.model, RUNG__ADMIT_TRUSTED, &trust, cache, &artifact),
        RUNG_OK);
    snprintf(expected, sizeof expected, "%s/bundles/%s", cache, artifact.digest_text);
    assert_string_equal(artifact.bundle, expected);
    assert_int_equal(artifact.bundle_files, ARTIFACT_FIXTURE_FILES);

    save(BUNDLE "/Data/model", "another");
    snprintf(expected, sizeof expected, "%s/Data/model", artifact.bundle);
    artifact_fixture_load(expected, &content);
    assert_int_equal(content.size, 7);
    assert_memory_equal(content.data, "a graph", 7);
    assert_int_equal(rung__artifact_check_unchanged(&artifact), RUNG_OK);
    rung__buffer_finish(&content);
    rung__artifact_finish(&artifact);

    assert_refused("changed, added, removed or renamed");
    save(BUNDLE "/Data/model", "a graph");
    assert_int_equal(try_loading(), RUNG_OK);
    assert_int_equal(rung__path_kind(in_test_folder(path, "cache/CACHEDIR.TAG")), RUNG__PATH_FILE);
}

static void who_only_looks_makes_no_copy(void **state)
{
    (void)state;
    assert_int_equal(try_looking(RUNG__ADMIT_TRUSTED), RUNG_OK);
    assert_int_equal(try_looking(RUNG__ADMIT_STRUCTURE), RUNG_OK);
    assert_int_equal(rung_artifact_sign(fixture.model, fixture.private_key, NULL), RUNG_OK);
    assert_int_equal(rung__path_kind(cache), RUNG__PATH_MISSING);
}

static void without_a_cache_nothing_is_loaded(void **state)
{
    (void)state;
    struct rung__artifact artifact;
    assert_int_equal(
        rung__artifact_admit_to_load(fixture.model, RUNG__ADMIT_TRUSTED, &trust, NULL, &artifact),
        RUNG_IO);
    assert_error_has("XDG_CACHE_HOME");
}

static void what_was_changed_is_refused_with_and_without_a_copy(void **state)
{
    (void)state;
    char path[256], other[256];
    for (int copied = 0; copied < 2; copied++) {
        save(BUNDLE "/added", "");
        assert_refused("changed, added, removed or renamed");
        assert_int_equal(unlink(in_test_folder(path, BUNDLE "/added")), 0);

        in_test_folder(path, BUNDLE "/Data-2");
        in_test_folder(other, BUNDLE "/Data-3");
        assert_int_equal(rename(path, other), 0);
        assert_refused("changed, added, removed or renamed");
        assert_int_equal(rename(other, path), 0);

        assert_int_equal(unlink(in_test_folder(path, BUNDLE "/Data/weights/empty")), 0);
        assert_refused("changed, added, removed or renamed");
        save(BUNDLE "/Data/weights/empty", "");
        assert_int_equal(try_loading(), RUNG_OK);
    }
}

static void links_and_special_files_are_refused(void **state)
{
    (void)state;
    char path[256], other[256];
    assert_int_equal(symlink("Data-2", in_test_folder(path, BUNDLE "/link")), 0);
    assert_refused("symbolic link");
    assert_int_equal(unlink(path), 0);

    in_test_folder(other, BUNDLE "/Data/model");
    assert_int_equal(link(other, in_test_folder(path, "second")), 0);
    assert_refused("hard link");
    assert_int_equal(unlink(path), 0);

    assert_int_equal(mkfifo(in_test_folder(path, BUNDLE "/fifo"), 0600), 0);
    assert_refused("FIFO");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(try_loading(), RUNG_OK);
}

static void a_bundle_that_is_missing_or_empty_is_refused(void **state)
{
    (void)state;
    char path[256], other[256];
    in_test_folder(path, BUNDLE);
    assert_int_equal(rename(path, in_test_folder(other, "elsewhere")), 0);
    assert_refused("missing");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused("no file");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(symlink("elsewhere", path), 0);
    assert_refused("symbolic link");
}

static void a_copy_that_cannot_be_written_is_an_io_error_and_leaves_nothing(void **state)
{
    (void)state;
    char path[256];
    struct rung__folder names;
    assert_int_equal(mkdir(cache, 0700), 0);
    save("cache/bundles", "in the way");
    assert_int_equal(try_loading(), RUNG_IO);
    assert_int_equal(unlink(in_test_folder(path, "cache/bundles")), 0);

    assert_int_equal(try_loading(), RUNG_OK);
    assert_int_equal(rung__folder_list(in_test_folder(path, "cache/bundles"), 10, &names), RUNG_OK);
    assert_int_equal(names.count, 2); /* the lock and the copy */
    rung__folder_finish(&names);
}

static void every_bit_of_every_file_counts(void **state)
{
    (void)state;
    static const char *const files[] = {BUNDLE "/Data-2", BUNDLE "/Data/model",
                                        BUNDLE "/Manifest.json"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct rung__buffer content;
        char path[256];
        artifact_fixture_load(in_test_folder(path, files[i]), &content);
        for (size_t bit = 0; bit < 8 * content.size; bit++) {
            content.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            artifact_fixture_save(path, rung__buffer_bytes(&content));
            assert_int_equal(try_looking(RUNG__ADMIT_TRUSTED), RUNG_INTEGRITY);
            content.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        artifact_fixture_save(path, rung__buffer_bytes(&content));
        rung__buffer_finish(&content);
    }
    assert_int_equal(try_looking(RUNG__ADMIT_TRUSTED), RUNG_OK);
}

static void every_bit_of_the_model_file_counts_too(void **state)
{
    (void)state;
    struct rung__buffer bytes;
    artifact_fixture_load(fixture.model, &bytes);
    for (size_t bit = 0; bit < 8 * bytes.size; bit += 3) {
        bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        artifact_fixture_save(fixture.model, rung__buffer_bytes(&bytes));
        assert_int_not_equal(try_looking(RUNG__ADMIT_TRUSTED), RUNG_OK);
        bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    rung__buffer_finish(&bytes);
}

int main(void)
{
#define WITH_MODEL(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_locators_that_lead_down_are_taken),
        cmocka_unit_test(a_locator_has_at_most_256_bytes),
        WITH_MODEL(the_digest_is_over_paths_sizes_and_contents_in_order),
        WITH_MODEL(an_admitted_bundle_is_loaded_from_its_copy),
        WITH_MODEL(who_only_looks_makes_no_copy),
        WITH_MODEL(without_a_cache_nothing_is_loaded),
        WITH_MODEL(what_was_changed_is_refused_with_and_without_a_copy),
        WITH_MODEL(links_and_special_files_are_refused),
        WITH_MODEL(a_bundle_that_is_missing_or_empty_is_refused),
        WITH_MODEL(a_copy_that_cannot_be_written_is_an_io_error_and_leaves_nothing),
        WITH_MODEL(every_bit_of_every_file_counts),
        WITH_MODEL(every_bit_of_the_model_file_counts_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
