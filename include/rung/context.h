/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CONTEXT_H
#define RUNG_CONTEXT_H

#include <rung/export.h>
#include <rung/model.h>
#include <rung/packet.h>
#include <rung/result.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a context is made. All zero (but for size and version) is a good default. */
typedef struct rung_context_options {
    uint32_t struct_size; /**< sizeof(rung_context_options) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    uint32_t flags;       /**< 0 */
    /**
     * The largest frame that is served without allocating while a frame is handled, in pixels.
     * 0: the workspace grows when a larger frame comes.
     */
    uint32_t max_frame_width, max_frame_height;
    uint32_t reserved32;
    uint64_t reserved[6];
} rung_context_options;

/** What it takes to run one model on one frame at a time. Opaque. */
typedef struct rung_context rung_context;

/**
 * Makes a context of a model and allocates what running it needs.
 *
 * `options` may be NULL and is not kept. `*out` belongs to the caller, who ends it with
 * rung_context_destroy before its model. Safe from any thread; a context itself is for one thread
 * at a time, and several contexts of a model may run side by side. Results: OK, INVALID_ARGUMENT,
 * VERSION, BACKEND, NO_MEMORY.
 */
RUNG_API rung_result rung_context_create(rung_model *model, const rung_context_options *options,
                                         rung_context **out);

/** Ends a context. NULL is allowed. */
RUNG_API void rung_context_destroy(rung_context *context);

/** A rectangle in whole pixels of a frame. */
typedef struct rung_rect {
    uint32_t x, y, width, height;
} rung_rect;

/** A picture in the caller's memory, borrowed for the call. */
typedef struct rung_frame {
    uint32_t struct_size;   /**< sizeof(rung_frame) */
    uint32_t version;       /**< RUNG_STRUCT_VERSION */
    const void *pixels;     /**< of the first row; no alignment is needed */
    uint64_t stride;        /**< bytes from row to row, at least a row's; 0: exactly a row's */
    uint32_t width, height; /**< pixels, 1..65535 */
    rung_pixel_format format;
    uint32_t reserved32;
    rung_rect crop; /**< the part that counts; all zero: the whole frame */
    uint64_t source_id, display_id, frame_id; /**< carried into the packet */
    uint64_t session_epoch, transform_epoch, topology_epoch;
    uint64_t reserved[6];
} rung_frame;

/** What ran, beside the packet. The strings live as long as the model. */
typedef struct rung_run_info {
    uint32_t struct_size; /**< sizeof(rung_run_info), set by the caller */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the caller */
    const char *identity;
    const char *rung;
    const char *artifact; /**< SHA-256 of the payload, 64 hexadecimal digits */
    uint64_t preprocess_ns, run_ns, postprocess_ns;
    uint64_t reserved[8];
} rung_run_info;

/**
 * Detects on the calling thread: preprocesses the frame, runs the model, decodes, selects, and
 * writes the packet (rung/packet.h).
 *
 * `packet` must be 8-byte aligned. `*needed` (may be NULL) is set to the packet's size, also when
 * it does not fit: then CAPACITY, and nothing is written. A span of
 * rung_model_info.max_output_bytes always fits. No detection is an ordinary packet with count 0.
 * `info` may be NULL. Results: OK, INVALID_ARGUMENT (also a model that is no detector), VERSION,
 * CAPACITY, BACKEND, DEVICE_LOST, NO_MEMORY. After a failure the context can be used again.
 */
RUNG_API rung_result rung_detect(rung_context *context, const rung_frame *frame, rung_span packet,
                                 size_t *needed, rung_run_info *info);

#ifdef __cplusplus
}
#endif

#endif
