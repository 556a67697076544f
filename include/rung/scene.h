/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_SCENE_H
#define RUNG_SCENE_H

#include <rung/context.h>
#include <rung/export.h>
#include <rung/frame.h>
#include <rung/result.h>
#include <rung/targets.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Many sources, one result (docs/scene.md). Displays, windows or cameras offer their frames as they
 * come. At a steady rate a scene takes the newest frame of each, detects in one after the other,
 * maps what was found to one desktop, and publishes it as one packet that never changes. Reading it
 * never waits.
 *
 *   rung_scene_create(context, NULL, &scene);
 *   rung_scene_add_source(scene, 7);
 *   rung_scene_start(scene);
 *   … rung_scene_offer(scene, &frame) for each frame, on any thread …
 *   if (rung_scene_acquire(scene, &view) == RUNG_OK) {
 *       … view->packet …
 *       rung_scene_release(scene, view);
 *   }
 *   rung_scene_destroy(scene);
 */

/** The most sources of a scene. */
#define RUNG_SCENE_SOURCES_MAX 16u

/** The most targets of a scene. */
#define RUNG_SCENE_TARGETS_MAX 10000u

/** Many sources, one result. Opaque. */
typedef struct rung_scene rung_scene;

/** What becomes of a tick in which a source failed, or had no frame. */
typedef enum rung_scene_policy {
    RUNG_SCENE_POLICY_DEFAULT = 0, /**< partial */
    RUNG_SCENE_POLICY_PARTIAL = 1, /**< published, with the flag RUNG_SCENE_INCOMPLETE */
    /** Nothing is published. Where it is known before anything ran, the frames at hand stay
     * pending. */
    RUNG_SCENE_POLICY_ABORT = 2
} rung_scene_policy;

/** A source of time: nanoseconds that never go back, from any beginning. The capture times of
 * frames are of the same clock. The functions may be called from several threads. */
typedef struct rung_scene_clock {
    uint32_t struct_size; /**< sizeof(rung_scene_clock) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    void *user;           /**< given to the functions */
    uint64_t (*now)(void *user);
    /** Returns once `deadline_ns` is reached, or `wake` was called: also before, when no wait has
     * ended by it yet. Only rung_scene_start needs these two; they may be NULL otherwise. */
    void (*wait_until)(void *user, uint64_t deadline_ns);
    void (*wake)(void *user);
    uint64_t reserved[4];
} rung_scene_clock;

/** How a scene is made. All zero (but for size and version) is a good default. */
typedef struct rung_scene_options {
    uint32_t struct_size; /**< sizeof(rung_scene_options) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    uint32_t flags;       /**< 0 */
    rung_scene_policy policy;
    uint64_t period_ns;   /**< from tick to tick, 100000 (0.1 ms) or more; 0: 33333333 (30 Hz) */
    uint32_t max_targets; /**< of a scene, 1..10000; 0: as many as 16 packets of the context hold,
                               at most 10000 */
    /** The user's filter, behind the artifact's own thresholds: a target with less confidence is
     * left out, 1..65535 = 1.0; 0: 1, which leaves out none. */
    uint32_t min_confidence;
    /** The most views that are held at once (rung_scene_acquire), 1..64; 0: 4. With more than that
     * a tick may find no memory to publish in. */
    uint32_t max_readers;
    uint32_t reserved_0;
    const rung_scene_clock *clock; /**< is copied; NULL: the system's monotonic clock */
    uint64_t reserved[6];
} rung_scene_options;

/**
 * Makes a scene and allocates all that it needs: from then on nothing is.
 *
 * The context must be a detector's. The scene alone uses it until it ends; a context that was made
 * for the largest frame that will come (rung_context_options.max_frame_width, max_frame_height)
 * allocates nothing for frames either. `options` may be NULL and is not kept. `*out` belongs to the
 * caller, who ends it with rung_scene_destroy before its context. Safe from any thread. Results:
 * OK, INVALID_ARGUMENT, VERSION, NO_MEMORY.
 */
RUNG_API rung_result rung_scene_create(rung_context *context, const rung_scene_options *options,
                                       rung_scene **out);

/**
 * Ends a scene: stops its thread, and releases the frames that are still pending. No other call of
 * it may be under way, and no view be held. NULL is allowed.
 */
RUNG_API void rung_scene_destroy(rung_scene *scene);

/**
 * Adds a source, which counts as late until its first frame. An id that was removed may be added
 * again; its counters begin at 0. Safe from any thread. Results: OK, INVALID_ARGUMENT,
 * ALREADY_EXISTS, CAPACITY (there are 16: one must be removed before).
 */
RUNG_API rung_result rung_scene_add_source(rung_scene *scene, uint64_t source_id);

/**
 * Removes a source. Its pending frame is released before the call returns; one that is just worked
 * on, by the thread of the tick soon after, and its targets are in that scene. Safe from any
 * thread. Results: OK, INVALID_ARGUMENT, NOT_FOUND, BUSY (a frame of it is being offered on another
 * thread).
 */
