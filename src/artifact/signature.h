/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_SIGNATURE_H
#define RUNG__ARTIFACT_SIGNATURE_H

#include "artifact/format.h"

/*
 * ECDSA over P-256 and SHA-256. A key is libcrypto's EVP_PKEY; a signature is r and s, 32 bytes
 * each, big-endian, one behind the other.
 */

/** The most that is read of a PEM file. */
#define RUNG__PEM_BYTES_MAX 65536u

/**
 * Reads a public key (SubjectPublicKeyInfo) from PEM. `what` begins the sentence. Results: OK,
 * INVALID_ARGUMENT (no PEM, no public key, no P-256 key). End with rung__key_free.
 */
rung_result rung__key_read_public(struct rung__bytes pem, const char *what, void **key);

/** The same for a private key (PKCS #8 or SEC 1, not encrypted). */
rung_result rung__key_read_private(struct rung__bytes pem, const char *what, void **key);
void rung__key_free(void *key);

/** Makes a new key. Results: OK, BACKEND, NO_MEMORY. */
rung_result rung__key_make(void **key);

/** Appends a key as PEM. Results: OK, BACKEND, NO_MEMORY. */
rung_result rung__key_write_private(void *key, struct rung__buffer *to);
rung_result rung__key_write_public(void *key, struct rung__buffer *to);

/** The first bytes of the SHA-256 of the key's SubjectPublicKeyInfo. Results: OK, NO_MEMORY. */
rung_result rung__key_id(void *key, uint8_t id[RUNG__KEY_ID_BYTES]);

/** Reads a key from a PEM file, and its id. Results: those of the reading functions, IO. End with
 * rung__key_free, also after a failure (`*key` is then NULL or the key). */
rung_result rung__key_load_private(const char *path, void **key, uint8_t id[RUNG__KEY_ID_BYTES]);
rung_result rung__key_load_public(const char *path, void **key, uint8_t id[RUNG__KEY_ID_BYTES]);

/** Takes r and s out of their DER, which is all of the bytes; false when it is none, or of longer
 * numbers. */
bool rung__signature_from_der(struct rung__bytes der, uint8_t signature[RUNG__SIGNATURE_BYTES]);

/** Empties libcrypto's list of errors of this thread; true when one of them is a lack of memory. */
bool rung__crypto_lacks_memory(void);

/** Results: OK, BACKEND. */
rung_result rung__signature_make(void *key, const uint8_t digest[RUNG__SHA256_BYTES],
                                 uint8_t signature[RUNG__SIGNATURE_BYTES]);

/** Results: OK, INTEGRITY (it is not the key's signature of this digest), NO_MEMORY. */
rung_result rung__signature_verify(void *key, const uint8_t digest[RUNG__SHA256_BYTES],
                                   const uint8_t signature[RUNG__SIGNATURE_BYTES]);

#endif
