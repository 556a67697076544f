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
 * In the two-call form of rung_plan_describe. For the thread that uses the context. Results: OK,
 * INVALID_ARGUMENT, CAPACITY, NO_MEMORY.
 */
RUNG_API rung_result rung_context_metadata(const rung_context *context, rung_span to,
                                           size_t *needed);

/**
 * Preprocesses a frame alone, into a tensor of the caller's: what the model of the context would be
 * given. It is ready when the function returns.
 *
 * `tensor` must be 64-byte aligned. `*needed` (may be NULL) is set to its bytes, also when they do
 * not fit: then CAPACITY, and nothing is written. For the thread that uses the context. Results:
 * OK, INVALID_ARGUMENT, VERSION, CAPACITY, NO_MEMORY.
 */
RUNG_API rung_result rung_preprocess(rung_context *context, const rung_frame *frame,
                                     rung_span tensor, size_t *needed);

#ifdef __cplusplus
}
#endif

#endif
