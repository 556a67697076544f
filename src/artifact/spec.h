/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_SPEC_H
#define RUNG__ARTIFACT_SPEC_H

#include "artifact/format.h"
#include "artifact/heads.h"
#include "base/json.h"

/** The version of the schema that docs/artifact.md describes. */
#define RUNG__SPEC_SCHEMA 1u

/** The most that is read of a spec file. */
#define RUNG__SPEC_BYTES_MAX ((size_t)16 << 20)

/** A spec file, read and checked: everything of a model file but its payload. */
struct rung__spec {
    struct rung__header header; /**< what the spec says; sizes, digest and signature are zero */
    struct rung__tensors tensors;
    struct rung__buffer sections[RUNG__SECTION_KNOWN]; /**< by kind, empty: absent */
    char *graph;                                       /**< the payload's path, or NULL */
    char *bundle;                                      /**< or, when it is a bundle, its locator */
};

/**
 * Reads a spec from JSON. `where` begins each sentence (the name of the file), and names of files
 * inside are relative to `folder`. Results: OK, INVALID_ARGUMENT, UNSUPPORTED, IO, NO_MEMORY. End
 * with rung__spec_finish, also after a failure.
 */
rung_result rung__spec_read(const json_t *json, const char *where, const char *folder,
                            struct rung__spec *out);
void rung__spec_finish(struct rung__spec *spec);

#endif
