/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"

#include <stdlib.h>

#include <openssl/evp.h>

#include "base/error.h"
#include "base/file.h"

#define PART_BYTES ((size_t)1 << 20)

static rung_result refused(void)
{
    return rung__fail(RUNG_UNSUPPORTED,
                      "libcrypto has no SHA-256; look at its configuration and providers");
}

rung_result rung__sha256_init(struct rung__sha256 *sha)
{
    sha->state = EVP_MD_CTX_new();
    if (!sha->state)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a SHA-256 digest");
    if (EVP_DigestInit_ex(sha->state, EVP_sha256(), NULL) == 1)
        return RUNG_OK;
    rung__sha256_finish(sha);
    return refused();
}

rung_result rung__sha256_update(struct rung__sha256 *sha, const void *data, size_t size)
{
    return EVP_DigestUpdate(sha->state, data, size) == 1 ? RUNG_OK : refused();
}

rung_result rung__sha256_result(struct rung__sha256 *sha, uint8_t digest[RUNG__SHA256_BYTES])
{
    return EVP_DigestFinal_ex(sha->state, digest, NULL) == 1 ? RUNG_OK : refused();
}

void rung__sha256_finish(struct rung__sha256 *sha)
{
    EVP_MD_CTX_free(sha->state);
    sha->state = NULL;
}

rung_result rung__sha256_of(const void *data, size_t size, uint8_t digest[RUNG__SHA256_BYTES])
{
    return EVP_Digest(data, size, digest, NULL, EVP_sha256(), NULL) == 1 ? RUNG_OK : refused();
}

rung_result rung__sha256_of_file(const struct rung__file *file, uint8_t digest[RUNG__SHA256_BYTES])
{
    struct rung__sha256 sha = {0};
    uint8_t *part = malloc(PART_BYTES);
    size_t got = 0;
    rung_result result =
        part ? rung__sha256_init(&sha) : rung__fail(RUNG_NO_MEMORY, "no memory to read a file");
    if (result != RUNG_OK) {
        free(part);
        return result;
    }
    for (uint64_t at = 0; result == RUNG_OK; at += got) {
        result = rung__file_read_some(file, at, part, PART_BYTES, &got);
        if (result != RUNG_OK || !got)
            break;
        result = rung__sha256_update(&sha, part, got);
    }
    if (result == RUNG_OK)
        result = rung__sha256_result(&sha, digest);
    rung__sha256_finish(&sha);
    free(part);
    return result;
}
