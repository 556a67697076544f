/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/vectors_compare.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

void *rung__vectors_take(struct rung__vectors_run *run, uint64_t size, uint8_t pattern)
{
    assert(run->block_count < sizeof run->blocks / sizeof *run->blocks);
    void *memory = size <= SIZE_MAX ? run->memory->take((size_t)size) : NULL;
    if (!memory) {
        rung__fail(RUNG_NO_MEMORY, "no memory for %" PRIu64 " bytes", size);
        return NULL;
    }
    memset(memory, pattern, (size_t)size);
    run->blocks[run->block_count].memory = memory;
    run->blocks[run->block_count++].size = (size_t)size;
    return memory;
}

rung_result rung__vectors_same(const char *what, uint64_t actual, uint64_t expected)
{
    if (actual == expected)
        return RUNG_OK;
    return rung__fail(RUNG_INTEGRITY, "%s is %" PRIu64 "; %" PRIu64 " was expected", what, actual,
                      expected);
}

rung_result rung__vectors_same_bits(const char *what, uint32_t actual, uint32_t expected)
{
    if (actual == expected)
        return RUNG_OK;
    return rung__fail(RUNG_INTEGRITY, "%s is 0x%08x; 0x%08x was expected", what, actual, expected);
}

rung_result rung__vectors_same_list(const char *what, const uint32_t *actual,
                                    const uint32_t *expected, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (actual[i] != expected[i])
            return rung__fail(RUNG_INTEGRITY, "%s: element %u is %u; %u was expected", what, i,
                              actual[i], expected[i]);
    return RUNG_OK;
}

/** Where there is only a digest, it cannot tell which byte is wrong. */
static rung_result same_digest(const char *what, const void *bytes, size_t size,
                               const uint8_t expected[RUNG__SHA256_BYTES])
{
    uint8_t digest[RUNG__SHA256_BYTES];
    char found[2 * RUNG__SHA256_BYTES + 1], wanted[2 * RUNG__SHA256_BYTES + 1];
    const rung_result result = rung__sha256_of(bytes, size, digest);
    if (result != RUNG_OK || memcmp(digest, expected, sizeof digest) == 0)
        return result;
    rung__text_hex(found, digest, sizeof digest);
    rung__text_hex(wanted, expected, sizeof digest);
    return rung__fail(RUNG_INTEGRITY, "%s: the %zu bytes have SHA-256 %s; %s was expected", what,
                      size, found, wanted);
}

rung_result rung__vectors_same_bytes(const char *what, const void *bytes, size_t size,
                                     const struct rung__vectors_blob *expected)
{
    const uint8_t *actual = bytes;
    if (size != expected->size)
        return rung__fail(RUNG_INTEGRITY, "%s: there are %zu bytes; %" PRIu64 " were expected",
                          what, size, expected->size);
    for (size_t i = 0; expected->bytes && i < size; i++)
        if (actual[i] != expected->bytes[i])
            return rung__fail(RUNG_INTEGRITY, "%s: byte %zu of %zu is 0x%02x; 0x%02x was expected",
                              what, i, size, actual[i], expected->bytes[i]);
    return same_digest(what, bytes, size, expected->digest);
}

rung_result rung__vectors_same_place(const struct rung__placement *actual,
                                     const struct rung__placement *expected)
{
    if (actual->width == expected->width && actual->height == expected->height &&
        actual->x == expected->x && actual->y == expected->y)
        return RUNG_OK;
    return rung__fail(RUNG_INTEGRITY,
                      "content and origin are %ux%u at %u,%u; %ux%u at %u,%u was expected",
                      actual->width, actual->height, actual->x, actual->y, expected->width,
                      expected->height, expected->x, expected->y);
}

struct rung__placement rung__vectors_place(const struct rung__vectors_place *place)
{
    struct rung__placement placement;
    rung__fit(&place->canvas, &place->crop, &placement);
    return placement;
}
