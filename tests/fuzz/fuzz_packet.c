/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a packet. In one that is accepted every offset can be followed, as reports do. */
#include <stdlib.h>
#include <string.h>

#include <rung/packet.h>

#include "fuzz.h"

static uint64_t sum;

/* Touches every byte that a reader of the packet would. */
static void read_all(const rung_packet_header *packet)
{
    const char *bytes = (const char *)packet;
    const rung_target *targets = (const rung_target *)(bytes + packet->targets_offset);
    const char *attachments =
        bytes + packet->targets_offset + (size_t)packet->count * packet->stride;
    for (uint32_t i = 0; i < packet->count; i++) {
        const int32_t *points =
            (const int32_t *)(attachments + (size_t)8 * targets[i].attachment_offset);
        REQUIRE(targets[i].x + targets[i].w > targets[i].x);
        REQUIRE(targets[i].y + targets[i].h > targets[i].y);
        for (uint32_t k = 0; k < targets[i].attachment_bytes / sizeof *points; k++)
            sum += (uint32_t)points[k];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *packet = calloc(1, size ? size : 1); /* aligned, as the caller promises */
    if (!packet)
        return 0;
    if (size)
        memcpy(packet, data, size);
    if (rung_packet_check(packet, size) == RUNG_OK)
        read_all(packet);
    free(packet);
    return 0;
}
