/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_PREPROCESS_H
#define RUNG__KERNEL_PREPROCESS_H

#include "kernel/fit.h"

/** Pixels along a side of a frame. */
#define RUNG__FRAME_SIDE_MAX 65535u

/** A picture in memory. */
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

/** The byte of each stored channel inside a pixel of the surface. */
void rung__pixel_channels(const struct rung__canvas *canvas, const struct rung__surface *surface,
                          uint32_t offsets[3]);

/** The bytes of the tensor of a canvas. */
uint64_t rung__tensor_bytes(const struct rung__canvas *canvas);

/**
 * One frame in the making. The surface was checked, the placement made for it by rung__fit, the
 * tensor is aligned for its elements.
 */
struct rung__preprocess_frame {
    const struct rung__canvas *canvas;
    const struct rung__placement *placement;
    const struct rung__surface *surface;
    void *tables; /**< 64-byte aligned */
    void *tensor;
};

/**
 * What makes tensors with one resampler (preprocess.md). Every implementation gives the same bytes.
 * All memory is the caller's, and sizes are multiples of 64 bytes, so that one block can hold all.
 */
struct rung__resampler {
    /** The bytes of `tables`, at least 0. */
    uint64_t (*tables_bytes)(const struct rung__resampler *self, const struct rung__canvas *canvas,
                             const struct rung__placement *placement);
    /** Fills them: they hold for every frame with this canvas, placement and pixel format. */
    void (*make_tables)(const struct rung__resampler *self,
                        const struct rung__preprocess_frame *frame);
    /** The bytes that each call of `rows` needs for itself, 64-byte aligned, content not kept. */
    uint64_t (*scratch_bytes)(const struct rung__resampler *self, const struct rung__canvas *canvas,
                              const struct rung__placement *placement);
    /**
     * Makes the rows first..end of the canvas, fill included. Calls for other rows of the frame may
     * run on other threads, each with scratch of its own.
     */
    void (*rows)(const struct rung__resampler *self, const struct rung__preprocess_frame *frame,
                 uint32_t first, uint32_t end, void *scratch);
    /** What an instruction set adds to functions that several share; NULL: nothing. */
    const void *parts;
};

struct rung__preprocess_kernels {
    struct rung__resampler resamplers[RUNG_RESAMPLER_NEAREST + 1]; /**< by rung_resampler */
};

/** Fills the table with the best implementations for `cpu_flags` (0: the scalar oracle). */
void rung__preprocess_init(struct rung__preprocess_kernels *kernels, uint64_t cpu_flags);

/** The scalar oracle of all resamplers. */
extern const struct rung__resampler rung__resampler_c;

/** The bytes of tables and scratch for one call of rung__preprocess. */
uint64_t rung__preprocess_workspace(const struct rung__preprocess_kernels *kernels,
                                    const struct rung__canvas *canvas,
                                    const struct rung__placement *placement);

/** Makes a whole tensor on the calling thread. The workspace is 64-byte aligned. */
void rung__preprocess(const struct rung__preprocess_kernels *kernels,
                      const struct rung__canvas *canvas, const struct rung__placement *placement,
                      const struct rung__surface *surface, void *workspace, void *tensor);

#endif
