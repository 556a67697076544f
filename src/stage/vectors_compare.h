/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_VECTORS_COMPARE_H
#define RUNG__STAGE_VECTORS_COMPARE_H

#include "stage/vectors_check.h"

/* What the files of the check share; nobody else includes this. */

/** One case with one choice of kernels: what it took is given back at its end. */
struct rung__vectors_run {
    uint64_t cpu_flags;
    const struct rung__vectors_memory *memory;
    struct {
        void *memory;
        size_t size;
    } blocks[RUNG__OUTPUTS_MAX + 16];
    size_t block_count;
};

/** `size` bytes of `pattern` that end with the run; NULL with a sentence. */
void *rung__vectors_take(struct rung__vectors_run *run, uint64_t size, uint8_t pattern);

/** Results of all comparisons: OK, INTEGRITY with a sentence that begins with `what`. */
rung_result rung__vectors_same(const char *what, uint64_t actual, uint64_t expected);
/** f32 by their bits. */
rung_result rung__vectors_same_bits(const char *what, uint32_t actual, uint32_t expected);
rung_result rung__vectors_same_list(const char *what, const uint32_t *actual,
                                    const uint32_t *expected, uint32_t count);
rung_result rung__vectors_same_bytes(const char *what, const void *bytes, size_t size,
                                     const struct rung__vectors_blob *expected);
/** Compares the placement of a picture with the expected one. */
rung_result rung__vectors_same_place(const struct rung__placement *actual,
                                     const struct rung__placement *expected);

/** Where a case's picture comes to lie. */
struct rung__placement rung__vectors_place(const struct rung__vectors_place *place);

typedef rung_result rung__vectors_check_fn(struct rung__vectors_run *run,
                                           const struct rung__vectors_case *vector);
rung__vectors_check_fn rung__vectors_check_fit;
rung__vectors_check_fn rung__vectors_check_axis;
rung__vectors_check_fn rung__vectors_check_admission;
rung__vectors_check_fn rung__vectors_check_preprocess;
rung__vectors_check_fn rung__vectors_check_math;
rung__vectors_check_fn rung__vectors_check_decode;
rung__vectors_check_fn rung__vectors_check_select;
rung__vectors_check_fn rung__vectors_check_e2e;

#endif
