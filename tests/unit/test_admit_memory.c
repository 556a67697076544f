/* SPDX-License-Identifier: Apache-2.0 */
/* Promise: admission allocates no block above 1 MiB, however large the file is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include <jansson.h>
#include <openssl/crypto.h>

#include "artifact/artifact.h"
#include "artifact_fixture.h"
#include "folder_fixture.h"
#include "tiny_onnx.h"

#define LIMIT_BYTES   ((size_t)1 << 20)
#define PAYLOAD_BYTES ((size_t)12 << 20)

/* The linker sends the library's allocations here (--wrap); libcrypto and jansson are asked to. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static size_t largest, blocks;

static void note(size_t size)
{
    blocks++;
    if (size > largest)
        largest = size;
}

void *__wrap_malloc(size_t size)
{
    note(size);
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    note(count * size);
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    note(size);
    return __real_realloc(block, size);
}

static void *crypto_malloc(size_t size, const char *file, int line)
{
    (void)file, (void)line;
    return __wrap_malloc(size);
}

static void *crypto_realloc(void *block, size_t size, const char *file, int line)
{
    (void)file, (void)line;
    return __wrap_realloc(block, size);
}

static void crypto_free(void *block, const char *file, int line)
{
    (void)file, (void)line;
    free(block);
}

static void save_large_graph(const struct artifact_fixture *fixture)
{
    static const float rows[12] = {0};
    struct rung__buffer graph = {0};
    tiny_rows(&graph, &(struct tiny_rows){.input = "image",
                                          .output = "rows",
                                          .width = 8,
                                          .height = 8,
                                          .rows = rows,
                                          .row_count = 2,
                                          .opset = 17,
                                          .ballast = PAYLOAD_BYTES});
    artifact_fixture_save(fixture->graph, rung__buffer_bytes(&graph));
    rung__buffer_finish(&graph);
}

static void no_block_of_admission_is_above_1_mib(void **state)
{
    (void)state;
    struct artifact_fixture fixture;
    struct rung__trust trust;
    artifact_fixture_make(&fixture, test_folder);
    save_large_graph(&fixture);
    assert_int_equal(artifact_fixture_pack(&fixture, true), RUNG_OK);
    assert_true(largest > PAYLOAD_BYTES); /* packing does: so we do count */
    artifact_fixture_trust(&fixture, &trust);

    static const mode_t modes[] = {0600, 0660}; /* served in place, and from a copy */
    for (size_t i = 0; i < 2; i++) {
        struct rung__artifact artifact;
        assert_int_equal(chmod(fixture.model, modes[i]), 0);
        largest = blocks = 0;
        assert_int_equal(
            rung__artifact_admit(fixture.model, RUNG__ADMIT_TRUSTED, &trust, &artifact), RUNG_OK);
        assert_true(artifact.copied == (i == 1));
        assert_true(blocks > 0);
        assert_true(largest <= LIMIT_BYTES);
        rung__artifact_finish(&artifact);
    }
    rung__trust_finish(&trust);
}

static void no_block_of_a_bundle_is_above_1_mib(void **state)
{
    (void)state;
    struct artifact_fixture fixture;
    struct rung__trust trust;
    struct rung__artifact artifact;
    char path[256], cache[256];
    struct rung__buffer weights = {0};
    artifact_fixture_make(&fixture, test_folder);
    artifact_fixture_make_bundle(&fixture);
    assert_int_equal(rung__buffer_append(&weights, NULL, PAYLOAD_BYTES), RUNG_OK);
    artifact_fixture_save(in_test_folder(path, ARTIFACT_FIXTURE_LOCATOR "/weights"),
                          rung__buffer_bytes(&weights));
    rung__buffer_finish(&weights);
    assert_int_equal(artifact_fixture_pack(&fixture, true), RUNG_OK);
    artifact_fixture_trust(&fixture, &trust);

    largest = blocks = 0;
    in_test_folder(cache, "cache");
    for (size_t i = 0; i < 2; i++) { /* the copy is made, and found */
        assert_int_equal(rung__artifact_admit_to_load(fixture.model, RUNG__ADMIT_TRUSTED, &trust,
                                                      cache, &artifact),
                         RUNG_OK);
        assert_int_equal(artifact.bundle_files, ARTIFACT_FIXTURE_FILES + 1);
        rung__artifact_finish(&artifact);
    }
    assert_true(blocks > 0);
    assert_true(largest <= LIMIT_BYTES);
    rung__trust_finish(&trust);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_block_of_admission_is_above_1_mib, make_test_folder,
                                        remove_test_folder),
        cmocka_unit_test_setup_teardown(no_block_of_a_bundle_is_above_1_mib, make_test_folder,
                                        remove_test_folder),
    };
    if (CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free) != 1)
        return 1;
    json_set_alloc_funcs(__wrap_malloc, free);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
