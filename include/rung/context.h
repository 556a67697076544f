/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CONTEXT_H
#define RUNG_CONTEXT_H

#include <rung/export.h>
#include <rung/frame.h>
#include <rung/model.h>
#include <rung/result.h>
#include <rung/targets.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of rung_context_options. */
enum {
    /** min_confidence, iou and max_targets replace what the model was calibrated with. */
    RUNG_CONTEXT_OVERRIDE_CALIBRATION = 1u << 0,
    /** It is made on the rung that the newest contexts of the model are on, whatever was proven
     * since: for one more worker of a job. */
    RUNG_CONTEXT_STAY = 1u << 1,
    /** Frames come through rung_run_series: what overlaps them may be used, which takes the memory
     * of two frames. */
    RUNG_CONTEXT_SERIES = 1u << 2,
    /** It takes requests as tickets (rung/ticket.h), and has a thread that works on them. */
    RUNG_CONTEXT_TICKETS = 1u << 3,
    /**
     * When its device is lost it is rebuilt on the next rung down by itself, as by
     * rung_context_rebuild: 250 ms after the loss, then after twice as long each time up to 8 s, on
     * its own thread, without one inside the next call that runs a frame.
     */
    RUNG_CONTEXT_REBUILD = 1u << 4
};

/** How a context is made. All zero (but for size and version) is a good default. */
typedef struct rung_context_options {
    uint32_t struct_size; /**< sizeof(rung_context_options) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    uint32_t flags;       /**< RUNG_CONTEXT_* */
    /**
     * The largest frame that is served without allocating while a frame is handled, in pixels.
     * 0: the workspace grows when a larger frame comes.
     */
    uint32_t max_frame_width, max_frame_height;
    /**
     * A detector's thresholds, 65535 = 1.0, and the most targets, 1..10000; 0: the artifact's own.
     * With any of them the flag RUNG_CONTEXT_OVERRIDE_CALIBRATION is asked for, and `iou` needs an
     * artifact that suppresses. A band of sizes with a confidence of its own stays as long as that
     * is not above min_confidence. Where the artifact's limits of work are too low for the wish
     * they are raised within the format's, and a packet still says when something was left out.
     */
    uint32_t min_confidence, iou, max_targets;
    /** What its results must be, as rung_model_info told it earlier; NULL: whatever the model is
     * now. A job that names it ends as it began. */
    const char *identity;
    /** Which implementation each stage has, as JSON (rung/plan.h); the environment is then not
     * read. NULL: what the environment says, else those that are validated on this device. */
    const char *plan;
    /** With RUNG_CONTEXT_TICKETS: how many tickets may be alive at once, 1..16; 0: 1. */
    uint32_t depth;
    /** With RUNG_CONTEXT_TICKETS: how many frames a request may have, 1..16; 0: 1. */
    uint32_t request_frames;
    uint64_t reserved[2];
} rung_context_options;

/** What it takes to run one model on one frame at a time. Opaque. */
typedef struct rung_context rung_context;

/**
 * Makes a context of a model and allocates what running it needs.
 *
 * A context never changes its rung while its device is there. It is made on the rung that serves
 * the model best by now: when a probe has proven a better one since the model was opened, that is
 * loaded first, which takes as long as opening does, unless RUNG_CONTEXT_STAY is set. A model whose
 * rung was named stays on it.
 *
 * `options` may be NULL and is not kept. `*out` belongs to the caller, who ends it with
 * rung_context_destroy before its model. Safe from any thread. A context works on one frame at a
 * time: a call that finds it at work on another thread is BUSY, and nothing happens. Several
 * contexts of a model may run side by side. Results: OK, INVALID_ARGUMENT (also thresholds without
 * leave to override, or none that the model has), VERSION, IDENTITY (another one than was asked
 * for), BACKEND, DEVICE_LOST, NO_MEMORY.
 */
RUNG_API rung_result rung_context_create(rung_model *model, const rung_context_options *options,
                                         rung_context **out);

/**
 * Ends a context. What its thread is working on is waited for; every ticket is gone, and the frames
 * of all of them are released before this returns. No other call may be under way. NULL is allowed.
 */
RUNG_API void rung_context_destroy(rung_context *context);

/**
 * Gives a context that has lost its device a new place: the next rung down that serves the model,
 * or the same once more where the rung was named, with all its stages and memory made anew.
 *
 * From the loss on every call that would run a frame is DEVICE_LOST until this succeeds. It takes
 * as long as opening a model. The packets of the new place have a model_epoch that is greater by
 * one; rung_run_info says which rung it is, and a warning is logged. Safe from any thread. Results:
 * OK, INVALID_ARGUMENT, STATE (nothing is lost), BUSY, IDENTITY (the context was made for an
 * identity that no other rung gives), and those of rung_context_create and rung_model_open: then it
 * is as lost as before, and may be tried again.
 */
RUNG_API rung_result rung_context_rebuild(rung_context *context);

/** What the world is by now. */
typedef struct rung_epochs {
    uint32_t struct_size; /**< sizeof(rung_epochs) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    /** As in rung_frame; 0: frames of any are current. */
    uint64_t session_epoch, transform_epoch, topology_epoch;
    uint64_t reserved[4];
} rung_epochs;

/**
 * Says what is current from now on. A packet is given its frame's epochs, and is marked
 * RUNG_PACKET_STALE, with targets that are not actionable, when one of them is another than the
 * current one at the moment when the caller is given it, or when the context was rebuilt since.
 *
 * Before the first call everything is current. Safe from any thread; it waits for nothing. Results:
 * OK, INVALID_ARGUMENT, VERSION.
 */
