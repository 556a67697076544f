/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_VECTORS_H
#define RUNG_VECTORS_H

#include <rung/export.h>
#include <rung/result.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The parity certificate of a device (docs/porting.md): files of test vectors, written by a
 * reference program that shares nothing with the library, run with every implementation of the
 * exact arithmetic that this machine can run. A cold function for tools.
 */

/** What came of one file with one implementation. The strings live for the callback. */
typedef struct rung_vectors_outcome {
    uint32_t struct_size;       /**< sizeof(rung_vectors_outcome), set by the library */
    uint32_t version;           /**< RUNG_STRUCT_VERSION, set by the library */
    const char *implementation; /**< such as "scalar" */
    const char *group;          /**< what the file is about, such as "preprocess" */
    uint32_t cases;             /**< in the file: the sum of the next three */
    uint32_t passed;            /**< every byte as expected */
    uint32_t failed;
    uint32_t not_applicable; /**< this version cannot run them, so they prove nothing */
    const char *reason;      /**< why, for the first of those; "" without any */
    const char *failed_case; /**< the id of the first that failed; "" without any */
    const char *failure;     /**< the sentence about it: what, which byte, found, expected */
    uint64_t reserved[8];
} rung_vectors_outcome;

/** Receives the outcome of each implementation in turn, on the calling thread. */
typedef void (*rung_vectors_callback)(void *user, const rung_vectors_outcome *outcome);

/**
 * Runs the cases of one file (JSON, at most 16 MiB) with every implementation, and compares every
 * byte with the expected one. The whole file is read and checked before the first case runs. A
 * failed case does not keep the others from running.
 *
 * `callback` may be NULL. What a case describes takes at most 64 MiB at a time for each of its
 * parts. Safe from any thread.
 * Results: OK (nothing failed, though cases may not have been applicable), INTEGRITY (a case
 * failed; the detail is the sentence about the first), INVALID_ARGUMENT (a mistake in the file),
 * IO (it cannot be read), NO_MEMORY, UNSUPPORTED (libcrypto refuses SHA-256).
 */
RUNG_API rung_result rung_vectors_run(const char *path, rung_vectors_callback callback, void *user);

#ifdef __cplusplus
}
#endif

#endif
