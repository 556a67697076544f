/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_FRAME_H
#define RUNG__SESSION_FRAME_H

#include <rung/frame.h>

#include "base/imported.h"
#include "kernel/preprocess.h"

struct rung_surface {
    struct rung__imported memory;
};

/**
 * Copies a caller's frame and makes a surface and a crop of it, all checked. Results: OK,
 * INVALID_ARGUMENT, VERSION.
 */
rung_result rung__frame_read(const rung_frame *callers, rung_frame *frame,
                             struct rung__surface *surface, struct rung__crop *crop);

#define RUNG__FENCE_MS 5000u /* that a fence is waited for; include/rung/frame.h */

/** Around all reading of a frame's pixels: waits for its fence, and has its memory made ready.
 * Results: OK, TIMEOUT, IO, UNSUPPORTED. */
rung_result rung__frame_begin_read(const rung_frame *frame, uint32_t fence_ms);
void rung__frame_end_read(const rung_frame *frame);

#endif