RUNG_API rung_result rung_context_set_epochs(rung_context *context, const rung_epochs *epochs);

/**
 * The size of a span that holds every packet of the context. It is at most
 * rung_model_info.max_output_bytes, unless max_targets is overridden. It never changes. Safe
 * from any thread. Results: OK, INVALID_ARGUMENT.
 */
RUNG_API rung_result rung_context_get_max_output_bytes(const rung_context *context, uint64_t *out);

/** What ran, beside the packet. The strings live as long as the model. */
typedef struct rung_run_info {
    uint32_t struct_size; /**< sizeof(rung_run_info), set by the caller */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the caller */
    const char *identity;
    const char *rung;
    const char *artifact; /**< SHA-256 of the payload, 64 hexadecimal digits */
    uint64_t preprocess_ns, run_ns, postprocess_ns;
    rung_role role;
    uint32_t calibration_overridden; /**< 1: thresholds were not the artifact's; else 0 */
    const char *precision;           /**< as in rung_model_info */
    uint64_t reserved[6];
} rung_run_info;

/**
 * Detects on the calling thread: preprocesses the frame, runs the model, decodes, selects, and
 * writes the packet (rung/targets.h).
 *
 * `packet` must be 8-byte aligned. `*needed` (may be NULL) is set to the packet's size, also when
 * it does not fit: then CAPACITY, and nothing is written. A span of
 * rung_context_get_max_output_bytes always fits. No detection is an ordinary packet with count 0.
 * `info` may be NULL. Results: OK, INVALID_ARGUMENT (also a model that is no detector), VERSION,
 * CAPACITY, BUSY (it is at work on another thread), TIMEOUT (the frame's fence), BACKEND,
 * DEVICE_LOST (rung_context_rebuild), NO_MEMORY. After another failure than DEVICE_LOST the context
 * can be used again.
 */
RUNG_API rung_result rung_detect(rung_context *context, const rung_frame *frame, rung_span packet,
                                 size_t *needed, rung_run_info *info);

/**
 * Embeds: as rung_detect for a model that answers one vector, a packet of rung_model_info's
 * embedding_length numbers (RUNG_SPACE_EMBEDDING).
 *
 * They are the model's, or those divided by their L2 norm where the artifact says so
 * (docs/packets.md). A number that is not finite is BACKEND, and nothing is written. The packet's
 * size is always the same and checked before the model runs. Results: those of rung_detect.
 */
RUNG_API rung_result rung_embed(rung_context *context, const rung_frame *frame, rung_span packet,
                                size_t *needed, rung_run_info *info);

/**
 * Segments: as rung_detect for a model that answers a class for each pixel, a packet of a rung_mask
 * and its rows (RUNG_SPACE_MASK), as many pixels as the frame has on the model's canvas.
 *
 * Of several classes the one with the greatest score counts, of equal ones the lowest; a model of
 * one class answers 1 where its confidence is at least the artifact's min_confidence, else 0
 * (docs/packets.md). The packet's size follows from the frame and is checked before the model runs.
 * Results: those of rung_detect.
 */
RUNG_API rung_result rung_segment(rung_context *context, const rung_frame *frame, rung_span packet,
                                  size_t *needed, rung_run_info *info);

/** A series of frames and what becomes of them. */
typedef struct rung_series {
    uint32_t struct_size; /**< sizeof(rung_series) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    void *user;           /**< given to the functions */
    /**
     * Fetches the next frame; it may wait for it. Returns 0 when there is none more, else sets
     * `*frame` (all zero but for size and version) and a mark of the caller's own, which comes back
     * with the result. The pixels are borrowed until `done` is called for the frame.
     */
    int (*next)(void *user, rung_frame *frame, void **mark);
    /**
     * A frame is done: `result`, the packet (valid during the call; NULL unless OK) and what ran.
     * After a failure rung_last_error has the reason.
     */
    void (*done)(void *user, void *mark, rung_result result, const void *packet, size_t size,
                 const rung_run_info *info);
    uint64_t reserved[4];
} rung_series;

/**
 * Runs frames one after the other, with the results in their order, until there is none more. A
 * frame that fails is a result, and the series goes on.
 *
 * A context with RUNG_CONTEXT_SERIES may prepare a frame and finish another one while the model
 * runs a third, where that is validated as faster on this device (docs/stages.md): `next` and
 * `done` are then called on a thread of the context's, one call at a time, and a result may come
 * only when the frame behind it was fetched. The model always runs on the calling thread. The
 * packet is rung_detect's, rung_embed's or rung_segment's, by the model's role.
 *
 * Results: OK (whatever became of the frames), INVALID_ARGUMENT, VERSION, NO_MEMORY.
 */
RUNG_API rung_result rung_run_series(rung_context *context, const rung_series *series);

/** An output of a model as it left the runtime. */
typedef struct rung_output {
    uint32_t struct_size; /**< sizeof(rung_output), set by the caller */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the caller */
    const char *name;     /**< in the graph; it lives as long as the model */
    const float *numbers; /**< of other types exactly as f32; the context's, until its next run */
    uint64_t count;       /**< of numbers */
    uint64_t reserved[4];
} rung_output;

/**
 * What output `index` (from 0) of the context's last run held, before anything was decoded: for
 * measuring what a form or a rung is worth. Before the first run all numbers are 0. Safe from any
 * thread, but who reads the numbers sees to it that no other one runs a frame meanwhile. Results:
 * OK, INVALID_ARGUMENT, VERSION, NOT_FOUND (no output of that index), BUSY, DEVICE_LOST.
 */
RUNG_API rung_result rung_context_get_output(rung_context *context, uint32_t index,
                                             rung_output *output);

#ifdef __cplusplus
}
#endif

#endif
