/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_ARTIFACT_H
#define RUNG_ARTIFACT_H

#include <rung/export.h>
#include <rung/instance.h>
#include <rung/result.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Making and checking model files (docs/artifact.md). These are cold functions for tools; serving
 * needs only rung/model.h. All of them are safe from any thread.
 *
 * Results that several of them share: IO (a path that cannot be read or written, is no regular
 * file, or is no model file), INTEGRITY (a model file that is damaged), PERMISSION (not trusted).
 */

/**
 * Makes an ECDSA P-256 key pair as PEM files: `private_path` (PKCS #8, mode 0600) and `public_path`
 * (SubjectPublicKeyInfo, 0644). Neither may exist already, and a failure makes neither.
 * Results: OK, INVALID_ARGUMENT, ALREADY_EXISTS, IO, BACKEND (no randomness), NO_MEMORY.
 */
RUNG_API rung_result rung_key_generate(const char *private_path, const char *public_path);

/** What goes into a model file. */
typedef struct rung_pack_options {
    uint32_t struct_size; /**< sizeof(rung_pack_options) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    const char
        *spec_path; /**< JSON (docs/artifact.md); files it names are relative to its folder */
    const char *graph_path;  /**< the payload; NULL: the spec's "graph", or its "bundle" */
    const char *output_path; /**< written whole or not at all; replaced when it exists */
    const char *key_path;    /**< private PEM; NULL: the file is unsigned */
    uint64_t reserved[4];
} rung_pack_options;

/**
 * Packs a model file: reads the spec and the graph, compares the two, writes, signs.
 * The same inputs give the same bytes, the signature aside.
 * Results: OK, INVALID_ARGUMENT (the spec is wrong), INTEGRITY (the graph is not what the spec
 * says), UNSUPPORTED, IO, NO_MEMORY.
 */
RUNG_API rung_result rung_artifact_pack(const rung_pack_options *options);

/**
 * Signs a model file, signed already or not, with a private PEM key. `output_path` may equal `path`
 * or be NULL for that; it is written whole or not at all.
 * Results: OK, INVALID_ARGUMENT (the key is wrong), INTEGRITY, VERSION, UNSUPPORTED, IO, BACKEND
 * (signing failed), NO_MEMORY.
 */
RUNG_API rung_result rung_artifact_sign(const char *path, const char *key_path,
                                        const char *output_path);

/**
 * Tells what the owner of a public key (PEM) is to sign, where the private key is not at hand: the
 * bytes of the model file as they will be signed, and their SHA-256, `digest`. The key's id is
 * among them. `message_path` (may be NULL) receives the bytes, whole or not at all. Results: OK,
 * INVALID_ARGUMENT (the key is wrong), INTEGRITY, VERSION, UNSUPPORTED, IO, NO_MEMORY.
 */
RUNG_API rung_result rung_artifact_digest(const char *path, const char *public_key_path,
                                          const char *message_path, uint8_t digest[32]);

/**
 * Puts a signature that was made elsewhere into a model file, signed already or not. The file
 * `signature_path` holds r and s, 32 bytes each, big-endian, or their DER, as openssl writes it.
 * `output_path` may equal `path` or be NULL for that; it is written whole or not at all, and not
 * before the signature has proved to be that key's over what rung_artifact_digest tells.
 * Results: OK, INVALID_ARGUMENT (the key is wrong), INTEGRITY (also a wrong signature), VERSION,
 * UNSUPPORTED, IO, NO_MEMORY.
 */
RUNG_API rung_result rung_artifact_attach(const char *path, const char *signature_path,
                                          const char *public_key_path, const char *output_path);

/**
 * Checks structure, digest, signature and trust of a model file, and whether an engine is for this
 * device, as rung_model_open does.
 * Results: OK, INVALID_ARGUMENT, IO, INTEGRITY, PERMISSION, VERSION, UNSUPPORTED, NO_MEMORY.
 */
RUNG_API rung_result rung_artifact_verify(rung_instance *instance, const char *path);

/** What rung_artifact_inspect writes. */
typedef enum rung_inspect_form {
    RUNG_INSPECT_REPORT = 1, /**< a JSON object of everything in the file */
    RUNG_INSPECT_SPEC = 2    /**< a spec that packs, with the payload, to the same bytes */
} rung_inspect_form;

/**
 * Describes a model file without trusting it: structure and digest are checked, the signature is
 * reported as it is ("signed" says only that there is one).
 *
 * `json` receives UTF-8 with a terminating zero; `*needed` (may be NULL) the size with that zero,
 * also when it does not fit.
 * Results: OK, INVALID_ARGUMENT, CAPACITY, IO, INTEGRITY, VERSION, UNSUPPORTED, NO_MEMORY.
 */
RUNG_API rung_result rung_artifact_inspect(const char *path, rung_inspect_form form, rung_span json,
                                           size_t *needed);

#ifdef __cplusplus
}
#endif

#endif
