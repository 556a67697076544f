/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as a file of test vectors. Cases that need little memory are also run, as `rung vectors`
 * does: whatever a file describes, kernels must stay inside their blocks.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "stage/vectors_check.h"

/* More would be slow, and show nothing else. */
#define BLOCK_BYTES_MAX ((size_t)1 << 14)

static void *take(size_t size)
{
    return size <= BLOCK_BYTES_MAX ? malloc(size ? size : 1) : NULL;
}

static void give(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct rung__vectors_memory little = {take, give};
    struct rung__vectors vectors = {0};
    rung_result result =
        rung__vectors_parse((struct rung__bytes){data, size}, "vectors.json", &vectors);
    for (size_t i = 0; result == RUNG_OK && i < vectors.count; i++) {
        struct rung__vectors_case vector;
        REQUIRE(rung__vectors_read(&vectors, i, &vector) == RUNG_OK);
        (void)rung__vectors_check(&vector, 0, &little);
        rung__vectors_case_finish(&vector);
    }
    rung__vectors_finish(&vectors);
    return 0;
}
