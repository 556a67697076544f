/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: only what is whole, signed and trusted is admitted, and it stays what was verified. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <rung/artifact.h>

#include "artifact/artifact.h"
#include "artifact_fixture.h"
#include "folder_fixture.h"

static struct artifact_fixture fixture;
static struct rung__trust trust;

static int set_up(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    artifact_fixture_make(&fixture, test_folder);
    artifact_fixture_trust(&fixture, &trust);
    assert_int_equal(artifact_fixture_pack(&fixture, true), RUNG_OK);
    return 0;
}

static int tear_down(void **state)
{
    rung__trust_finish(&trust);
    return remove_test_folder(state);
}

static rung_result try_admission(const char *path, enum rung__admission admission)
{
    struct rung__artifact artifact;
    const rung_result result = rung__artifact_admit(path, admission, &trust, &artifact);
    if (result == RUNG_OK)
        rung__artifact_finish(&artifact);
    return result;
}

static void admit(struct rung__artifact *artifact)
{
    const rung_result result =
        rung__artifact_admit(fixture.model, RUNG__ADMIT_TRUSTED, &trust, artifact);
    if (result != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static void assert_error_has(const char *part)
{
    if (!strstr(rung_last_error(), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rung_last_error());
}

static bool is_refusal(rung_result result)
{
    return result == RUNG_IO || result == RUNG_INTEGRITY || result == RUNG_PERMISSION ||
           result == RUNG_VERSION || result == RUNG_UNSUPPORTED;
}

static void write_at(int descriptor, size_t offset, uint8_t byte)
{
    assert_int_equal(pwrite(descriptor, &byte, 1, (off_t)offset), 1);
}

/* ---- what is admitted -------------------------------------------------------------------- */

static void a_signed_model_of_a_trusted_key_is_admitted(void **state)
{
    (void)state;
    struct rung__artifact artifact;
    admit(&artifact);
    assert_true(artifact.is_signed);
    assert_false(artifact.copied);
    assert_string_equal(artifact.view.header.name, "tiny");
    assert_int_equal(artifact.view.header.selection.min_confidence, 19660); /* 0.3 × 65535 */
    assert_int_equal(artifact.view.header.selection.band_min, 36);
    assert_int_equal(strlen(artifact.key_id_text), 16);
    assert_int_equal(rung__artifact_label_count(&artifact.view), 2);
    const struct rung__bytes label = rung__artifact_label(&artifact.view, 1);
    assert_int_equal(label.size, strlen("h\xc3\xa9ron"));
    assert_memory_equal(label.data, "h\xc3\xa9ron", label.size);
    assert_int_equal(rung__artifact_label(&artifact.view, 2).size, 0);
    assert_int_equal(rung__artifact_capabilities(&artifact.view, 1), UINT32_MAX);
    assert_int_equal(rung__artifact_capabilities(&artifact.view, 2), 0);
    assert_int_equal(rung__artifact_check_unchanged(&artifact), RUNG_OK);
    rung__artifact_finish(&artifact);
}

static void an_unsigned_model_needs_the_policy_that_allows_it(void **state)
{
    (void)state;
    assert_int_equal(artifact_fixture_pack(&fixture, false), RUNG_OK);
    assert_int_equal(try_admission(fixture.model, RUNG__ADMIT_TRUSTED), RUNG_PERMISSION);
    assert_error_has("not signed");
    assert_error_has(fixture.model);
    assert_int_equal(try_admission(fixture.model, RUNG__ADMIT_UNSIGNED), RUNG_OK);
    assert_int_equal(try_admission(fixture.model, RUNG__ADMIT_STRUCTURE), RUNG_OK);
}

static void an_unknown_key_is_not_trusted_under_either_policy(void **state)
{
    (void)state;
    rung__trust_finish(&trust);
    assert_int_equal(try_admission(fixture.model, RUNG__ADMIT_TRUSTED), RUNG_PERMISSION);
    assert_error_has("nowhere");
    assert_int_equal(try_admission(fixture.model, RUNG__ADMIT_UNSIGNED), RUNG_PERMISSION);
    assert_int_equal(try_admission(fixture.model, RUNG__ADMIT_STRUCTURE), RUNG_OK);
}

/* ---- damage ------------------------------------------------------------------------------ */

static void every_single_bit_flip_is_refused(void **state)
{
    (void)state;
    struct rung__buffer bytes;
    artifact_fixture_load(fixture.model, &bytes);
    const int descriptor = open(fixture.model, O_WRONLY | O_CLOEXEC);
    assert_true(descriptor >= 0);
    for (size_t i = 0; i < bytes.size; i++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            write_at(descriptor, i, bytes.data[i] ^ (uint8_t)(1u << bit));
            const rung_result result = try_admission(fixture.model, RUNG__ADMIT_TRUSTED);
            if (!is_refusal(result))
                fail_msg("bit %u of byte %zu: result %d", bit, i, result);
            if (i < 4)
                assert_int_equal(result, RUNG_IO); /* the magic */
        }
        write_at(descriptor, i, bytes.data[i]);
    }
    close(descriptor);
    assert_int_equal(try_admission(fixture.model, RUNG__ADMIT_TRUSTED), RUNG_OK);
    rung__buffer_finish(&bytes);
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    struct rung__buffer bytes;
    artifact_fixture_load(fixture.model, &bytes);
    for (size_t size = bytes.size; size-- > 0;) {
        assert_int_equal(truncate(fixture.model, (off_t)size), 0);
        const rung_result result = try_admission(fixture.model, RUNG__ADMIT_TRUSTED);
        if (result != (size < RUNG__HEADER_BYTES ? RUNG_IO : RUNG_INTEGRITY))
            fail_msg("%zu bytes: result %d", size, result);
    }
    rung__buffer_finish(&bytes);
}

static void a_byte_too_many_is_refused(void **state)
{
    (void)state;
    struct rung__buffer bytes;
    artifact_fixture_load(fixture.model, &bytes);
    assert_int_equal(rung__buffer_append(&bytes, NULL, 1), RUNG_OK);
    artifact_fixture_save(fixture.model, rung__buffer_bytes(&bytes));
    rung__buffer_finish(&bytes);
    assert_int_equal(try_admission(fixture.model, RUNG__ADMIT_TRUSTED), RUNG_INTEGRITY);
    assert_error_has("cut or extended");
}

/* An attacker can make the digest right, but not the signature. */
static void a_repaired_digest_does_not_help(void **state)
{
    (void)state;
    struct rung__artifact artifact;
    struct rung__buffer bytes;
    artifact_fixture_load(fixture.model, &bytes);
    admit(&artifact);
    const struct rung__bytes payload = artifact.view.sections[RUNG__SECTION_PAYLOAD];
    uint8_t *at = bytes.data + (payload.data - artifact.view.file.data);
    for (size_t i = 0; i + 10 <= payload.size; i++)
        if (memcmp(at + i, "rung tests", 10) == 0)
            at[i] = 'R';
    assert_int_equal(rung__sha256_of(at, payload.size, bytes.data + 24), RUNG_OK);
    rung__artifact_finish(&artifact);

    artifact_fixture_save(fixture.model, rung__buffer_bytes(&bytes));
    rung__buffer_finish(&bytes);
    assert_int_equal(try_admission(fixture.model, RUNG__ADMIT_STRUCTURE), RUNG_OK);
    assert_int_equal(try_admission(fixture.model, RUNG__ADMIT_TRUSTED), RUNG_INTEGRITY);
    assert_error_has("signature is wrong");
}

/* ---- many bytes at once ------------------------------------------------------------------ */

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Reads bytes as admission does, but takes the payload for what it is, so that damage gets past
 * the digest to the parsers. */
static rung_result read_untrusted(struct rung__bytes file)
{
    struct rung__layout layout;
    struct rung__artifact_view view;
    const struct rung__bytes head = {
        file.data, file.size < RUNG__HEAD_BYTES_MAX ? file.size : RUNG__HEAD_BYTES_MAX};
    rung_result result = rung__layout_read(head, file.size, &layout);
    return result == RUNG_OK ? rung__view_read(file, &layout, &view) : result;
}

/* Under the sanitizers this also says that nothing outside is read. */
static void random_damage_is_read_or_refused(void **state)
{
    (void)state;
    static const uint8_t telling[] = {0, 1, 2, 0x7f, 0x80, 0xfe, 0xff, '"'};
    struct rung__buffer bytes;
    uint32_t seed = 20240601, refused = 0;
    artifact_fixture_load(fixture.model, &bytes);
    for (uint32_t round = 0; round < 20000; round++) {
        struct rung__buffer copy = {0};
        const uint32_t first_seed = seed, changes = 1 + next_random(&seed) % 4;
        assert_int_equal(rung__buffer_append(&copy, bytes.data, bytes.size), RUNG_OK);
        for (uint32_t i = 0; i < changes; i++)
            copy.data[next_random(&seed) % copy.size] = telling[next_random(&seed) % 8];
        const rung_result result = read_untrusted(rung__buffer_bytes(&copy));
        if (result != RUNG_OK && !is_refusal(result))
            fail_msg("seed %u: result %d", first_seed, result);
        refused += result != RUNG_OK;
        rung__buffer_finish(&copy);
    }
    assert_true(refused > 1000 && refused < 20000);
    rung__buffer_finish(&bytes);
}

static void what_is_no_model_file_is_an_io_error(void **state)
{
    (void)state;
    char path[256];
    static const uint8_t jpeg[300] = {0xff, 0xd8, 0xff, 0xe0};
    artifact_fixture_save(in_test_folder(path, "picture.rung"),
                          (struct rung__bytes){jpeg, sizeof jpeg});
    assert_int_equal(try_admission(path, RUNG__ADMIT_TRUSTED), RUNG_IO);
    assert_error_has("no Rung model");
    artifact_fixture_save(path, (struct rung__bytes){jpeg, 0});
    assert_int_equal(try_admission(path, RUNG__ADMIT_TRUSTED), RUNG_IO);
    assert_error_has("no Rung model");
    assert_int_equal(try_admission(test_folder, RUNG__ADMIT_TRUSTED), RUNG_IO);
    assert_int_equal(mkfifo(in_test_folder(path, "fifo.rung"), 0600), 0);
    assert_int_equal(try_admission(path, RUNG__ADMIT_TRUSTED), RUNG_IO);
    assert_int_equal(try_admission(in_test_folder(path, "missing.rung"), RUNG__ADMIT_TRUSTED),
                     RUNG_IO);
}

/* ---- afterwards -------------------------------------------------------------------------- */

static void expect_change(struct rung__artifact *artifact)
{
    assert_int_equal(rung__artifact_check_unchanged(artifact), RUNG_INTEGRITY);
    assert_error_has("changed after it was verified");
    rung__artifact_finish(artifact);
}

/* Same size and, with luck, the same tick of the clock: every byte, so that luck plays no part. */
static void a_change_after_admission_shows(void **state)
{
    (void)state;
    struct rung__buffer bytes;
    artifact_fixture_load(fixture.model, &bytes);
    for (size_t i = 0; i < bytes.size; i += 61) {
        struct rung__artifact artifact;
        admit(&artifact);
        const int descriptor = open(fixture.model, O_WRONLY | O_CLOEXEC);
        write_at(descriptor, i, bytes.data[i] ^ 1);
        expect_change(&artifact);
        write_at(descriptor, i, bytes.data[i]);
        close(descriptor);
    }
    rung__buffer_finish(&bytes);
}

static void a_changed_signature_after_admission_shows(void **state)
{
    (void)state;
    struct rung__artifact artifact;
    admit(&artifact);
    const size_t last = artifact.view.file.size - 1;
    const int descriptor = open(fixture.model, O_WRONLY | O_CLOEXEC);
    write_at(descriptor, last, artifact.view.file.data[last] ^ 1);
    close(descriptor);
    expect_change(&artifact);
}

static void truncation_and_extension_after_admission_show(void **state)
{
    (void)state;
    struct rung__artifact artifact;
    admit(&artifact);
    const off_t size = (off_t)artifact.view.file.size;
    assert_int_equal(truncate(fixture.model, size - 1), 0);
    expect_change(&artifact);

    assert_int_equal(artifact_fixture_pack(&fixture, true), RUNG_OK);
    admit(&artifact);
    assert_int_equal(truncate(fixture.model, size + 1), 0);
    expect_change(&artifact);
}

static void a_replacement_after_admission_shows(void **state)
{
    (void)state;
    struct rung__artifact artifact;
    admit(&artifact);
    assert_int_equal(artifact_fixture_pack(&fixture, true), RUNG_OK);
    expect_change(&artifact);
}

static void a_file_that_others_may_write_is_copied_and_the_copy_stays(void **state)
{
    (void)state;
    struct rung__artifact artifact;
    struct rung__buffer bytes;
    artifact_fixture_load(fixture.model, &bytes);
    assert_int_equal(chmod(fixture.model, 0660), 0);
    admit(&artifact);
    assert_true(artifact.copied);
    assert_int_equal(artifact.view.file.size, bytes.size);

    const int descriptor = open(fixture.model, O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; i < bytes.size; i++)
        write_at(descriptor, i, 0xff);
    close(descriptor);
    assert_memory_equal(artifact.view.file.data, bytes.data, bytes.size);
    assert_int_equal(rung__artifact_check_unchanged(&artifact), RUNG_OK);
    assert_true(pwrite((int)artifact.copy.handle, "x", 1, 0) < 0);
    rung__artifact_finish(&artifact);
    rung__buffer_finish(&bytes);
}

static void a_shared_file_with_a_flipped_bit_is_refused(void **state)
{
    (void)state;
    struct rung__buffer bytes;
    artifact_fixture_load(fixture.model, &bytes);
    for (size_t i = 0; i < bytes.size; i += 13) {
        bytes.data[i] ^= 4;
        artifact_fixture_save(fixture.model, rung__buffer_bytes(&bytes));
        assert_int_equal(chmod(fixture.model, 0666), 0);
        assert_true(is_refusal(try_admission(fixture.model, RUNG__ADMIT_TRUSTED)));
        bytes.data[i] ^= 4;
    }
    rung__buffer_finish(&bytes);
}

int main(void)
{
#define WITH_MODEL(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_MODEL(a_signed_model_of_a_trusted_key_is_admitted),
        WITH_MODEL(an_unsigned_model_needs_the_policy_that_allows_it),
        WITH_MODEL(an_unknown_key_is_not_trusted_under_either_policy),
        WITH_MODEL(every_single_bit_flip_is_refused),
        WITH_MODEL(every_truncation_is_refused),
        WITH_MODEL(a_byte_too_many_is_refused),
        WITH_MODEL(a_repaired_digest_does_not_help),
        WITH_MODEL(random_damage_is_read_or_refused),
        WITH_MODEL(what_is_no_model_file_is_an_io_error),
        WITH_MODEL(a_change_after_admission_shows),
        WITH_MODEL(a_changed_signature_after_admission_shows),
        WITH_MODEL(truncation_and_extension_after_admission_show),
        WITH_MODEL(a_replacement_after_admission_shows),
        WITH_MODEL(a_file_that_others_may_write_is_copied_and_the_copy_stays),
        WITH_MODEL(a_shared_file_with_a_flipped_bit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
