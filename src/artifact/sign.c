/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures: made here, or elsewhere. */
#include <rung/artifact.h>

#include <string.h>

#include "artifact/artifact.h"
#include "artifact/header.h"
#include "artifact/signature.h"
#include "base/error.h"
#include "base/file.h"

#define MODE_PUBLIC 0644u

/* ---- what is signed ---------------------------------------------------------------------- */

/** The message for the owner of one key: who that is stands in the header, and so is signed too. */
struct message {
    uint8_t head[RUNG__HEADER_BYTES];
    struct rung__bytes rest; /**< all behind the header stays as it is */
    uint8_t digest[RUNG__SHA256_BYTES];
};

static void make_header(const struct rung__artifact *artifact,
                        const uint8_t key_id[RUNG__KEY_ID_BYTES], uint64_t message_bytes,
                        uint8_t to[RUNG__HEADER_BYTES])
{
    struct rung__header header = artifact->view.header;
    header.flags |= RUNG__FLAG_SIGNED;
    header.file_bytes = message_bytes + RUNG__SIGNATURE_BYTES;
    header.signature_offset = message_bytes;
    memcpy(header.key_id, key_id, RUNG__KEY_ID_BYTES);
    rung__header_encode(&header, to);
}

static rung_result hash(struct message *message)
{
    struct rung__sha256 sha;
    rung_result result = rung__sha256_init(&sha);
    if (result != RUNG_OK)
        return result;
    result = rung__sha256_update(&sha, message->head, sizeof message->head);
    if (result == RUNG_OK)
        result = rung__sha256_update(&sha, message->rest.data, message->rest.size);
    if (result == RUNG_OK)
        result = rung__sha256_result(&sha, message->digest);
    rung__sha256_finish(&sha);
    return result;
}

/* It borrows from the artifact. */
static rung_result make_message(const struct rung__artifact *artifact,
                                const uint8_t key_id[RUNG__KEY_ID_BYTES], struct message *out)
{
    const uint64_t message_bytes = rung__header_message_bytes(&artifact->view.header);
    make_header(artifact, key_id, message_bytes, out->head);
    rung__bytes_slice(artifact->view.file, sizeof out->head, message_bytes - sizeof out->head,
                      &out->rest);
    return hash(out);
}

/* Without a signature it is the message alone. */
static rung_result write(const struct message *message, const uint8_t *signature, const char *path)
{
    struct rung__file_writer writer;
    rung_result result = rung__file_writer_begin(&writer, path, MODE_PUBLIC);
    if (result == RUNG_OK)
        result = rung__file_writer_write(&writer, message->head, sizeof message->head);
    if (result == RUNG_OK)
        result = rung__file_writer_write(&writer, message->rest.data, message->rest.size);
    if (result == RUNG_OK && signature)
        result = rung__file_writer_write(&writer, signature, RUNG__SIGNATURE_BYTES);
    if (result == RUNG_OK)
        result = rung__file_writer_commit(&writer, true);
    return result;
}

/* ---- made here --------------------------------------------------------------------------- */

rung_result rung_artifact_sign(const char *path, const char *key_path, const char *output_path)
{
    struct rung__artifact artifact = {0};
    struct message message;
    uint8_t key_id[RUNG__KEY_ID_BYTES], signature[RUNG__SIGNATURE_BYTES];
    void *key = NULL;
    if (!path || !key_path)
        return rung__fail(RUNG_INVALID_ARGUMENT, "a model file and a private key are needed");
    rung_result result = rung__key_load_private(key_path, &key, key_id);
    if (result == RUNG_OK)
        result = rung__artifact_admit(path, RUNG__ADMIT_STRUCTURE, NULL, &artifact);
    if (result == RUNG_OK)
        result = make_message(&artifact, key_id, &message);
    if (result == RUNG_OK)
        result = rung__signature_make(key, message.digest, signature);
    if (result == RUNG_OK)
        result = write(&message, signature, output_path ? output_path : path);
    rung__artifact_finish(&artifact);
    rung__key_free(key);
    return result;
}

/* ---- made elsewhere ---------------------------------------------------------------------- */

rung_result rung_artifact_digest(const char *path, const char *public_key_path,
                                 const char *message_path, uint8_t digest[RUNG__SHA256_BYTES])
{
    struct rung__artifact artifact = {0};
    struct message message;
    uint8_t key_id[RUNG__KEY_ID_BYTES];
    void *key = NULL;
    if (!path || !public_key_path || !digest)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "a model file, a public key and room for the digest are needed");
    rung_result result = rung__key_load_public(public_key_path, &key, key_id);
    if (result == RUNG_OK)
        result = rung__artifact_admit(path, RUNG__ADMIT_STRUCTURE, NULL, &artifact);
    if (result == RUNG_OK)
        result = make_message(&artifact, key_id, &message);
    if (result == RUNG_OK && message_path)
        result = write(&message, NULL, message_path);
    if (result == RUNG_OK)
        memcpy(digest, message.digest, sizeof message.digest);
    rung__artifact_finish(&artifact);
    rung__key_free(key);
    return result;
}

/* Takes r and s as they are, or their DER, whichever is good for the key: a DER may have 64 bytes
 * too. */
static rung_result read_signature(struct rung__bytes bytes, void *key,
                                  const uint8_t digest[RUNG__SHA256_BYTES],
                                  uint8_t out[RUNG__SIGNATURE_BYTES])
{
    rung_result result = RUNG_INTEGRITY;
    if (bytes.size == RUNG__SIGNATURE_BYTES) {
        memcpy(out, bytes.data, bytes.size);
        result = rung__signature_verify(key, digest, out);
    }
    if (result == RUNG_INTEGRITY && rung__signature_from_der(bytes, out))
        result = rung__signature_verify(key, digest, out);
    return result;
}

static rung_result load_signature(const char *path, void *key, const char *key_path,
                                  const uint8_t digest[RUNG__SHA256_BYTES],
                                  uint8_t out[RUNG__SIGNATURE_BYTES])
{
    struct rung__buffer bytes = {0};
    rung_result result = rung__file_load(path, RUNG__PEM_BYTES_MAX, &bytes);
    if (result != RUNG_OK)
        return result;
    result = read_signature(rung__buffer_bytes(&bytes), key, digest, out);
    if (result == RUNG_INTEGRITY)
        result = rung__fail(RUNG_INTEGRITY,
                            "%s is no signature of this model by the key in %s: neither 64 bytes r "
                            "and s nor their DER, or over another message; sign with SHA-256 what "
                            "`rung digest --message` writes for this key",
                            path, key_path);
    rung__buffer_finish(&bytes);
    return result;
}

rung_result rung_artifact_attach(const char *path, const char *signature_path,
                                 const char *public_key_path, const char *output_path)
{
    struct rung__artifact artifact = {0};
    struct message message;
    uint8_t key_id[RUNG__KEY_ID_BYTES], signature[RUNG__SIGNATURE_BYTES];
    void *key = NULL;
    if (!path || !signature_path || !public_key_path)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "a model file, a signature and a public key are needed");
    rung_result result = rung__key_load_public(public_key_path, &key, key_id);
    if (result == RUNG_OK)
        result = rung__artifact_admit(path, RUNG__ADMIT_STRUCTURE, NULL, &artifact);
    if (result == RUNG_OK)
        result = make_message(&artifact, key_id, &message);
    if (result == RUNG_OK)
        result = load_signature(signature_path, key, public_key_path, message.digest, signature);
    if (result == RUNG_OK)
        result = write(&message, signature, output_path ? output_path : path);
    rung__artifact_finish(&artifact);
    rung__key_free(key);
    return result;
}
