/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_SELECT_H
#define RUNG__KERNEL_SELECT_H

#include "artifact/format.h"
#include "kernel/candidate.h"

/** Step 1 of Selection: may this candidate go on? */
bool rung__candidate_is_admitted(const struct rung__candidate *candidate,
                                 const struct rung__selection *selection, uint32_t k);

/** Step 4: does an accepted target rule this candidate out? */
bool rung__candidate_rules_out(const struct rung__candidate *target,
                               const struct rung__candidate *candidate,
                               const struct rung__selection *selection);

/** What selection keeps. */
struct rung__selected {
    uint32_t *order; /**< candidate numbers in packet order; the caller gives max_targets of them */
    uint32_t count;  /**< set */
    uint32_t admitted; /**< set: by step 1 */
    uint32_t
        accepted;    /**< set: by suppression, of the considered; more than count: some left out */
    bool incomplete; /**< set: something was left out by `considered` or max_targets */
};

/** Bytes of workspace for up to `count` candidates, 8-byte aligned. */
typedef uint64_t rung__select_workspace_fn(const struct rung__selection *selection, uint32_t count);

/** Steps 1 to 5. At most 65,536 candidates. */
typedef void rung__select_fn(const struct rung__candidate *candidates, uint32_t count,
                             const struct rung__selection *selection, uint32_t k, void *workspace,
                             struct rung__selected *selected);

/** The scalar oracle. */
rung__select_workspace_fn rung__select_workspace_c;
rung__select_fn rung__select_c;

struct rung__select_kernels {
    rung__select_workspace_fn *workspace_bytes;
    rung__select_fn *run;
};

void rung__select_init(struct rung__select_kernels *kernels, uint64_t cpu_flags);
void rung__select_init_avx2(struct rung__select_kernels *kernels);
void rung__select_init_avx512(struct rung__select_kernels *kernels);
void rung__select_init_neon(struct rung__select_kernels *kernels);

#endif
