/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_BUNDLE_H
#define RUNG__ARTIFACT_BUNDLE_H

#include "artifact/format.h"
#include "base/tree.h"

/*
 * A bundle is a folder that belongs to a model file and lies beside it or below its folder; the
 * payload is its locator, and the content digest is the bundle's (docs/artifact.md).
 */

#define RUNG__LOCATOR_BYTES_MAX 256u
#define RUNG__BUNDLE_FILES_MAX  4096u
#define RUNG__BUNDLE_PATH_MAX   1024u /**< bytes of a file's path in the bundle */
#define RUNG__BUNDLE_BYTES_MAX  (UINT64_C(4) << 30)

/** A bundle that was walked. */
struct rung__bundle {
    struct rung__tree root;
    struct rung__folder files; /**< their paths, with '/' on every platform, sorted by bytes */
    uint64_t bytes;            /**< of all files, when they were looked at */
};

/** Checks that a locator leads down from the model's folder, and nowhere else: names of
 * `[A-Za-z0-9_.-]+` with '/' between them, none "." or "..". Results: OK, INTEGRITY. */
rung_result rung__locator_check(struct rung__bytes locator);

/**
 * Opens the bundle that a checked locator leads to from `folder`, and walks it. Results: OK,
 * NOT_FOUND (no such folder), INTEGRITY (links, files with more than one name, devices, too much,
 * or nothing), IO, NO_MEMORY. End with rung__bundle_finish.
 */
rung_result rung__bundle_open(const char *folder, struct rung__bytes locator,
                              struct rung__bundle *out);
void rung__bundle_finish(struct rung__bundle *bundle);

/**
 * Reads all files once for the digest, and, unless `copy` is NULL, writes what it reads to files of
 * the same paths in the folder `copy`. Results: OK, NOT_FOUND and INTEGRITY (changed meanwhile),
 * IO, NO_MEMORY.
 */
rung_result rung__bundle_hash(const struct rung__bundle *bundle, const char *copy,
                              uint8_t digest[RUNG__SHA256_BYTES]);

/** Hashes, and compares. Results: those of rung__bundle_hash, and INTEGRITY. */
rung_result rung__bundle_check(const struct rung__bundle *bundle,
                               const uint8_t digest[RUNG__SHA256_BYTES]);

/** The sentence for a bundle with another digest. Gives INTEGRITY. */
rung_result rung__bundle_refuse(const struct rung__bundle *bundle);

/**
 * Checks a bundle and sees to its private copy, `cache`/bundles/DIGEST in the user's own cache
 * folder: one that is there is checked as well; one that is missing or damaged is made while the
 * bundle is read, so that the copy holds what was checked. `*path` is the copy's, the caller's.
 * Results: those of rung__bundle_check, and PERMISSION (others could write in the cache).
 */
rung_result rung__bundle_keep(const struct rung__bundle *bundle, const char *cache,
                              const uint8_t digest[RUNG__SHA256_BYTES], char **path);

#endif
