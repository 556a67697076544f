/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_VECTORS_CHECK_H
#define RUNG__STAGE_VECTORS_CHECK_H

#include "stage/vectors.h"

/** Where a check takes its memory from: a test puts every block in front of a guard page. */
struct rung__vectors_memory {
    void *(*take)(size_t size); /**< aligned as far as `size` is, up to 8; NULL without memory */
    void (*give)(void *memory, size_t size);
};

/** malloc and free. */
extern const struct rung__vectors_memory rung__vectors_heap;

/**
 * Runs a case with the kernels for these flags and compares every byte. Each block that a kernel
 * reads or writes has exactly the size that it needs. Results: OK, INTEGRITY (what differs, where,
 * and how), NOT_FOUND (there is no decoder for its head: the case is not applicable),
 * INVALID_ARGUMENT (its picture is not the one it describes), NO_MEMORY, UNSUPPORTED (libcrypto).
 */
rung_result rung__vectors_check(const struct rung__vectors_case *vector, uint64_t cpu_flags,
                                const struct rung__vectors_memory *memory);

#endif
