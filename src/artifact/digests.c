/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/digests.h"

#include "artifact/header.h"

/* Half of a usual first-level cache and more than what makes the calls cheap. */
#define BLOCK_BYTES 16384u

rung_result rung__digests_init(struct rung__digests *digests, const struct rung__layout *layout)
{
    const struct rung__section *payload = rung__section_find(&layout->table, RUNG__SECTION_PAYLOAD);
    *digests = (struct rung__digests){
        .payload_begin = payload->offset,
        .payload_end = payload->offset + payload->bytes,
        .message_end = rung__header_message_bytes(&layout->header),
    };
    rung_result result = rung__sha256_init(&digests->payload);
    if (result == RUNG_OK)
        result = rung__sha256_init(&digests->message);
    if (result != RUNG_OK)
        rung__digests_finish(digests);
    return result;
}

/* Feeds the part of a block, which begins at `position`, that lies in begin..end. */
static rung_result feed(struct rung__sha256 *sha, uint64_t position, struct rung__bytes block,
                        uint64_t begin, uint64_t end)
{
    const uint64_t from = begin > position ? begin : position;
    const uint64_t block_end = position + block.size;
    const uint64_t to = end < block_end ? end : block_end;
    if (from >= to)
        return RUNG_OK;
    return rung__sha256_update(sha, block.data + (from - position), (size_t)(to - from));
}

rung_result rung__digests_update(struct rung__digests *digests, struct rung__bytes bytes)
{
    rung_result result = RUNG_OK;
    while (bytes.size && result == RUNG_OK) {
        const size_t size = bytes.size < BLOCK_BYTES ? bytes.size : BLOCK_BYTES;
        const struct rung__bytes block = {bytes.data, size};
        result = feed(&digests->message, digests->position, block, 0, digests->message_end);
        if (result == RUNG_OK)
            result = feed(&digests->payload, digests->position, block, digests->payload_begin,
                          digests->payload_end);
        digests->position += size;
        bytes.data += size;
        bytes.size -= size;
    }
    return result;
}

rung_result rung__digests_result(struct rung__digests *digests, uint8_t payload[RUNG__SHA256_BYTES],
                                 uint8_t message[RUNG__SHA256_BYTES])
{
    rung_result result = rung__sha256_result(&digests->payload, payload);
    if (result == RUNG_OK)
        result = rung__sha256_result(&digests->message, message);
    return result;
}

void rung__digests_finish(struct rung__digests *digests)
{
    rung__sha256_finish(&digests->payload);
    rung__sha256_finish(&digests->message);
}

rung_result rung__digests_of(struct rung__bytes file, const struct rung__layout *layout,
                             uint8_t payload[RUNG__SHA256_BYTES],
                             uint8_t message[RUNG__SHA256_BYTES])
{
    struct rung__digests digests;
    rung_result result = rung__digests_init(&digests, layout);
    if (result != RUNG_OK)
        return result;
    result = rung__digests_update(&digests, file);
    if (result == RUNG_OK)
        result = rung__digests_result(&digests, payload, message);
    rung__digests_finish(&digests);
    return result;
}
