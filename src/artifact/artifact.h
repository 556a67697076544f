/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_ARTIFACT_H
#define RUNG__ARTIFACT_ARTIFACT_H

#include "artifact/format.h"
#include "artifact/trust.h"
#include "artifact/view.h"
#include "base/file.h"

/**
 * A model file that was admitted: structure, digest, signature and trust are in order, and `view`
 * stays what was verified for as long as this lives.
 */
struct rung__artifact {
    char *path;
    struct rung__file file;
    struct rung__memory_file copy; /**< used when the file can be written by others */
    bool copied;
    bool fresh; /**< changed so shortly before that its times may not tell a further change */
    bool is_signed;
    struct rung__layout layout;
    struct rung__artifact_view view;
    uint8_t message_digest[RUNG__SHA256_BYTES]; /**< of all but the signature */
    uint8_t signature[RUNG__SIGNATURE_BYTES];   /**< zero when unsigned */
    char digest_text[2 * RUNG__SHA256_BYTES + 1];
    char key_id_text[2 * RUNG__KEY_ID_BYTES + 1]; /**< "" when unsigned */
    uint64_t bundle_files, bundle_bytes;          /**< 0 when the payload is no bundle */
    char *bundle; /**< the private copy of the bundle, when it was admitted to be loaded */
};

/** How much of it is asked. */
enum rung__admission {
    RUNG__ADMIT_STRUCTURE, /**< header, sections, content digest, graph: for tools that only look */
    RUNG__ADMIT_TRUSTED,   /**< and a signature of a trusted key */
    RUNG__ADMIT_UNSIGNED   /**< and, where there is a signature, a good one of a trusted key */
};

/**
 * Opens and checks, a bundle where it lies. Results: OK, IO (no regular file, no magic), INTEGRITY,
 * PERMISSION, VERSION, UNSUPPORTED, NO_MEMORY. `trust` is not used by RUNG__ADMIT_STRUCTURE and may
 * then be NULL. End with rung__artifact_finish; after a failure there is nothing to end.
 */
rung_result rung__artifact_admit(const char *path, enum rung__admission admission,
                                 const struct rung__trust *trust, struct rung__artifact *out);

/**
 * The same for a model that is then loaded: a bundle is admitted into `cache`, the user's own cache
 * folder, and `bundle` is its private copy there, which is what was verified. Without a folder
 * (NULL) bundles are refused. Results: the same.
 */
rung_result rung__artifact_admit_to_load(const char *path, enum rung__admission admission,
                                         const struct rung__trust *trust, const char *cache,
                                         struct rung__artifact *out);
void rung__artifact_finish(struct rung__artifact *artifact);

/** What a model file says of itself. Nothing of it is proved. */
struct rung__glance {
    uint64_t bytes;                        /**< the file's size */
    struct rung__header header;            /**< all zero when it cannot be read */
    uint8_t canonical[RUNG__SHA256_BYTES]; /**< section 8, zeros without one */
};

/**
 * Looks at a file without hashing it: only header, section table and section 8 are read, and the
 * first two checked. `bytes` is told also when it is no model file; 0 when it cannot be opened.
 * Results: OK, IO, INTEGRITY, VERSION, UNSUPPORTED.
 */
rung_result rung__artifact_look(const char *path, struct rung__glance *out);

/** INTEGRITY when the file is no longer what was verified (a private copy never changes). */
rung_result rung__artifact_check_unchanged(const struct rung__artifact *artifact);

/** The labels: count, and one of them (not zero-ended). 0 without section 3. */
uint32_t rung__artifact_label_count(const struct rung__artifact_view *view);
struct rung__bytes rung__artifact_label(const struct rung__artifact_view *view, uint32_t index);

/** The capabilities of a class (section 9), 0 without. */
uint32_t rung__artifact_capabilities(const struct rung__artifact_view *view, uint32_t class_id);

#endif
