/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_HEADER_H
#define RUNG__ARTIFACT_HEADER_H

#include "artifact/format.h"

/** Protobuf itself ends below 2 GiB, so a model file never needs more than this. */
#define RUNG__FILE_BYTES_MAX (UINT64_C(4) << 30)

/** What a caller may have to allocate for one packet: the mask of the largest canvas fits. */
#define RUNG__OUTPUT_BYTES_MAX (UINT64_C(1) << 30)

#define RUNG__EMBEDDING_MAX 65536u

/** True when the bytes begin as a model file does. */
bool rung__header_has_magic(struct rung__bytes head);

/**
 * Reads the first 256 bytes of a file of `file_bytes` and checks every rule about them. Results:
 * OK, VERSION, INTEGRITY, each with a sentence on the field.
 */
rung_result rung__header_parse(struct rung__bytes head, uint64_t file_bytes,
                               struct rung__header *out);

/**
 * The rules about what a header says of the model, without those about the file around it; turns
 * -0 in scale and bias into +0. Results: OK, INTEGRITY.
 */
rung_result rung__header_admit(struct rung__header *header);

/** The part of it about the canvas. Results: OK, INTEGRITY. */
rung_result rung__canvas_admit(struct rung__canvas *canvas);

/** The part of it about thresholds and counts. Results: OK, INTEGRITY. */
rung_result rung__selection_check(const struct rung__selection *selection);

/** True for a text that may name a model: `[a-z0-9][a-z0-9._-]*`, at most 64 characters. */
bool rung__name_is_valid(const char *name);

/** Writes the 256 bytes. */
void rung__header_encode(const struct rung__header *header, uint8_t to[RUNG__HEADER_BYTES]);

/** True for a kind of payload that is a bundle; no other is one. */
bool rung__kind_is_bundle(uint32_t kind);

/** The bytes that a signature covers: all but the signature. */
uint64_t rung__header_message_bytes(const struct rung__header *header);

#endif
