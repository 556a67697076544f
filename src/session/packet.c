/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a packet that somebody else may have written. */
#include <rung/targets.h>

#include "artifact/header.h"
#include "base/error.h"
#include "kernel/embedding.h"
#include "kernel/packet.h"
#include "kernel/preprocess.h"

#define PACKET_VERSION 1u
#define UNIT           8u /* bytes of an attachment come in these */
#define CONFIDENCE_MAX 65535u

#define HEADER_FLAGS                                                                               \
    (RUNG_PACKET_INCOMPLETE | RUNG_PACKET_ATTACHMENTS_TRUNCATED | RUNG_PACKET_STALE)
#define BARRED_FLAGS (RUNG_TARGET_DISABLED | RUNG_TARGET_SECURE)
#define TARGET_FLAGS (RUNG_TARGET_ACTIONABLE | BARRED_FLAGS)

static rung_result check_space(const rung_packet_header *header)
{
    switch (header->space) {
    case RUNG_SPACE_CANVAS:
    case RUNG_SPACE_SOURCE:
    case RUNG_SPACE_DESKTOP:
    case RUNG_SPACE_EMBEDDING:
    case RUNG_SPACE_MASK:
        break;
    default:
        return rung__fail(RUNG_INTEGRITY, "packet: space %u is unknown", header->space);
    }
    if ((header->scene_epoch != 0) != (header->space == RUNG_SPACE_DESKTOP))
        return rung__fail(RUNG_INTEGRITY, "packet: scene_epoch is %llu in space %u",
                          (unsigned long long)header->scene_epoch, header->space);
    return RUNG_OK;
}

/* What the fields before the counts must be for them to mean anything. */
static rung_result check_head(const void *data, size_t size)
{
    const rung_packet_header *header = data;
    if (!data || (uintptr_t)data % UNIT)
        return rung__fail(RUNG_INVALID_ARGUMENT, "packet: the data is NULL or not 8-byte aligned");
    if (size < sizeof *header)
        return rung__fail(RUNG_INTEGRITY, "packet: %zu bytes hold no header of %zu", size,
                          sizeof *header);
    if (header->version != PACKET_VERSION)
        return rung__fail(RUNG_VERSION, "packet: version %u; this library reads version %u",
                          header->version, PACKET_VERSION);
    if (header->struct_size != sizeof *header || header->targets_offset != sizeof *header)
        return rung__fail(
            RUNG_INTEGRITY, "packet: struct_size is %u and targets_offset %llu, not %zu each",
            header->struct_size, (unsigned long long)header->targets_offset, sizeof *header);
    if (header->flags & ~(uint32_t)HEADER_FLAGS)
        return rung__fail(RUNG_INTEGRITY, "packet: unknown flags %#x", header->flags);
    return check_space(header);
}

/* For what all records have in common. */
static rung_result check_stride(const rung_packet_header *header, uint32_t stride)
{
    if (header->stride != stride)
        return rung__fail(RUNG_INTEGRITY, "packet: the stride is %u, not %u", header->stride,
                          stride);
    return RUNG_OK;
}

static rung_result check_count(const rung_packet_header *header, uint32_t least, uint32_t most)
{
    if (header->count < least || header->count > most)
        return rung__fail(RUNG_INTEGRITY, "packet: the count is %u, not %u..%u", header->count,
                          least, most);
    return RUNG_OK;
}

static rung_result check_size(const rung_packet_header *header, size_t size, uint64_t least,
                              uint64_t most)
{
    if (header->total_size > size)
        return rung__fail(RUNG_INTEGRITY, "packet: it says %llu bytes and %zu are at hand: cut off",
                          (unsigned long long)header->total_size, size);
    if (header->total_size < least || header->total_size > most)
        return rung__fail(RUNG_INTEGRITY, "packet: total_size %llu does not suit %u records of %u",
                          (unsigned long long)header->total_size, header->count, header->stride);
    return RUNG_OK;
}

/* ---- targets ----------------------------------------------------------------------------- */

/* The bytes that are left for attachments when header and targets have taken theirs. */
static rung_result measure(const rung_packet_header *header, size_t size, uint32_t *attachments)
{
    rung_result result = check_stride(header, sizeof(rung_target));
    if (result == RUNG_OK)
        result = check_count(header, 0, RUNG__TARGETS_MAX);
    if (result != RUNG_OK)
        return result;
    const size_t targets_end = sizeof *header + (size_t)header->count * sizeof(rung_target);
    result = check_size(header, size, targets_end, targets_end + RUNG__ATTACHMENT_BYTES_MAX);
    if (result == RUNG_OK)
        *attachments = (uint32_t)(header->total_size - targets_end);
    return result;
}

static bool has_area(int32_t start, int32_t length, int32_t safe)
{
    return length > 0 && start <= INT32_MAX - length && safe >= start && safe < start + length;
}

