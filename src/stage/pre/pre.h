/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_PRE_H
#define RUNG__STAGE_PRE_H

#include "kernel/preprocess.h"
#include "stage/contract.h"
#include "stage/readiness.h"

/** What the stage `preprocess` is asked for: one frame to a tensor (preprocess.md). */
struct rung__pre_request {
    const struct rung__canvas *canvas;
    const struct rung__placement *placement;
    const struct rung__surface *surface; /**< checked; may be NULL for `reserve` */
    void *tensor;
    /**
     * NULL: the tensor is ready when `run` returns (independent_stage_execution). Else it may be
     * entered here with `generation`, for the consumer to wait.
     */
    struct rung__readiness *readiness;
    uint64_t generation;
};

/** Kernels and their memory: what the implementations on a CPU have in common. */
struct rung__framer {
    struct rung__ledger *ledger;
    struct rung__preprocess_kernels kernels;
    uint32_t workers; /**< each has scratch of its own */
    uint8_t *tables, *scratch;
    uint64_t tables_bytes, scratch_bytes; /**< of the latter for one worker */
    struct rung__placement placement;     /**< the tables are for this one */
    uint32_t format;                      /**< and this pixel format; 0: there are none yet */
};

void rung__framer_init(struct rung__framer *framer, const struct rung__stage_context *context,
                       uint64_t cpu_flags, uint32_t workers);
void rung__framer_finish(struct rung__framer *framer);

/** Memory for a request like this one. Results: OK, NO_MEMORY. */
rung_result rung__framer_reserve(struct rung__framer *framer,
                                 const struct rung__pre_request *request);

/** Makes the tables, where those of the frame before do not serve. Results: OK, NO_MEMORY. */
rung_result rung__framer_begin(struct rung__framer *framer, const struct rung__pre_request *request,
                               struct rung__preprocess_frame *out);

/** Rows of a begun frame by one worker, 0..workers - 1. */
void rung__framer_rows(const struct rung__framer *framer,
                       const struct rung__preprocess_frame *frame, uint32_t worker, uint32_t first,
                       uint32_t end);

/** The operations on one thread: an object is a framer. */
rung_result rung__framer_create(const struct rung__stage_context *context, uint64_t cpu_flags,
                                void **object);
rung_result rung__pre_reserve(void *object, const void *request);
rung_result rung__pre_run(void *object, void *request);
void rung__pre_destroy(void *object);

#endif
