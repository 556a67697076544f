/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_DECODE_H
#define RUNG__KERNEL_DECODE_H

#include "kernel/candidate.h"
#include "kernel/fit.h"
#include "kernel/scan.h"

/** A model output, f32, C order. */
struct rung__values {
    const float *data;
    const struct rung__tensor *tensor; /**< its declared shape */
};

/** What a head decodes. Shapes and parameters were checked at admission (artifact/heads.h). */
struct rung__decode_request {
    const struct rung__canvas *canvas;
    const struct rung__mapping *mapping;
    const struct rung__selection *selection;
    const struct rung__tensors *tensors;
    const struct rung__scan_kernels *scan;          /**< of the table that the decoder is from */
    struct rung__values outputs[RUNG__OUTPUTS_MAX]; /**< by purpose */
    /**
     * Survivors that Selection does not consider may be left out, uncounted, while there are more
     * than it considers. What it selects, and that it leaves something out, is the same then.
     */
    bool considered_only;
};

/** What comes out. The caller gives the memory. */
struct rung__decoded {
    struct rung__candidate *candidates; /**< selection.capacity of them */
    int32_t *points;     /**< capacity × points_per pairs, NULL for heads without key points */
    uint32_t *rows;      /**< row number of each candidate (capacity of them), or NULL */
    uint32_t points_per; /**< set: pairs of each candidate */
    uint32_t count;      /**< set: candidates kept */
    uint64_t survivors;  /**< set: those and the ones that the capacity left out */
};

typedef void rung__decode_fn(const struct rung__decode_request *request,
                             struct rung__decoded *decoded);

struct rung__decode_kernels {
    rung__decode_fn
        *heads[RUNG_HEAD_FASTESTDET + 1]; /**< by rung_head; NULL: this version has none */
    struct rung__scan_kernels scan;       /**< for the requests; the oracles do without */
};

void rung__decode_init(struct rung__decode_kernels *kernels, uint64_t cpu_flags);

/** The most pairs of key points that a head gives a candidate. */
uint32_t rung__head_points(uint32_t head);

#endif
