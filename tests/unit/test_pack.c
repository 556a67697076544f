/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: packing is reproducible and compares first; signing changes nothing but who signed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include <rung/artifact.h>

#include "artifact/artifact.h"
#include "artifact/signature.h"
#include "artifact_fixture.h"
#include "folder_fixture.h"
#include "tiny_onnx.h"

static struct artifact_fixture fixture;

static int set_up(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    artifact_fixture_make(&fixture, test_folder);
    return 0;
}

static void assert_error_has(const char *part)
{
    if (!strstr(rung_last_error(), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rung_last_error());
}

static void pack(bool sign, struct rung__buffer *out)
{
    if (artifact_fixture_pack(&fixture, sign) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    artifact_fixture_load(fixture.model, out);
}

static void same_inputs_give_same_bytes(void **state)
{
    (void)state;
    struct rung__buffer first, second;
    pack(false, &first);
    pack(false, &second);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    rung__buffer_finish(&second);
    rung__buffer_finish(&first);
}

static void only_the_signature_differs_between_two_signed_files(void **state)
{
    (void)state;
    struct rung__buffer first, second;
    pack(true, &first);
    pack(true, &second);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size - RUNG__SIGNATURE_BYTES);
    rung__buffer_finish(&second);
    rung__buffer_finish(&first);
}

static void signing_afterwards_gives_what_packing_signs(void **state)
{
    (void)state;
    struct rung__buffer packed, later;
    pack(true, &packed);
    assert_int_equal(artifact_fixture_pack(&fixture, false), RUNG_OK);
    assert_int_equal(rung_artifact_sign(fixture.model, fixture.private_key, NULL), RUNG_OK);
    artifact_fixture_load(fixture.model, &later);
    assert_int_equal(packed.size, later.size);
    assert_memory_equal(packed.data, later.data, packed.size - RUNG__SIGNATURE_BYTES);
    rung__buffer_finish(&later);
    rung__buffer_finish(&packed);
}

static void another_signature_replaces_the_first(void **state)
{
    (void)state;
    char private_path[256], public_path[256];
    struct rung__artifact artifact;
    struct rung__trust trust = {0};
    const struct rung__log log = {0};
    assert_int_equal(artifact_fixture_pack(&fixture, true), RUNG_OK);
    in_test_folder(private_path, "other.key");
    in_test_folder(public_path, "other.pem");
    assert_int_equal(rung_key_generate(private_path, public_path), RUNG_OK);
    assert_int_equal(rung_artifact_sign(fixture.model, private_path, fixture.model), RUNG_OK);

    assert_int_equal(rung__trust_add(&trust, public_path, &log), RUNG_OK);
    assert_int_equal(rung__artifact_admit(fixture.model, RUNG__ADMIT_TRUSTED, &trust, &artifact),
                     RUNG_OK);
    rung__artifact_finish(&artifact);
    rung__trust_finish(&trust);
}

/* The command line's tests let openssl sign. */
static void what_the_digest_tells_can_be_signed_elsewhere_and_attached(void **state)
{
    (void)state;
    struct rung__artifact artifact;
    struct rung__trust trust;
    struct rung__buffer pem = {0};
    uint8_t digest[RUNG__SHA256_BYTES], signature[RUNG__SIGNATURE_BYTES];
    char path[256];
    void *key;
    assert_int_equal(artifact_fixture_pack(&fixture, false), RUNG_OK);
    assert_int_equal(rung_artifact_digest(fixture.model, fixture.public_key, NULL, digest),
                     RUNG_OK);
    artifact_fixture_load(fixture.private_key, &pem);
    assert_int_equal(rung__key_read_private(rung__buffer_bytes(&pem), "key", &key), RUNG_OK);
    assert_int_equal(rung__signature_make(key, digest, signature), RUNG_OK);
    rung__buffer_finish(&pem);
    rung__key_free(key);

    in_test_folder(path, "signature");
    artifact_fixture_save(path, (struct rung__bytes){signature, sizeof signature});
    assert_int_equal(rung_artifact_attach(fixture.model, path, fixture.public_key, NULL), RUNG_OK);
    artifact_fixture_trust(&fixture, &trust);
    assert_int_equal(rung__artifact_admit(fixture.model, RUNG__ADMIT_TRUSTED, &trust, &artifact),
                     RUNG_OK);
    assert_memory_equal(artifact.message_digest, digest, sizeof digest);
    assert_memory_equal(artifact.signature, signature, sizeof signature);
    rung__artifact_finish(&artifact);
    rung__trust_finish(&trust);
}

static void digest_and_attach_need_all_their_arguments(void **state)
{
    (void)state;
    uint8_t digest[RUNG__SHA256_BYTES];
    const char *const model = fixture.model, *const key = fixture.public_key;
    assert_int_equal(rung_artifact_digest(NULL, key, NULL, digest), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_artifact_digest(model, NULL, NULL, digest), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_artifact_digest(model, key, NULL, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_artifact_attach(NULL, model, key, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_artifact_attach(model, NULL, key, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_artifact_attach(model, model, NULL, NULL), RUNG_INVALID_ARGUMENT);
}

static void secrets_are_for_their_owner_and_keys_are_never_overwritten(void **state)
{
    (void)state;
    struct stat status;
    char path[256];
    assert_int_equal(stat(fixture.private_key, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(rung_key_generate(fixture.private_key, in_test_folder(path, "new.pem")),
                     RUNG_ALREADY_EXISTS);
    assert_int_equal(rung_key_generate(in_test_folder(path, "new.key"), fixture.public_key),
                     RUNG_ALREADY_EXISTS);
    assert_int_equal(rung__path_kind(path), RUNG__PATH_MISSING);
    assert_int_equal(rung_key_generate(path, path), RUNG_INVALID_ARGUMENT);
}

/* ---- graph and spec ---------------------------------------------------------------------- */

static void save_graph(const char *input, const char *output, int64_t width, uint32_t rows,
                       uint64_t opset)
{
    struct rung__buffer graph = {0};
    tiny_rows(&graph, &(struct tiny_rows){.input = input,
                                          .output = output,
                                          .width = width,
                                          .height = 8,
                                          .row_count = rows,
                                          .opset = opset});
    artifact_fixture_save(fixture.graph, rung__buffer_bytes(&graph));
    rung__buffer_finish(&graph);
}

static void a_graph_that_is_not_what_the_spec_says_is_not_packed(void **state)
{
    (void)state;
    static const struct {
        const char *input, *output;
        int64_t width;
        uint32_t rows;
        uint64_t opset;
        const char *sentence;
    } cases[] = {
        {"picture", "rows", 8, 2, 17, "no input \"image\""},
        {"image", "boxes", 8, 2, 17, "no output \"rows\""},
        {"image", "rows", 9, 2, 17, "input \"image\" has shape [1,3,8,9], not [1,3,8,8]"},
        {"image", "rows", 8, 3, 17, "output \"rows\" has shape [1,3,6], not [1,2,6]"},
        {"image", "rows", 0, 2, 17, "[1,3,8,?]"},
        {"image", "rows", 8, 2, 12, "opset 12"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        save_graph(cases[i].input, cases[i].output, cases[i].width, cases[i].rows, cases[i].opset);
        assert_int_equal(artifact_fixture_pack(&fixture, true), RUNG_INTEGRITY);
        assert_error_has(cases[i].sentence);
        assert_error_has(fixture.graph);
        assert_int_equal(rung__path_kind(fixture.model), RUNG__PATH_MISSING);
    }
}

static void a_failed_packing_leaves_the_old_file(void **state)
{
    (void)state;
    struct rung__buffer before, after;
    pack(true, &before);
    save_graph("picture", "rows", 8, 2, 17);
    assert_int_equal(artifact_fixture_pack(&fixture, true), RUNG_INTEGRITY);
    artifact_fixture_load(fixture.model, &after);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    rung__buffer_finish(&after);
    rung__buffer_finish(&before);
}

static void the_spec_names_the_graph_when_nobody_else_does(void **state)
{
    (void)state;
    rung_pack_options options = {.struct_size = sizeof options,
                                 .version = RUNG_STRUCT_VERSION,
                                 .spec_path = fixture.spec,
                                 .output_path = fixture.model};
    assert_int_equal(rung_artifact_pack(&options), RUNG_INVALID_ARGUMENT);
    assert_error_has("\"graph\"");
    json_t *spec = artifact_fixture_spec();
    json_object_set_new(spec, "graph", json_string("tiny.onnx"));
    artifact_fixture_save_spec(&fixture, spec);
    json_decref(spec);
    assert_int_equal(rung_artifact_pack(&options), RUNG_OK);
}

static void options_of_another_version_are_refused(void **state)
{
    (void)state;
    rung_pack_options options = {.struct_size = sizeof options,
                                 .version = RUNG_STRUCT_VERSION + 1,
                                 .spec_path = fixture.spec,
                                 .output_path = fixture.model};
    assert_int_equal(rung_artifact_pack(&options), RUNG_VERSION);
    options.version = RUNG_STRUCT_VERSION;
    options.reserved[3] = 1;
    assert_int_equal(rung_artifact_pack(&options), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_artifact_pack(NULL), RUNG_INVALID_ARGUMENT);
}

/* ---- the layout that docs/artifact.md gives ------------------------------------------------ */

static void sections_lie_in_the_order_of_their_kinds_without_waste(void **state)
{
    (void)state;
    struct rung__buffer file;
    pack(false, &file);
    const uint32_t count = rung__get_u32(file.data + 224);
    uint64_t end = 256 + 24 * (uint64_t)count;
    uint32_t kind = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry = file.data + 256 + 24 * (size_t)i;
        assert_true(rung__get_u32(entry) > kind);
        kind = rung__get_u32(entry);
        assert_int_equal(rung__get_u64(entry + 8), (end + 63) / 64 * 64);
        end = rung__get_u64(entry + 8) + rung__get_u64(entry + 16);
    }
    assert_int_equal(end, file.size);
    assert_int_equal(rung__get_u64(file.data + 208), 96 + 4 * 80); /* the packet of 4 targets */
    rung__buffer_finish(&file);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, remove_test_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(same_inputs_give_same_bytes),
        IN_FOLDER(only_the_signature_differs_between_two_signed_files),
        IN_FOLDER(signing_afterwards_gives_what_packing_signs),
        IN_FOLDER(another_signature_replaces_the_first),
        IN_FOLDER(what_the_digest_tells_can_be_signed_elsewhere_and_attached),
        IN_FOLDER(digest_and_attach_need_all_their_arguments),
        IN_FOLDER(secrets_are_for_their_owner_and_keys_are_never_overwritten),
        IN_FOLDER(a_graph_that_is_not_what_the_spec_says_is_not_packed),
        IN_FOLDER(a_failed_packing_leaves_the_old_file),
        IN_FOLDER(the_spec_names_the_graph_when_nobody_else_does),
        IN_FOLDER(options_of_another_version_are_refused),
        IN_FOLDER(sections_lie_in_the_order_of_their_kinds_without_waste),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
