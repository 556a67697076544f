/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_CONTEST_PARTS_H
#define RUNG__SESSION_CONTEST_PARTS_H

#include "session/contest.h"

/* What a contest is made of. */

/** Of a side's turn all frames are a part, each as often as the others. */
struct rung__bout {
    struct rung__contest *contest;
    rung_context *contexts[RUNG__SIDES];
    struct rung__buffer *expected; /**< of each frame base's packet, once there is one */
    void *packet;                  /**< room for the largest */
    size_t packet_bytes;
    uint8_t *copies[RUNG__BUFFER_SLOTS]; /**< where a series has its frames anew */
    struct rung__why difference;         /**< "" : there was none yet */
    bool over;                           /**< the contest has its end */
};

/** Says where two outputs of a frame differ first, when they do. */
bool rung__bout_compare(struct rung__bout *bout, uint32_t frame, const char *what,
                        struct rung__bytes base, struct rung__bytes other);

/** Compares a packet with base's of that frame, or keeps the first one. Results: OK, NO_MEMORY. */
rung_result rung__bout_take(struct rung__bout *bout, enum rung__side side, uint32_t frame,
                            struct rung__bytes packet);

/** One side runs all frames one by one, or as a series; `*ns` is the time that counts, a frame. */
rung_result rung__bout_frames(struct rung__bout *bout, enum rung__side side, uint64_t *ns);
rung_result rung__bout_series(struct rung__bout *bout, enum rung__side side, uint64_t *ns);

/** The bytes of a frame from its first pixel to its last. */
size_t rung__frame_bytes(const rung_frame *frame);

#endif
