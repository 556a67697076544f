/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_PEERS_OURS_H
#define BENCH_PEERS_OURS_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/candidate.h"

/*
 * What ours.py calls: Rung's own stages on the calling thread, at one level of instructions each
 * (rung__cpu_level). The structures have the same members there. A function …_new gives NULL when
 * it is asked for what it has not.
 */
#define BENCH_API __attribute__((visibility("default")))

/** The name of a level, "scalar" first, then rising; NULL past the end. */
BENCH_API const char *bench_level_name(uint32_t level);

/** Takes memory out of the caches of all processors. */
BENCH_API void bench_evict(const void *memory, size_t bytes);

/* ---- from a picture to a tensor (preprocess.c) --------------------------------------------- */

/** An RGB8 picture without padding, and a canvas with the numbers of rung/types.h. */
struct bench_form {
    uint32_t width, height, canvas_width, canvas_height;
    uint32_t resampler, fit, dtype, layout;
};

struct bench_preprocess;
BENCH_API struct bench_preprocess *bench_preprocess_new(uint32_t level,
                                                        const struct bench_form *form);
/** Both are 64-byte aligned. f32 values are 0..1, u8 ones are as in the picture. */
BENCH_API void bench_preprocess_run(const struct bench_preprocess *bench, const uint8_t *pixels,
                                    void *tensor);
BENCH_API void bench_preprocess_delete(struct bench_preprocess *bench);

/* ---- the least that memory asks of that (touch.c) ------------------------------------------- */

/**
 * For `bilinear` to planar f32: reads the rows that it reads, in its order and each once, and
 * stores a tensor, with the widest loads and stores of the level. A canvas width is a multiple of
 * 16, a row of the picture 64 bytes or more.
 */
struct bench_touch;
BENCH_API struct bench_touch *bench_touch_new(uint32_t level, const struct bench_form *form);
BENCH_API void bench_touch_run(const struct bench_touch *bench, const uint8_t *pixels,
                               void *tensor);
BENCH_API void bench_touch_delete(struct bench_touch *bench);

/* ---- from a model's output to what is kept (selection.c) ------------------------------------ */

struct bench_rules {
    uint32_t min_confidence, iou, flags, capacity, considered, max_targets;
};

struct bench_selection;
BENCH_API struct bench_selection *bench_selection_new(uint32_t level,
                                                      const struct bench_rules *rules);
/** Selects among candidates; gives how many are kept. */
BENCH_API uint32_t bench_selection_run(const struct bench_selection *bench,
                                       const struct rung__candidate *candidates, uint32_t count);
/** The numbers of those that were kept last, best first. */
BENCH_API const uint32_t *bench_selection_order(const struct bench_selection *bench);
BENCH_API void bench_selection_delete(struct bench_selection *bench);

/** A head (rung/types.h) whose first output is [1, rows, columns]. The picture is the canvas. */
struct bench_head_form {
    uint32_t head, canvas_width, canvas_height, rows, columns;
};

struct bench_head;
BENCH_API struct bench_head *bench_head_new(uint32_t level, const struct bench_head_form *form,
                                            const struct bench_rules *rules);
/** Decodes and selects; gives how many are kept. `second` is the second output or NULL. */
BENCH_API uint32_t bench_head_run(struct bench_head *bench, const float *first,
                                  const float *second);
BENCH_API const struct rung__candidate *bench_head_candidates(const struct bench_head *bench);
BENCH_API const uint32_t *bench_head_order(const struct bench_head *bench);
BENCH_API void bench_head_delete(struct bench_head *bench);

#endif
