/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TARGETS_H
#define RUNG_TARGETS_H

#include <stddef.h>
#include <stdint.h>

#include <rung/export.h>
#include <rung/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a run answers: one block of little-endian bytes, a header, `count` records of `stride` bytes
 * from `targets_offset`, then attachments. Records are targets, the numbers of an embedding (f32),
 * or the rows of a mask (one byte a pixel), which have a rung_mask in front of them. It holds no
 * pointers and may be stored or sent as it is. The bytes depend on the model's output and the frame
 * alone, never on where they were computed.
 */

/** Coordinates of a packet. */
typedef enum rung_space {
    RUNG_SPACE_CANVAS = 1,
    RUNG_SPACE_SOURCE = 2, /**< pixels of the frame */
    RUNG_SPACE_DESKTOP = 3,
    RUNG_SPACE_EMBEDDING = 16, /**< no coordinates: a vector */
    RUNG_SPACE_MASK = 17       /**< no coordinates: rows of classes */
} rung_space;

/** Flags of rung_packet_header. */
enum {
    RUNG_PACKET_INCOMPLETE = 1u << 0, /**< something was left out by a capacity */
    RUNG_PACKET_ATTACHMENTS_TRUNCATED = 1u << 1,
    /** An epoch of it was no longer the current one when it was delivered: nothing in it is
     * actionable. The one flag that every space may have. */
    RUNG_PACKET_STALE = 1u << 2
};

/** The first 96 bytes of a packet, 8-byte aligned. */
typedef struct rung_packet_header {
    uint32_t struct_size; /**< 96 */
    uint32_t version;     /**< 1 */
    uint32_t count;       /**< records */
    uint32_t stride; /**< bytes of a record: 80 for targets, 4 for numbers, a row's for masks */
    uint32_t flags;  /**< RUNG_PACKET_* */
    uint32_t space;  /**< rung_space */
    uint64_t scene_epoch; /**< not 0 exactly in desktop space */
    uint64_t frame_id;
    uint64_t model_epoch; /**< 0, and one more each time that its context was rebuilt */
    uint64_t session_epoch;
    uint64_t transform_epoch;
    uint64_t topology_epoch;
    uint64_t source_id;
    uint64_t targets_offset; /**< 96 */
    uint64_t total_size;     /**< bytes of the whole packet */
} rung_packet_header;

/** Flags of rung_target. */
enum {
    RUNG_TARGET_ACTIONABLE = 1u << 0,
    RUNG_TARGET_DISABLED = 1u << 1,
    RUNG_TARGET_SECURE = 1u << 2
};

/** One detected thing, 80 bytes. Coordinates are Q8: 256 to a pixel. */
typedef struct rung_target {
    uint64_t target_id; /**< equal records share it; never 0 */
    uint64_t parent_id;
    uint64_t source_id;
    uint64_t display_id;
    int32_t x, y, w, h;
    int32_t safe_x, safe_y; /**< a point inside */
    uint32_t confidence;    /**< 65535 = 1.0 */
    uint16_t class_id;
    uint16_t source_bits;       /**< bit 0: found by a neural network */
    uint32_t capabilities;      /**< not 0 exactly when it is actionable */
    uint32_t flags;             /**< RUNG_TARGET_* */
    uint32_t order;             /**< 0-based position in the packet */
    uint16_t attachment_offset; /**< in 8-byte units from the end of the targets */
    uint16_t attachment_bytes;  /**< 0: none. Key points are int32_t x, y pairs in Q8 */
} rung_target;

/**
 * Where a mask belongs, in whole pixels: the 32 bytes between the header and the first row. The
 * part of the frame at `crop` is what the model saw, scaled to the part of its canvas at `content`,
 * and the rows are that part: content_h of them with content_w pixels each.
 */
typedef struct rung_mask {
    int32_t crop_x, crop_y, crop_w, crop_h;
    int32_t content_x, content_y, content_w, content_h;
} rung_mask;

/**
 * Checks a packet that comes from outside: after OK, every size and offset in it may be
 * followed, and every field is in its documented range.
 *
 * `data` must be 8-byte aligned; `size` are the bytes at hand, of which the packet takes
 * total_size. Attachments lie in the order of the records without gaps, `x + w` and `y + h` fit
 * into int32_t, and the safe point is inside. The numbers of an embedding are finite. A mask has
 * just the rows of its content, and lies on a canvas and a frame of possible sizes; its classes may
 * be any. Nothing is allocated. Safe from any thread. Results: OK, INVALID_ARGUMENT (no data, no
 * alignment), VERSION, INTEGRITY (with the field that is wrong).
 */
RUNG_API rung_result rung_packet_check(const void *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