RUNG_API rung_result rung_scene_remove_source(rung_scene *scene, uint64_t source_id);

/** A rectangle of the desktop in Q8: 256 to a pixel. */
typedef struct rung_desktop_rect {
    int32_t x, y, w, h;
} rung_desktop_rect;

/** A frame with its place on the desktop. */
typedef struct rung_scene_frame {
    uint32_t struct_size; /**< sizeof(rung_scene_frame) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    /**
     * Its source_id says which source it is of. The pair of topology_epoch and transform_epoch (the
     * desktop's) says which desktop it was placed on; the greater one is the newer, by
     * topology_epoch first. capture_ns 0: the time of the call. Both structures are copied.
     */
    const rung_frame *frame;
    rung_desktop_rect placement; /**< of the whole frame; not empty, x + w and y + h in int32 */
    /** The part of the desktop where it shows: what lies outside is cut off or left out. All zero:
     * `placement`. */
    rung_desktop_rect visible;
    uint64_t reserved[4];
} rung_scene_frame;

/**
 * Hands the newest frame of a source to the scene. One of it that is still pending is replaced:
 * released, on this thread, and counted. A frame of an older pair of epochs than the source's last
 * one is released at once and counted as stale.
 *
 * Nothing is allocated and nothing waited for. Safe from any thread; the frames of one source come
 * from one thread at a time. Results: OK (the frame's `release` will be called exactly once),
 * INVALID_ARGUMENT, VERSION, NOT_FOUND (the source was not added), BUSY (another frame of this
 * source is being offered); after a failure the frame is still the caller's.
 */
RUNG_API rung_result rung_scene_offer(rung_scene *scene, const rung_scene_frame *frame);

/**
 * Runs one tick on the calling thread when one is due, for a program with a loop of its own; does
 * nothing when none is. The first call is due. Ticks keep to multiples of the period from there on:
 * a call that comes late runs one, and the periods in between are counted as missed.
 *
 * A tick takes the pending frames of the newest pair of epochs, in the order of their source ids,
 * and runs them one after the other; frames that come meanwhile are the next one's. Frames of an
 * older pair are released as stale; one whose fence is not ready stays pending. Where no frame is
 * left, nothing runs and nothing is published.
 *
 * `*next_due_ns` (may be NULL) is set to when the next one is due, by the scene's clock. A frame
 * that fails is no failure of the tick (rung_scene_source.result). Safe from any thread, one at a
 * time. Results: OK, INVALID_ARGUMENT, BUSY (another thread is in it), STATE (the scene has a
 * thread of its own).
 */
RUNG_API rung_result rung_scene_step(rung_scene *scene, uint64_t *next_due_ns);

/** Starts a thread of the scene's own that does what rung_scene_step does, whenever it is due.
 * Results: OK, INVALID_ARGUMENT (also a clock that cannot wait), STATE (it was started already),
 * BUSY (rung_scene_step is under way), NO_MEMORY. */
RUNG_API rung_result rung_scene_start(rung_scene *scene);

/** Ends that thread behind the tick that it is in. Not from a frame's `release`. Results: OK (also
 * where none was started), INVALID_ARGUMENT, BUSY (another thread is ending it). */
RUNG_API rung_result rung_scene_stop(rung_scene *scene);

/** What a source is in a published scene. */
typedef enum rung_scene_status {
    RUNG_SCENE_SOURCE_FRESH = 1,  /**< a frame of this tick is in it */
    RUNG_SCENE_SOURCE_LATE = 2,   /**< it had no frame, or its fence was not ready */
    RUNG_SCENE_SOURCE_FAILED = 3, /**< its frame failed: `result` */
    RUNG_SCENE_SOURCE_STALE = 4   /**< its frame was of an older pair of epochs */
} rung_scene_status;

/** A source in a published scene. */
typedef struct rung_scene_source {
    uint64_t source_id;
    uint64_t display_id, frame_id; /**< of its frame in this tick; late: 0 */
    uint64_t captured_ns; /**< its newest frame that was ever published, this scene included; 0:
                               there was none */
    uint64_t age_ns;      /**< of that frame when this scene was committed; 0: there was none */
    rung_scene_status status;
    rung_result result; /**< failed: why; else OK */
    uint32_t targets;   /**< of it in this scene */
    uint32_t reserved_0;
} rung_scene_source;

/** Flags of rung_scene_view. */
enum {
    RUNG_SCENE_INCOMPLETE = 1u << 0, /**< a source is not fresh */
    RUNG_SCENE_TRUNCATED = 1u << 1,  /**< targets were left out by a capacity */
    RUNG_SCENE_STALE = 1u << 2 /**< a newer pair of epochs came while it was made: the desktop is no
                                    longer that one, and no target is actionable */
};

