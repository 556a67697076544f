/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a packet. In one that is accepted every offset can be followed, as reports do. */
#include <stdlib.h>
#include <string.h>

#include <rung/targets.h>

#include "fuzz.h"

static uint64_t sum;

static void read_targets(const rung_packet_header *packet)
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

static void read_embedding(const rung_packet_header *packet)
{
    const float *numbers = (const float *)(packet + 1);
    REQUIRE(packet->count >= 1 && packet->stride == sizeof *numbers);
    for (uint32_t i = 0; i < packet->count; i++) {
        REQUIRE(numbers[i] - numbers[i] == 0);
        sum += numbers[i] > 0;
    }
}

static void read_mask(const rung_packet_header *packet)
{
    const rung_mask *mask = (const rung_mask *)(packet + 1);
    const uint8_t *pixels = (const uint8_t *)(mask + 1);
    REQUIRE(mask->content_w > 0 && mask->content_h > 0);
    REQUIRE(mask->crop_x >= 0 && mask->crop_w > 0 && mask->crop_x + mask->crop_w <= 65535);
    REQUIRE(mask->crop_y >= 0 && mask->crop_h > 0 && mask->crop_y + mask->crop_h <= 65535);
    for (int32_t y = 0; y < mask->content_h; y++)
        for (int32_t x = 0; x < mask->content_w; x++)
            sum += pixels[(size_t)y * packet->stride + (size_t)x];
}

/* Touches every byte that a reader of the packet would. */
static void read_all(const rung_packet_header *packet)
{
    switch (packet->space) {
    case RUNG_SPACE_EMBEDDING:
        read_embedding(packet);
        break;
    case RUNG_SPACE_MASK:
        read_mask(packet);
        break;
    default:
        read_targets(packet);
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
