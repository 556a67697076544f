/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_OUTCOME_H
#define RUNG__LADDER_OUTCOME_H

#include <stdint.h>

#include "artifact/names.h"
#include "base/sha256.h"
#include "runtime/execution.h"

/** What a probe found a rung to be. */
enum rung__outcome_kind {
    RUNG__OUTCOME_UNMEASURED,
    RUNG__OUTCOME_ABSENT,
    RUNG__OUTCOME_REFUSED, /**< it killed its process twice */
    RUNG__OUTCOME_FAILED,
    RUNG__OUTCOME_CRASHED,
    RUNG__OUTCOME_TIMEOUT,
    RUNG__OUTCOME_WRONG,
    RUNG__OUTCOME_SLOWER,
    RUNG__OUTCOME_CHOSEN
};

extern const struct rung__names rung__outcome_names;

#define RUNG__OUTCOME_REASON 600

/** An outcome with its reason and, for what answered, its figures. */
struct rung__outcome {
    enum rung__outcome_kind kind;
    char reason[RUNG__OUTCOME_REASON];
    char executed_by[RUNG__EXECUTED_BY_BYTES];
    char library[2 * RUNG__SHA256_BYTES + 1]; /**< its runtime's, by digest; "": unknown */
    uint32_t runs;                            /**< that were timed */
    uint32_t threads;                         /**< of one run; 0: it was not run */
    uint64_t build_ns, first_ns, median_ns;
    uint64_t peak_bytes; /**< of the child's memory */
};

/** Sets kind and reason; what the reason has too much is cut. */
__attribute__((format(printf, 3, 4))) void rung__outcome_set(struct rung__outcome *outcome,
                                                             enum rung__outcome_kind kind,
                                                             const char *format, ...);

#endif
