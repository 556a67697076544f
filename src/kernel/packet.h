/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_PACKET_H
#define RUNG__KERNEL_PACKET_H

#include <rung/result.h>
#include <rung/targets.h>

#include "base/bytes.h"
#include "kernel/candidate.h"
#include "kernel/select.h"

#define RUNG__ATTACHMENT_BYTES_MAX 262144u

/** Writes the 96 bytes that every packet begins with. struct_size, version and targets_offset are
 * set here. */
void rung__packet_header_write(const rung_packet_header *header, uint8_t *to);

/** CAPACITY with both sizes, in the words of every packet, when `needed` is more than `size`. */
rung_result rung__packet_check_room(size_t size, size_t needed);

/** The id of a target: FNV-1a over source_id, x, y, w, h (sign-extended), class and source bits as
 * little-endian u64; 0 becomes 1. */
uint64_t rung__target_id(const uint64_t fields[7]);

/** What a packet of targets is made of. */
struct rung__packet_request {
    const struct rung__candidate *candidates;
    const struct rung__selected *selected;
    struct rung__points points;
    uint32_t k;
    bool left_out;                /**< something was left out before selection */
    const uint32_t *capabilities; /**< by class, RUNG__CLASSES_MAX of them; NULL: none has any */
    uint64_t display_id;
    uint32_t space;
    uint64_t scene_epoch, frame_id, model_epoch, session_epoch, transform_epoch, topology_epoch;
    uint64_t source_id;
};

/**
 * Writes the packet of targets.md. `*needed` is set to its size; when `to` is smaller, CAPACITY and
 * nothing is written. Results: OK, CAPACITY.
 */
rung_result rung__packet_write(const struct rung__packet_request *request, void *to, size_t size,
                               size_t *needed);

#endif
