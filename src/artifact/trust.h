/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_TRUST_H
#define RUNG__ARTIFACT_TRUST_H

#include "artifact/format.h"
#include "base/log.h"

/** A trusted public key. */
struct rung__trusted_key {
    uint8_t id[RUNG__KEY_ID_BYTES];
    void *key; /**< EVP_PKEY */
    char *path;
};

/** All zero is the empty set: nothing signed is admitted. Read-only once built. */
struct rung__trust {
    struct rung__trusted_key *keys;
    size_t count;
    char *searched; /**< the places that were looked in, for the sentence of a refusal */
};

/**
 * Adds a PEM file, or every *.pem of a folder. A missing folder adds nothing; a file that is no
 * P-256 public key is an error when named itself, and a logged warning in a folder. Results: OK,
 * IO, INVALID_ARGUMENT, NO_MEMORY.
 */
rung_result rung__trust_add(struct rung__trust *trust, const char *path,
                            const struct rung__log *log);

/** The same for each part of a list ("/a.pem:/b"). */
rung_result rung__trust_add_list(struct rung__trust *trust, const char *list,
                                 const struct rung__log *log);
void rung__trust_finish(struct rung__trust *trust);

/** Says whether a key of this id is trusted, before anything is hashed. Results: OK, PERMISSION. */
rung_result rung__trust_find(const struct rung__trust *trust, const uint8_t id[RUNG__KEY_ID_BYTES]);

/** The file that a trusted key of this id was read from; NULL when there is none. */
const char *rung__trust_path(const struct rung__trust *trust, const uint8_t id[RUNG__KEY_ID_BYTES]);

/** Verifies with the trusted keys of this id. Results: OK, INTEGRITY, PERMISSION, NO_MEMORY. */
rung_result rung__trust_verify(const struct rung__trust *trust,
                               const uint8_t id[RUNG__KEY_ID_BYTES],
                               const uint8_t digest[RUNG__SHA256_BYTES],
                               const uint8_t signature[RUNG__SIGNATURE_BYTES]);

#endif
