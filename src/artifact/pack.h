/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_PACK_H
#define RUNG__ARTIFACT_PACK_H

#include "artifact/spec.h"

/**
 * Puts a spec and a payload together: everything of the file but the signature, for the owner of
 * `key_id` to sign, or unsigned when that is NULL. The same inputs give the same bytes. `where` is
 * the spec's name for sentences. Results: OK, INVALID_ARGUMENT (the spec), INTEGRITY (the graph is
 * not what the spec says), UNSUPPORTED, NO_MEMORY.
 */
rung_result rung__pack(const struct rung__spec *spec, const char *where, struct rung__bytes payload,
                       const uint8_t *key_id, struct rung__buffer *message);

#endif
