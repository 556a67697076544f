/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/compose.h"

#include "kernel/packet.h"

#define PAIR_BYTES 8u
/** Of an origin in the order: the part above them, its target below. */
#define TARGET_BITS 16u

/** The packet as it grows. */
struct writing {
    rung_target *targets;
    uint8_t *attachments; /**< behind the last target */
    uint32_t attached;    /**< bytes */
    bool truncated;
};

uint64_t rung__compose_bytes(uint32_t max_targets, uint32_t points)
{
    const uint64_t attachments = (uint64_t)max_targets * points * PAIR_BYTES;
    return sizeof(rung_packet_header) + (uint64_t)max_targets * sizeof(rung_target) +
           (attachments < RUNG__ATTACHMENT_BYTES_MAX ? attachments : RUNG__ATTACHMENT_BYTES_MAX);
}

static const rung_target *targets_of(const struct rung__scene_part *part)
{
    return (const rung_target *)(part->packet + 1);
}

/** All that show and pass the user's filter, of which the best stay. */
static void collect(const struct rung__composition *composition, struct rung__reduction *reduction)
{
    rung_target placed;
    for (uint32_t p = 0; p < composition->part_count; p++) {
        const struct rung__scene_part *part = &composition->parts[p];
        const rung_target *targets = targets_of(part);
        for (uint32_t i = 0; i < part->packet->count; i++)
            if (targets[i].confidence >= composition->min_confidence &&
                rung__desktop_target(part->map, &targets[i], &placed))
                rung__reduction_add(reduction, &placed, p << TARGET_BITS | i);
    }
}

/** Moves the key points of a target behind those before; after the first that do not fit there are
 * none. */
static void attach(struct writing *writing, const struct rung__scene_part *part,
                   const rung_target *source, rung_target *target)
{
    const int32_t *from =
        (const int32_t *)((const uint8_t *)(targets_of(part) + part->packet->count) +
                          (size_t)source->attachment_offset * PAIR_BYTES);
    int32_t *to = (int32_t *)(writing->attachments + writing->attached);
    const uint32_t bytes = source->attachment_bytes;
    writing->truncated |= bytes > RUNG__ATTACHMENT_BYTES_MAX - writing->attached;
    target->attachment_offset = target->attachment_bytes = 0;
    if (!bytes || writing->truncated)
        return;
    target->attachment_offset = (uint16_t)(writing->attached / PAIR_BYTES);
    target->attachment_bytes = (uint16_t)bytes;
    for (uint32_t i = 0; i < bytes / sizeof *to; i += 2) {
        to[i] = rung__desktop_x(part->map, from[i]);
        to[i + 1] = rung__desktop_y(part->map, from[i + 1]);
    }
    writing->attached += bytes;
}

static void write_target(const struct rung__composition *composition, uint32_t origin,
                         uint32_t order, struct writing *writing)
{
    struct rung__scene_part *part = &composition->parts[origin >> TARGET_BITS];
    const rung_target *source = &targets_of(part)[origin & ((1u << TARGET_BITS) - 1)];
    rung_target *target = &writing->targets[order];
    (void)rung__desktop_target(part->map, source, target); /* it shows, or it would not be here */
    target->order = order;
    if (composition->outdated) {
        target->flags &= ~(uint32_t)RUNG_TARGET_ACTIONABLE;
        target->capabilities = 0;
    }
    attach(writing, part, source, target);
    part->targets++;
}

/** The flags of all parts together. */
static uint32_t flags_of(const struct rung__composition *composition)
{
    uint32_t flags = 0;
    for (uint32_t p = 0; p < composition->part_count; p++)
        flags |= composition->parts[p].packet->flags;
    return flags;
}

uint64_t rung__compose(struct rung__composition *composition, void *to)
{
    struct rung__reduction reduction = {composition->keys, composition->max_targets, 0, false};
    rung_packet_header header = composition->header;
    header.flags = flags_of(composition);
    composition->outdated |= (header.flags & RUNG_PACKET_STALE) != 0;
    for (uint32_t p = 0; p < composition->part_count; p++)
        composition->parts[p].targets = 0;
    collect(composition, &reduction);
    rung__reduction_sort(&reduction);

    rung_target *targets = (rung_target *)((rung_packet_header *)to + 1);
    struct writing writing = {.targets = targets,
                              .attachments = (uint8_t *)(targets + reduction.count)};
    for (uint32_t i = 0; i < reduction.count; i++)
        write_target(composition, reduction.keys[i].origin, i, &writing);

    header.count = reduction.count;
    header.stride = sizeof *targets;
    header.space = RUNG_SPACE_DESKTOP;
    composition->left_out = reduction.left_out || header.flags & RUNG_PACKET_INCOMPLETE;
    if (composition->left_out || composition->incomplete)
        header.flags |= RUNG_PACKET_INCOMPLETE;
    if (composition->outdated)
        header.flags |= RUNG_PACKET_STALE;
    if (writing.truncated)
        header.flags |= RUNG_PACKET_ATTACHMENTS_TRUNCATED;
    header.total_size =
        sizeof header + (uint64_t)reduction.count * sizeof *targets + writing.attached;
    rung__packet_header_write(&header, to);
    return header.total_size;
}