/** A published scene. Times are those of the scene's clock. */
typedef struct rung_scene_view {
    uint32_t struct_size; /**< sizeof(rung_scene_view), set by the library */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the library */
    uint64_t sequence;    /**< 1 for the first; scene_epoch of the packet */
    uint32_t flags;       /**< RUNG_SCENE_* */
    uint32_t source_count;
    uint64_t topology_epoch, transform_epoch;
    uint64_t due_ns;            /**< when the tick was due */
    uint64_t began_ns;          /**< when its first frame was begun */
    uint64_t committed_ns;      /**< when it was published */
    uint64_t oldest_capture_ns; /**< of the fresh sources; 0: there is none */
    /** Targets in RUNG_SPACE_DESKTOP (rung/targets.h), 8-byte aligned. Its frame_id and source_id
     * are 0: each target names its source. */
    const rung_packet_header *packet;
    uint64_t packet_bytes;
    uint64_t reserved[4];
    rung_scene_source sources[RUNG_SCENE_SOURCES_MAX]; /**< by source id */
} rung_scene_view;

/**
 * Pins the newest published scene for reading. It never waits, whatever the scene is doing: one
 * atomic addition.
 *
 * `*view` never changes, and lives until it is given back with rung_scene_release, once. More than
 * max_readers at once make the scene drop what it has no memory for (rung_scene_counters.dropped).
 * Safe from any thread. Results: OK, INVALID_ARGUMENT, NOT_FOUND (nothing was published yet).
 */
RUNG_API rung_result rung_scene_acquire(rung_scene *scene, const rung_scene_view **view);

/** Gives a view back: one atomic addition. Safe from any thread, also another one than acquired it.
 * NULL is allowed. Results: OK, INVALID_ARGUMENT (no view of this scene). */
RUNG_API rung_result rung_scene_release(rung_scene *scene, const rung_scene_view *view);

/**
 * Copies the newest published scene: its packet into `packet`, 8-byte aligned, and what belongs to
 * it into `*view` (may be NULL), whose size and version the caller has set and whose `packet` is
 * then the span's. `*needed` (may be NULL) is set to the packet's size, also when it does not fit.
 * It never waits. Safe from any thread. Results: OK, INVALID_ARGUMENT, VERSION, NOT_FOUND (nothing
 * was published yet), CAPACITY (nothing was written).
 */
RUNG_API rung_result rung_scene_copy(rung_scene *scene, rung_span packet, size_t *needed,
                                     rung_scene_view *view);

/** How long something took, in nanoseconds. The percentiles are 3 % exact. */
typedef struct rung_scene_times {
    uint64_t count, last, total, max;
    uint64_t p50, p95, p99;
} rung_scene_times;

/**
 * What became of the frames of one source, since it was added. Every frame that was offered is in
 * one of the others, or still pending.
 */
typedef struct rung_scene_source_counters {
    uint64_t source_id;
    uint64_t offered;
    uint64_t replaced;  /**< by a newer one before a tick took it */
    uint64_t stale;     /**< of an older pair of epochs */
    uint64_t failed;    /**< the model or what is around it failed */
    uint64_t discarded; /**< in a scene that was not published */
    uint64_t published;
    uint64_t age_ns;     /**< in the scene that was published last; 0: never published */
    uint64_t max_age_ns; /**< the greatest one so far */
} rung_scene_source_counters;

/** What a scene has done. */
typedef struct rung_scene_counters {
    uint32_t struct_size; /**< sizeof(rung_scene_counters), set by the caller */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the caller */
    uint64_t ticks;       /**< those below, all four */
    uint64_t published;
    uint64_t idle;           /**< no frame was pending */
    uint64_t aborted;        /**< a source failed or was late, and the policy is to abort */
    uint64_t dropped;        /**< all views were held: there was no memory to publish in */
    uint64_t missed_periods; /**< in which no tick began */
    rung_scene_times batch;  /**< from the begin of the first frame to the commit */
    rung_scene_times oldest; /**< from the capture of the oldest frame in it to the commit */
    uint64_t reserved[6];
    uint32_t source_count;
    uint32_t reserved_0;
    rung_scene_source_counters sources[RUNG_SCENE_SOURCES_MAX]; /**< by source id */
} rung_scene_counters;

/** Fills `*counters`. They are read while they are counted; each by itself is exact. Safe from any
 * thread. Results: OK, INVALID_ARGUMENT, VERSION. */
RUNG_API rung_result rung_scene_get_counters(rung_scene *scene, rung_scene_counters *counters);

/**
 * Writes the same as JSON, with the histograms of both times (docs/scene.md). `json` receives UTF-8
 * with a terminating zero. `*needed` (may be NULL) is set to the size with that zero, also when it
 * does not fit. Safe from any thread. Results: OK, INVALID_ARGUMENT, CAPACITY, NO_MEMORY.
 */
RUNG_API rung_result rung_scene_describe(rung_scene *scene, rung_span json, size_t *needed);

#ifdef __cplusplus
}
#endif

#endif
