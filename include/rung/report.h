/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_REPORT_H
#define RUNG_REPORT_H

#include <rung/context.h>
#include <rung/export.h>
#include <rung/result.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a context is and what its frames cost (docs/report.md). The figures are kept by the thread
 * that works on a frame, without a lock and without allocating; they are read from any other.
 */

/** A figure that nobody tells: in JSON null. */
#define RUNG_REPORT_UNKNOWN UINT64_MAX

#define RUNG_RANK_MAX 8u

/** An input or an output of a model as it is in memory. */
typedef struct rung_tensor_info {
    uint32_t struct_size; /**< sizeof(rung_tensor_info), set by the caller */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the caller */
    const char *name;     /**< in the graph; it lives as long as the model */
    rung_dtype dtype;
    uint32_t layout;    /**< of the input: rung_layout; of an output 0: as its head reads it
                             (docs/heads.md) */
    uint32_t rank;      /**< 1..8 */
    uint32_t alignment; /**< of its first byte, bytes */
    uint64_t shape[RUNG_RANK_MAX]; /**< outermost first; 0 behind the rank */
    uint64_t bytes;                /**< without padding */
    uint64_t widened_bytes; /**< of an output that is no f32: that are written for each frame to
                                 have it as f32; else 0 */
    uint64_t reserved[4];
} rung_tensor_info;

/**
 * Tells of tensor `index` of the model as it is loaded: 0 is the input, the outputs follow in the
 * runtime's order. Safe from any thread while the context lives. Results: OK, INVALID_ARGUMENT,
 * VERSION, NOT_FOUND (no tensor of that index).
 */
RUNG_API rung_result rung_context_get_tensor(const rung_context *context, uint32_t index,
                                             rung_tensor_info *tensor);

/** The parts of one frame, in nanoseconds. */
typedef struct rung_report_frame {
    uint64_t preprocess_ns, run_ns, postprocess_ns;
    uint64_t whole_ns; /**< from the frame's check to its packet: the parts, and what lies between
                            them; in a series that is also the time that it waited for others */
} rung_report_frame;

/** Many lengths of time. A percentile is at most 1/32 too long (docs/report.md); the rest is exact.
 * All 0 where there was none. */
typedef struct rung_report_times {
    uint64_t count;
    uint64_t p50_ns, p95_ns, p99_ns, max_ns;
    uint64_t total_ns; /**< of all together */
} rung_report_times;

/**
 * What a context is and what its frames cost. "Since the beginning" is since the context was made,
 * or since rung_context_restart_report. The strings live as long as the model, and none is NULL.
 */
typedef struct rung_report {
    uint32_t struct_size; /**< sizeof(rung_report), set by the caller */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the caller */

    const char *identity;
    const char *rung;
    const char *reason;      /**< why that rung, one sentence */
    const char *precision;   /**< as in rung_model_info */
    const char *executed_by; /**< below the rung, such as "CPUExecutionProvider" */
    const char *artifact;    /**< SHA-256 of the payload, 64 hexadecimal digits */
    uint32_t threads;        /**< that one run was given */
    uint32_t tensor_count;   /**< of rung_context_get_tensor */

    /* Starting, in nanoseconds. */
    uint64_t open_ns;     /**< rung_model_open as a whole: verified, chosen, loaded */
    uint64_t runtime_ns;  /**< loading the runtime's library; next to nothing when it was there */
    uint64_t load_ns;     /**< loading the model, and compiling it where there was no engine */
    uint64_t context_ns;  /**< rung_context_create */
    uint64_t teardown_ns; /**< rung_context_destroy, of the model's context that ended last;
                               UNKNOWN: none has yet */
    uint32_t compiled;    /**< 1: the model was compiled for the device while it was loaded */
    uint32_t engine;      /**< 1: it was loaded from an engine that was there */

    /* Frames. */
    rung_report_frame first; /**< the very first one; all 0 before it */
    rung_report_times preprocess, run, postprocess, whole; /**< of those behind the first, since the
                                                                beginning */
    uint64_t frames;        /**< that came to a packet, since the beginning */
    uint64_t failures;      /**< that were refused or failed, since the beginning */
    uint64_t device_losses; /**< since the context was made */
    uint64_t rebuilds;      /**< after such losses; `rung` is what the last one came to */
    uint64_t cancels;       /**< of tickets that were running, that were acknowledged; since
                                 the context was made */
    uint64_t cancel_ns;     /**< that the last of them took to be; UNKNOWN: there was none */
    uint64_t imports;       /**< frames whose tensor was made where the runtime reads it */
    uint64_t copies;        /**< frames whose tensor was copied there */
    uint64_t copied_bytes;  /**< by those copies, all together */
    uint64_t widened_bytes; /**< of outputs that are no f32, all together */
    uint64_t hand_overs;    /**< from one thread of the context to another; one for each ticket */
    uint64_t allocations;   /**< by us while frames were handled: a workspace grew */

    /* Memory, in bytes. What is below the host is UNKNOWN where the rung does not tell. */
    uint64_t host_input_bytes;   /**< tensors that the runtime reads */
    uint64_t host_output_bytes;  /**< tensors that it writes */
    uint64_t host_scratch_bytes; /**< of the stages, of outputs as f32, of the context itself */
    uint64_t host_packet_bytes;  /**< room for packets that wait to be collected */
    uint64_t device_bytes;       /**< on the device: weights and tensors */
    uint64_t workspace_bytes;    /**< of the runtime, for what is between layers */
    uint64_t packed_bytes;       /**< weights in the runtime's own order */
    uint64_t opaque_bytes;       /**< held by a driver or a library */

    uint32_t threads_owned;   /**< of ours, that the context has */
    uint32_t threads_created; /**< of ours, ever */

    /* The package that the runtime comes in: the folder of its library. */
    const char *runtime; /**< such as "ONNX Runtime"; "": the rung needs none */
    const char *runtime_version;
    const char *runtime_path;
    uint64_t package_bytes; /**< of all its files; UNKNOWN: its folder cannot be read */
    uint64_t package_files;

    /* Energy of the processor packages since the beginning: of all that ran on them. */
    uint64_t energy_uj;        /**< microjoules; UNKNOWN: energy_reason says why */
    const char *energy_reason; /**< ""; else one sentence */

    /** Imported memory that the rung's provider could take frames from: bits
     * RUNG_PROVIDER_SURFACE_* (rung/provider.h), and those of them that it copies on the way. */
    uint32_t surfaces, copied_surfaces;
    uint64_t reserved[15];
} rung_report;

/**
 * Fills `*report`, whose size and version the caller has set. It reads some files of the runtime's
 * folder and of the energy counters, so it is not for each frame. Safe from any thread while the
 * context lives. Results: OK, INVALID_ARGUMENT, VERSION.
 */
RUNG_API rung_result rung_context_get_report(const rung_context *context, rung_report *report);

/**
 * Writes the same as JSON, with a zero behind it, and more: tensors, stages, licences
 * (docs/report.md).
 *
 * `*needed` (may be NULL) is set to the size; too small a span is CAPACITY, and nothing is written.
 * Safe from any thread while the context lives. Results: OK, INVALID_ARGUMENT, CAPACITY, NO_MEMORY.
 */
RUNG_API rung_result rung_context_report(const rung_context *context, rung_span to, size_t *needed);

/**
 * Begins the figures anew that are "since the beginning", such as behind frames to warm up. Safe
 * from any thread. Results: OK, INVALID_ARGUMENT, BUSY (a frame is under way).
 */
RUNG_API rung_result rung_context_restart_report(rung_context *context);

#ifdef __cplusplus
}
#endif

#endif
