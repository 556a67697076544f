/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_PLAN_H
#define RUNG_PLAN_H

#include <rung/context.h>
#include <rung/export.h>
#include <rung/instance.h>
#include <rung/model.h>
#include <rung/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The stages around a model (preprocess, buffer, schedule, postprocess, engine) have several
 * implementations, which all give the same bytes. A plan says which one each stage is to have
 * (docs/stages.md). As JSON:
 *
 *   {"preprocessor": "auto", "buffer": "auto", "scheduler": "auto", "postprocessor": "auto",
 *    "engine": "auto", "allow_compatibility_fallback": true}
 *
 * Each member may be missing; these are the defaults. "auto" takes the first implementation that is
 * validated on this device, else "base".
 */

/**
 * Writes JSON, with a zero behind it, of what a context would have here: `catalog` (all
 * implementations, with their metadata), `plan`, and `stages` (for each the requested and the
 * effective id, and why).
 *
 * `plan` NULL: what the environment says (RUNG_PREPROCESSOR and so on), else auto. `model` NULL:
 * for any model. `flags` are those of rung_context_options; only RUNG_CONTEXT_SERIES matters.
 * Nothing is constructed. `*needed` (may be NULL) is set to the size; too small a span is CAPACITY,
 * and nothing is written. Safe from any thread. Results: OK, INVALID_ARGUMENT (also a plan that
 * names what there is not), UNSUPPORTED (something cannot serve here, and the plan allows no
 * fallback), CAPACITY, NO_MEMORY.
 */
RUNG_API rung_result rung_plan_describe(rung_instance *instance, rung_model *model,
                                        const char *plan, uint32_t flags, rung_span to,
                                        size_t *needed);

/**
 * Writes JSON, with a zero behind it, of what a context has: `plan`, `stages` (for each the
 * requested and the effective id, and why), `metadata` of the five effective implementations, and
 * `last_request`, the same of the last frame: null before the first one.
 *
 * In the two-call form of rung_plan_describe. Safe from any thread. Results: OK, INVALID_ARGUMENT,
 * CAPACITY, BUSY (the context is at work), DEVICE_LOST, NO_MEMORY.
 */
RUNG_API rung_result rung_context_metadata(rung_context *context, rung_span to, size_t *needed);

/*
 * What rung_detect, rung_embed and rung_segment do, step by step, for those who look at a tensor,
 * or make it themselves. The same bytes come out. They are for a context that nobody else uses
 * between the steps; each is BUSY where it is at work.
 */

/**
 * Preprocesses a frame alone, into a tensor of the caller's: what the model of the context would be
 * given. It is ready when the function returns.
 *
 * `tensor` must be 64-byte aligned. `*needed` (may be NULL) is set to its bytes, also when they do
 * not fit: then CAPACITY, and nothing is written. Safe from any thread. Results: OK,
 * INVALID_ARGUMENT, VERSION, CAPACITY, BUSY, TIMEOUT (the frame's fence), DEVICE_LOST, NO_MEMORY.
 */
RUNG_API rung_result rung_preprocess(rung_context *context, const rung_frame *frame,
                                     rung_span tensor, size_t *needed);

/**
 * Runs the model alone on such a tensor, which is copied to where the runtime reads it. What it
 * answered is in rung_context_get_output, and in the context for rung_postprocess.
 *
 * `tensor` must be 64-byte aligned; `size` is rung_preprocess's. Safe from any thread. Results: OK,
 * INVALID_ARGUMENT, BUSY, BACKEND, DEVICE_LOST, NO_MEMORY.
 */
RUNG_API rung_result rung_run(rung_context *context, const void *tensor, size_t size);

/**
 * Makes the packet of what the model answered last, for the frame that its tensor was made of: the
 * sizes, the crop and the ids count, and the pixels are not read.
 *
 * `packet` and `needed` are those of rung_detect. Safe from any thread. Results: OK,
 * INVALID_ARGUMENT, VERSION, CAPACITY, BUSY, BACKEND, DEVICE_LOST.
 */
RUNG_API rung_result rung_postprocess(rung_context *context, const rung_frame *frame,
                                      rung_span packet, size_t *needed);

/** How the stages around a model are validated. All zero (but for size and version) is a good
 * default. */
typedef struct rung_validate_options {
    uint32_t struct_size;   /**< sizeof(rung_validate_options) */
    uint32_t version;       /**< RUNG_STRUCT_VERSION */
    uint32_t flags;         /**< 0 */
    uint32_t time_limit_ms; /**< of each implementation; 0: 20000 */
    /** What is looked at, borrowed for the call, at most 64: real pictures, of the sizes that are
     * to come. `frame_count` 0: one of the canvas' size and one of 1280 × 720 are made. */
    const rung_frame *const *frames;
    uint32_t frame_count;
    uint32_t reserved_0;
    uint64_t reserved[6];
} rung_validate_options;

/** What became of one implementation. The strings live for the callback, and none is NULL. */
typedef struct rung_validation {
    uint32_t struct_size; /**< sizeof(rung_validation), set by the library */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the library */
    uint32_t flags;       /**< 0 */
    uint32_t rounds;      /**< that were timed; 0: there were none, and the figures are 0 */
    const char *stage;
    const char *implementation;
    const char *outcome; /**< "recorded", "shipped", "slower", "different", "failed", "unmeasured",
                              "unsuited" or "unkept" (docs/stages.md) */
    const char *reason;  /**< one line */
    const char *digest;  /**< SHA-256 of the outputs, 64 hexadecimal digits; "": there was no
                              comparison, or they differ */
    uint64_t base_ns;    /**< median of base: the step of a frame, in a series a whole frame */
    uint64_t p50_ns;     /**< likewise of the implementation */
    uint64_t reserved[6];
} rung_validation;

/** Receives the implementations one after the other, on the calling thread. */
typedef void (*rung_validation_callback)(void *user, const rung_validation *row);

/**
 * Earns validation records for the stages around a model, on the rung that it is loaded on: every
 * implementation that can serve here looks at the same frames as base, in turns, and their bytes
 * are compared and their times taken.
 *
 * One that gives base's bytes, and is faster than base and than what would be taken without it, has
 * a record in the user's state folder, and "auto" takes it from then on: in contexts that are made
 * later, on the same device, level of instructions and version, and with the same model where that
 * matters. One that is no faster, or differs, loses a record that it had. Bytes that differ are an
 * outcome ("different"), not a failure of this call, and so is a folder that cannot be written
 * ("unkept").
 *
 * `options` may be NULL, `callback` too. It takes seconds, and what else the machine does shows in
 * the times. Safe from any thread. Results: OK, those of rung_context_create and rung_detect for
 * base, INVALID_ARGUMENT, VERSION, NO_MEMORY.
 */
RUNG_API rung_result rung_model_validate(rung_model *model, const rung_validate_options *options,
                                         rung_validation_callback callback, void *user);

#ifdef __cplusplus
}
#endif

#endif
