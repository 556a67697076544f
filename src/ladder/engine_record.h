/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_ENGINE_RECORD_H
#define RUNG__LADDER_ENGINE_RECORD_H

#include "artifact/format.h"
#include "base/bytes.h"
#include "base/sha256.h"
#include "ladder/rungs.h"
#include "ladder/store.h"

/* What an engine is made of, and what was made. */

#define RUNG__ENGINE_FILES_MAX      1024u
#define RUNG__ENGINE_NAME_BYTES     128u
#define RUNG__ENGINE_PRECISION      16u
#define RUNG__ENGINE_RECORD_VERSION 1

/** As long as all of this is the same, an engine serves; the model's name is for people alone. */
struct rung__engine_key {
    char rung[RUNG__RUNG_ID_BYTES];
    char precision[RUNG__ENGINE_PRECISION];
    char artifact[2 * RUNG__SHA256_BYTES + 1];    /**< content digest of the model */
    char fingerprint[2 * RUNG__SHA256_BYTES + 1]; /**< of the device and the libraries */
    char model[RUNG__NAME_BYTES + 1];
    char name[RUNG__ENGINE_NAME_BYTES]; /**< of its folder, made of the rest */
};

/**
 * The key of a model's engine on a rung. `fingerprint` is its text. Results: OK, NO_MEMORY,
 * UNSUPPORTED (libcrypto refuses).
 */
rung_result rung__engine_key_make(const struct rung__rung *rung, const struct rung__header *header,
                                  const char *artifact, const char *fingerprint,
                                  struct rung__engine_key *out);

/** One file of an engine. */
struct rung__engine_file {
    char *path; /**< with '/' on every platform */
    uint64_t size;
    char sha256[2 * RUNG__SHA256_BYTES + 1];
};

/** What is in record.json beside an engine's files. All zero holds nothing. */
struct rung__engine_record {
    struct rung__engine_key key;
    uint64_t built;                  /**< seconds since 1970 */
    struct rung__engine_file *files; /**< sorted by the bytes of their paths */
    uint32_t count;
    uint64_t bytes; /**< of all files */
};
void rung__engine_record_finish(struct rung__engine_record *record);

/** Makes room for `count` files, which are empty. Results: OK, NO_MEMORY. */
rung_result rung__engine_record_size(struct rung__engine_record *record, uint32_t count);

/** Reads a record, which anybody may have written. Results: OK, INTEGRITY, NO_MEMORY. End with
 * rung__engine_record_finish, also after a failure. */
rung_result rung__engine_record_parse(struct rung__bytes text, const char *path,
                                      struct rung__engine_record *out);

/** Writes it. Results: OK, NO_MEMORY. */
rung_result rung__engine_record_print(const struct rung__engine_record *record,
                                      struct rung__buffer *to);

#endif
