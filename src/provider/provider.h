/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__PROVIDER_PROVIDER_H
#define RUNG__PROVIDER_PROVIDER_H

#include <rung/provider.h>
#include <rung/result.h>

#include "artifact/format.h"
#include "base/log.h"
#include "runtime/execution.h"
#include "runtime/runtime.h"

/*
 * Whole models only: a provider loads one complete model and runs it; raw tensors go in and come
 * out. Pre- and post-processing, workers and tickets are the session's. Those of this library and
 * those that are registered from outside (external.h) are called alike.
 */

/** What a provider is given to load. It all lives until destroy_model. */
struct rung__model_request {
    const struct rung__artifact_view *artifact;
    const struct rung__execution *execution; /**< NULL: on the CPU */
    uint32_t threads;                        /**< of one run, at least 1 */
    const char *helper; /**< the program rung-probe (runtime/helper.h), NULL: there is none */
    bool expendable;    /**< this process may die of it: what may kill is not tried in another */
};

/** What a loaded model says of itself; a dimension that is not fixed is 0. */
struct rung__model_report {
    struct rung__tensor input;
    struct rung__tensor outputs[RUNG__OUTPUTS_MAX];
    uint32_t input_count, output_count;
    uint32_t input_alignment, output_alignments[RUNG__OUTPUTS_MAX]; /**< of their memory */
    /** What a provider tells that compiles for itself, with engines of its own. */
    bool compiled, from_engine;
    uint32_t surfaces, copied_surfaces; /**< RUNG_PROVIDER_SURFACE_* that it could import */
    /** The execution provider below, such as "CPUExecutionProvider". */
    char executed_by[RUNG__EXECUTED_BY_BYTES];
};

/** The memory a context runs on: owned by the context, aligned as reported, outputs in the report's
 * order. */
struct rung__model_memory {
    void *input;
    uint64_t input_bytes;
    void *outputs[RUNG__OUTPUTS_MAX];
    uint64_t output_bytes[RUNG__OUTPUTS_MAX];
};

struct rung__provider {
    uint32_t struct_size; /**< sizeof(struct rung__provider) */
    uint32_t version;     /**< 1 */
    const char *name;
    uint64_t compatibility; /**< its bit in the artifact's provider compatibility */

    /** Looks for the device that it computes on. OK, UNSUPPORTED (there is none, or it could not be
     * asked). NULL: what the rung needs is all that it needs. */
    rung_result (*find_device)(const struct rung__provider *provider);
    /** Loads: cold work. `*model` is set on success. OK, BACKEND, UNSUPPORTED, INTEGRITY,
     * NO_MEMORY. */
    rung_result (*create_model)(const struct rung__provider *provider,
                                const struct rung__model_request *request, void **model);
    void (*destroy_model)(void *model);
    /** Describes what was loaded; asked before any context is made. Results: OK. */
    rung_result (*query_model)(const void *model, struct rung__model_report *report);
    /** Allocates all that running needs. `*memory` is the context's. OK, BACKEND, NO_MEMORY. */
    rung_result (*create_context)(void *model, struct rung__model_memory *memory, void **context);
    void (*destroy_context)(void *context);
    /** Runs once from the input to the outputs; returns when that is done. OK, CANCELLED, BACKEND,
     * DEVICE_LOST, NO_MEMORY. After a failure it can run again, unless the device is lost. */
    rung_result (*run)(void *context);
    /** Asks the run that is under way to end early, from any thread while the context lives;
     * without one it does nothing. One that is about to end may still end well, and one that begins
     * meanwhile may be the one that hears it. NULL: runs end by themselves. */
    void (*cancel)(void *context);
    /** What the context and its model hold; it changes what it knows. From any thread. NULL: it
     * knows nothing. Call it by rung__provider_memory. */
    void (*memory_stats)(const void *context, rung_provider_memory *memory);

    const struct rung__runtime *runtime; /**< loaded before create_model; NULL: it needs none */
    bool needs_helper;                   /**< loads nothing without the helper program */
    bool single_threaded;                /**< takes no notice of the request's threads */
};

extern const struct rung__provider rung__provider_ort, rung__provider_tract, rung__provider_dummy;

/**
 * Loads a model and compares what was loaded with what the artifact declares: every difference is
 * refused by name, and the model is gone again. Results: those of create_model, and INTEGRITY.
 */
rung_result rung__provider_load(const struct rung__provider *provider,
                                const struct rung__model_request *request, void **model,
                                struct rung__model_report *report);

/** What a context and its model hold, RUNG_PROVIDER_UNKNOWN where the provider cannot tell. */
void rung__provider_memory(const struct rung__provider *provider, const void *context,
                           rung_provider_memory *out);

/** Fills a report of a model with one known input. */
void rung__model_report_fill(struct rung__model_report *report, const struct rung__tensor *input,
                             uint32_t input_count, const struct rung__tensor *outputs,
                             uint32_t output_count, const char *executed_by);

/** Allocates the memory of a report, zeroed. OK, NO_MEMORY. End with rung__model_memory_finish. */
rung_result rung__model_memory_create(const struct rung__model_report *report,
                                      struct rung__model_memory *out);
void rung__model_memory_finish(struct rung__model_memory *memory);

/** The bytes of it. */
uint64_t rung__model_memory_bytes(const struct rung__model_memory *memory);

#endif
