/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_PREPROCESS_H
#define RUNG__KERNEL_PREPROCESS_H

#include "kernel/fit.h"

/** A picture in memory. */
/** Pixels along a side of a frame. */
#define RUNG__FRAME_SIDE_MAX 65535u

struct rung__surface {
    const uint8_t *pixels;
    uint64_t stride; /**< bytes */
    uint32_t width, height;
    uint32_t format; /**< rung_pixel_format */
};

/** Checks a surface and a crop with a sentence: INVALID_ARGUMENT. Does not touch the pixels. */
rung_result rung__surface_check(const struct rung__surface *surface, const struct rung__crop *crop);

/** The bytes of a pixel of a format, 0 for an unknown format. */
uint32_t rung__pixel_bytes(uint32_t format);

/** The bytes of the tensor of a canvas. */
uint64_t rung__tensor_bytes(const struct rung__canvas *canvas);

/** The bytes of workspace that one frame needs; it is 8-byte aligned and its content is not kept.
 */
uint64_t rung__preprocess_workspace(const struct rung__canvas *canvas,
                                    const struct rung__placement *placement);

/**
 * Makes the tensor of preprocess.md. Every implementation gives the same bytes. The surface was
 * checked, the placement made for it by rung__fit, the tensor is aligned for its elements.
 */
typedef void rung__preprocess_fn(const struct rung__canvas *canvas,
                                 const struct rung__placement *placement,
                                 const struct rung__surface *surface, void *workspace,
                                 void *tensor);

/** The scalar oracle. */
rung__preprocess_fn rung__preprocess_c;

struct rung__preprocess_kernels {
    rung__preprocess_fn *run;
};

/** Fills the table with the best implementations for `cpu_flags` (0: the scalar oracle). */
void rung__preprocess_init(struct rung__preprocess_kernels *kernels, uint64_t cpu_flags);

#endif
