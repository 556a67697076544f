/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_FRAME_H
#define RUNG_FRAME_H

#include <rung/export.h>
#include <rung/result.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A rectangle in whole pixels of a frame. */
typedef struct rung_rect {
    uint32_t x, y, width, height;
} rung_rect;

/** Memory of another part of the system that frames lie in. Opaque. */
typedef struct rung_surface rung_surface;

/** Flags of rung_frame. */
enum {
    /** `fence` counts. */
    RUNG_FRAME_FENCE = 1u << 0
};

/**
 * A picture. All zero but for size, version, pixels, width, height and format is a good default.
 *
 * The pixels are borrowed: for the call where the frame is worked on before it returns
 * (rung_detect, rung_embed, rung_segment, rung_preprocess), until `done` in a series, and until
 * `release` is called where a frame is handed over (rung_submit, rung_scene_offer). The structure
 * itself is copied.
 */
typedef struct rung_frame {
    uint32_t struct_size;   /**< sizeof(rung_frame) */
    uint32_t version;       /**< RUNG_STRUCT_VERSION */
    const void *pixels;     /**< of the first row; no alignment is needed. NULL with a surface */
    uint64_t stride;        /**< bytes from row to row, at least a row's; 0: exactly a row's */
    uint32_t width, height; /**< pixels, 1..65535 */
    rung_pixel_format format;
    uint32_t flags;                           /**< RUNG_FRAME_* */
    rung_rect crop;                           /**< the part that counts; all zero: all of it */
    uint64_t source_id, display_id, frame_id; /**< carried into the packet */
    /** Carried into the packet, which is stale when they are no longer the context's
     * (rung_context_set_epochs). */
    uint64_t session_epoch, transform_epoch, topology_epoch;
    uint64_t capture_ns; /**< when it was taken, on the monotonic clock; 0: not known */
    /**
     * Called exactly once for a frame that was handed over, when nothing reads it any more, with
     * release_user and pixels: on the thread, and inside, of a call of the owner's (rung_collect,
     * rung_cancel, rung_context_reset, rung_context_destroy; a scene's rung_scene_offer and so on).
     * It may call the library, but not end the context. Never called for a frame that was refused,
     * nor where it is borrowed for a call. NULL: nothing is called.
     */
    void (*release)(void *user, const void *pixels);
    void *release_user;
    /** Where the pixels are, in place of `pixels`, `surface_offset` bytes from its beginning;
     * NULL: `pixels` counts. */
    rung_surface *surface;
    uint64_t surface_offset;
    /**
     * With RUNG_FRAME_FENCE: a file descriptor that polls readable once the pixels may be read (a
     * sync file, an eventfd). It stays the caller's, and open until the frame is released or the
     * call returns. It is waited for before the first read, on the thread that works on the frame,
     * at most 5 seconds (TIMEOUT).
     */
    int32_t fence;
    uint32_t reserved_0;
    uint64_t reserved[4];
} rung_frame;

/** How memory is imported. */
typedef struct rung_surface_options {
    uint32_t struct_size; /**< sizeof(rung_surface_options) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    uint32_t flags;       /**< 0 */
    int32_t fd;           /**< of memory: a memfd, shared memory, a DMA-BUF. It stays the caller's,
                               and may be closed afterwards */
    uint64_t bytes;       /**< of it, from its beginning; 0: all, where its size can be asked for */
    uint64_t reserved[4];
} rung_surface_options;

/**
 * Imports memory by its file descriptor, for the frames that lie in it: once for each buffer of a
 * camera or a compositor, not once a frame.
 *
 * It is mapped for reading. A DMA-BUF is made ready for the processor around each read, where its
 * driver takes that. Memory that becomes shorter than `bytes` ends the process when it is read, as
 * with every mapping; seal a memfd against shrinking. `*out` belongs to the caller, who ends it
 * with rung_surface_destroy after the frames that lie in it were released. Safe from any thread.
 * Results: OK, INVALID_ARGUMENT, VERSION, IO (it cannot be mapped), UNSUPPORTED (on systems without
 * file descriptors), NO_MEMORY.
 */
RUNG_API rung_result rung_surface_import(const rung_surface_options *options, rung_surface **out);

/** Ends a surface, on any thread. NULL is allowed. */
RUNG_API void rung_surface_destroy(rung_surface *surface);

#ifdef __cplusplus
}
#endif

#endif