static const char *wrong_field(const rung_packet_header *header, const rung_target *target,
                               uint32_t order)
{
    const bool actionable = target->flags & RUNG_TARGET_ACTIONABLE;
    if (target->target_id == 0)
        return "target_id is 0";
    if (target->order != order)
        return "order is not its position";
    if (!has_area(target->x, target->w, target->safe_x) ||
        !has_area(target->y, target->h, target->safe_y))
        return "the box has no inside, or the safe point is not there";
    if (target->confidence == 0 || target->confidence > CONFIDENCE_MAX)
        return "confidence is not in 1..65535";
    if (target->flags & ~(uint32_t)TARGET_FLAGS)
        return "flags has unknown bits";
    if (actionable && header->flags & RUNG_PACKET_STALE)
        return "it is actionable in a packet that is stale";
    if (actionable && target->flags & BARRED_FLAGS)
        return "it is actionable, and disabled or secure";
    if (actionable != (target->capabilities != 0))
        return "capabilities do not suit the flags";
    return NULL;
}

/* `*used` are the bytes of attachments before this one. */
static const char *wrong_attachment(const rung_target *target, uint32_t all, uint32_t *used)
{
    const uint32_t bytes = target->attachment_bytes;
    const uint32_t expected = bytes ? *used / UNIT : 0;
    if (bytes % UNIT)
        return "attachment_bytes is no multiple of 8";
    if (target->attachment_offset != expected)
        return "attachment_offset is not the end of the attachment before";
    if (bytes > all - *used)
        return "the attachment goes beyond the packet";
    *used += bytes;
    return NULL;
}

static rung_result check_targets(const rung_packet_header *header, size_t size)
{
    uint32_t attachments = 0, used = 0;
    rung_result result = measure(header, size, &attachments);
    if (result != RUNG_OK)
        return result;

    const rung_target *targets = (const rung_target *)(header + 1);
    for (uint32_t i = 0; i < header->count; i++) {
        const char *wrong = wrong_field(header, &targets[i], i);
        if (!wrong)
            wrong = wrong_attachment(&targets[i], attachments, &used);
        if (wrong)
            return rung__fail(RUNG_INTEGRITY, "packet: target %u: %s", i, wrong);
    }
    if (used != attachments)
        return rung__fail(RUNG_INTEGRITY, "packet: %u bytes of attachments belong to no target",
                          attachments - used);
    return RUNG_OK;
}

/* ---- the other roles --------------------------------------------------------------------- */

static rung_result check_no_flags(const rung_packet_header *header)
{
    if (header->flags & ~(uint32_t)RUNG_PACKET_STALE)
        return rung__fail(RUNG_INTEGRITY, "packet: flags %#x in space %u, which has only %#x",
                          header->flags, header->space, RUNG_PACKET_STALE);
    return RUNG_OK;
}

static rung_result check_embedding(const rung_packet_header *header, size_t size)
{
    const float *numbers = (const float *)(header + 1);
    rung_result result = check_no_flags(header);
    if (result == RUNG_OK)
        result = check_stride(header, sizeof *numbers);
    if (result == RUNG_OK)
        result = check_count(header, 1, RUNG__EMBEDDING_MAX);
    const uint64_t total = sizeof *header + (uint64_t)header->count * sizeof *numbers;
    if (result == RUNG_OK)
        result = check_size(header, size, total, total);
    if (result != RUNG_OK)
        return result;
    const uint32_t at = rung__embedding_find_not_finite(numbers, header->count);
    if (at < header->count)
        return rung__fail(RUNG_INTEGRITY, "packet: number %u is not finite", at);
    return RUNG_OK;
}

/* start + length lies in 0..limit, and something is there. */
static bool is_inside(int32_t start, int32_t length, int32_t limit)
{
    return start >= 0 && length > 0 && length <= limit && start <= limit - length;
}

static const char *wrong_place(const rung_packet_header *header, const rung_mask *mask)
{
    if (!is_inside(mask->crop_x, mask->crop_w, RUNG__FRAME_SIDE_MAX) ||
        !is_inside(mask->crop_y, mask->crop_h, RUNG__FRAME_SIDE_MAX))
        return "the crop is not inside a frame";
    if (!is_inside(mask->content_x, mask->content_w, RUNG__SIDE_MAX) ||
        !is_inside(mask->content_y, mask->content_h, RUNG__SIDE_MAX))
        return "the content is not inside a canvas";
    if ((uint32_t)mask->content_h != header->count || (uint32_t)mask->content_w != header->stride)
        return "count and stride are not the content's height and width";
    return NULL;
}

static rung_result check_mask(const rung_packet_header *header, size_t size)
{
    const rung_mask *mask = (const rung_mask *)(header + 1);
    const uint64_t total = sizeof *header + sizeof *mask + (uint64_t)header->count * header->stride;
    rung_result result = check_no_flags(header);
    if (result == RUNG_OK)
        result = check_count(header, 1, RUNG__SIDE_MAX);
    if (result == RUNG_OK)
        result = check_size(header, size, total, total);
    if (result != RUNG_OK)
        return result;
    const char *wrong = wrong_place(header, mask);
    return wrong ? rung__fail(RUNG_INTEGRITY, "packet: mask: %s", wrong) : RUNG_OK;
}

rung_result rung_packet_check(const void *data, size_t size)
{
    const rung_packet_header *header = data;
    rung_result result = check_head(data, size);
    if (result != RUNG_OK)
        return result;
    switch (header->space) {
    case RUNG_SPACE_EMBEDDING:
        return check_embedding(header, size);
    case RUNG_SPACE_MASK:
        return check_mask(header, size);
    default:
        return check_targets(header, size);
    }
}
