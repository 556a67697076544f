/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_DIGESTS_H
#define RUNG__ARTIFACT_DIGESTS_H

#include "artifact/view.h"

/**
 * The two digests of a model file, of its payload and of what its signature covers, made in one
 * pass over memory: a block is still in the cache when the second digest takes it.
 */
struct rung__digests {
    struct rung__sha256 payload, message;
    uint64_t payload_begin, payload_end, message_end;
    uint64_t position; /**< of the next byte in the file */
};

/** Results: OK, NO_MEMORY. End with rung__digests_finish. */
rung_result rung__digests_init(struct rung__digests *digests, const struct rung__layout *layout);

/** Takes the next bytes of the file. */
rung_result rung__digests_update(struct rung__digests *digests, struct rung__bytes bytes);

rung_result rung__digests_result(struct rung__digests *digests, uint8_t payload[RUNG__SHA256_BYTES],
                                 uint8_t message[RUNG__SHA256_BYTES]);
void rung__digests_finish(struct rung__digests *digests);

/** All of it for a file in memory. */
rung_result rung__digests_of(struct rung__bytes file, const struct rung__layout *layout,
                             uint8_t payload[RUNG__SHA256_BYTES],
                             uint8_t message[RUNG__SHA256_BYTES]);

#endif
