/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_SHA256_H
#define RUNG__BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include <rung/result.h>

#define RUNG__SHA256_BYTES 32

/** A digest in the making, libcrypto's. */
struct rung__sha256 {
    void *state;
};

/** Results of all: OK, NO_MEMORY, UNSUPPORTED (libcrypto refuses). End with rung__sha256_finish. */
rung_result rung__sha256_init(struct rung__sha256 *sha);
rung_result rung__sha256_update(struct rung__sha256 *sha, const void *data, size_t size);
/** Once, at the end. */
rung_result rung__sha256_result(struct rung__sha256 *sha, uint8_t digest[RUNG__SHA256_BYTES]);
void rung__sha256_finish(struct rung__sha256 *sha);

/** The digest of bytes at hand. */
rung_result rung__sha256_of(const void *data, size_t size, uint8_t digest[RUNG__SHA256_BYTES]);

struct rung__file;

/** The digest of a file's content, read in parts. Results also: IO. */
rung_result rung__sha256_of_file(const struct rung__file *file, uint8_t digest[RUNG__SHA256_BYTES]);

#endif
