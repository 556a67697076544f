/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_PACK_H
#define RUNG__ARTIFACT_PACK_H

#include "artifact/spec.h"

/** The payload, and the content digest: of a graph its SHA-256, of a locator its bundle's. */
struct rung__payload {
    struct rung__bytes bytes;
    uint8_t digest[RUNG__SHA256_BYTES];
};

/**
 * Puts a spec and a payload together: everything of the file but the signature, for the owner of
 * `key_id` to sign, or unsigned when that is NULL. The same inputs give the same bytes. `where` is
 * the spec's name for sentences. Results: OK, INVALID_ARGUMENT (the spec), INTEGRITY (the graph is
 * not what the spec says), UNSUPPORTED, NO_MEMORY.
 */
rung_result rung__pack(const struct rung__spec *spec, const char *where,
                       const struct rung__payload *payload, const uint8_t *key_id,
                       struct rung__buffer *message);

/** Signs what was packed for that key (NULL: not), and writes the file whole or not at all.
 * Results: OK, BACKEND (signing failed), IO, NO_MEMORY. */
rung_result rung__pack_save(struct rung__buffer *message, void *key, const char *path);

#endif
