/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/packet.h"

#define HEADER_BYTES 96u
#define TARGET_BYTES 80u
#define PAIR_BYTES   8u

/** Q3 to Q8. */
#define WIDEN_BITS 5u

/** A target must be wider and higher than this in Q3: two source pixels. */
#define ACTIONABLE_ABOVE 16u

_Static_assert(sizeof(rung_target) == TARGET_BYTES, "the record of targets.md");

/** Attachments placed so far. */
struct attachments {
    uint32_t bytes;
    bool truncated;
};

/** The key points of one candidate. */
struct pairs {
    const int32_t *values;
    uint32_t count;
};

static struct pairs pairs_of(const struct rung__points *points, uint16_t payload)
{
    if (payload == RUNG__NO_PAYLOAD || payload >= points->count)
        return (struct pairs){NULL, 0};
    const size_t first = points->first ? points->first[payload] : (size_t)payload * points->per;
    const uint32_t count =
        points->first ? points->first[payload + 1] - points->first[payload] : points->per;
    return (struct pairs){points->pairs + 2 * first, count};
}

/** The bytes of the next record's attachment; after the first that does not fit there are none. */
static uint16_t attach(struct attachments *attachments, uint32_t pairs)
{
    const uint64_t bytes = (uint64_t)pairs * PAIR_BYTES;
    if (bytes > UINT16_MAX || bytes > RUNG__ATTACHMENT_BYTES_MAX - attachments->bytes)
        attachments->truncated = true;
    if (attachments->truncated)
        return 0;
    attachments->bytes += (uint32_t)bytes;
    return (uint16_t)bytes;
}

static const struct rung__candidate *candidate_at(const struct rung__packet_request *request,
                                                  uint32_t order)
{
    return &request->candidates[request->selected->order[order]];
}

static struct attachments measure(const struct rung__packet_request *request)
{
    struct attachments attachments = {0, false};
    for (uint32_t i = 0; i < request->selected->count; i++)
        attach(&attachments, pairs_of(&request->points, candidate_at(request, i)->payload).count);
    return attachments;
}

/* FNV-1a. Each step waits for the one before; bytes of 0 only multiply, all that end a field at
 * once.
 */
uint64_t rung__target_id(const uint64_t fields[7])
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    const uint64_t two = prime * prime, four = two * two;
    const uint64_t powers[] = {1,          prime,        two,        two * prime,
                               four,       four * prime, four * two, four * two * prime,
                               four * four};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < 7; i++) {
        uint32_t left = 8;
        for (uint64_t rest = fields[i]; rest; rest >>= 8, left--)
            hash = (hash ^ (rest & 0xff)) * prime;
        hash *= powers[left];
    }
    return hash ? hash : 1;
}

/** The capabilities of an actionable candidate, 0 for every other. */
static uint32_t capabilities_of(const struct rung__packet_request *request,
                                const struct rung__candidate *candidate)
{
    const uint32_t barred = RUNG_TARGET_DISABLED | RUNG_TARGET_SECURE;
    if (!request->capabilities || !(candidate->flags & RUNG_TARGET_ACTIONABLE) ||
        (candidate->flags & barred))
        return 0;
    if ((uint64_t)candidate->w << request->k <= ACTIONABLE_ABOVE ||
        (uint64_t)candidate->h << request->k <= ACTIONABLE_ABOVE)
        return 0;
    return request->capabilities[candidate->class_id];
}

static void write_header(const struct rung__packet_request *request,
                         const struct attachments *attachments, uint64_t total, uint8_t *to)
{
    const struct rung__selected *selected = request->selected;
    const rung_packet_header header = {
        .count = selected->count,
        .stride = TARGET_BYTES,
        .flags = (selected->incomplete || request->left_out ? RUNG_PACKET_INCOMPLETE : 0u) |
                 (attachments->truncated ? RUNG_PACKET_ATTACHMENTS_TRUNCATED : 0u),
        .space = request->space,
        .scene_epoch = request->scene_epoch,
        .frame_id = request->frame_id,
        .model_epoch = request->model_epoch,
        .session_epoch = request->session_epoch,
        .transform_epoch = request->transform_epoch,
        .topology_epoch = request->topology_epoch,
        .source_id = request->source_id,
        .total_size = total,
    };
    rung__packet_header_write(&header, to);
}

/** The fields in front of the attachment's. */
static void write_target(const struct rung__packet_request *request,
                         const struct rung__candidate *candidate, uint32_t order, uint8_t *to)
{
    const uint32_t shift = WIDEN_BITS + request->k;
    const uint32_t x = (uint32_t)candidate->x << shift, y = (uint32_t)candidate->y << shift;
    const uint32_t w = (uint32_t)candidate->w << shift, h = (uint32_t)candidate->h << shift;
    const uint32_t capabilities = capabilities_of(request, candidate);
    const uint32_t kept_flags = RUNG_TARGET_DISABLED | RUNG_TARGET_SECURE;
    const uint64_t id = rung__target_id((const uint64_t[]){
        request->source_id, x, y, w, h, candidate->class_id, candidate->source_bits});
    const uint64_t longs[] = {id, 0, request->source_id, request->display_id};
    const uint32_t words[] = {x, y, w, h, x + w / 2, y + h / 2, candidate->confidence};
    for (size_t i = 0; i < sizeof longs / sizeof *longs; i++, to += 8)
        rung__put_u64(to, longs[i]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++, to += 4)
        rung__put_u32(to, words[i]);
    rung__put_u16(to, candidate->class_id);
    rung__put_u16(to + 2, candidate->source_bits);
    rung__put_u32(to + 4, capabilities);
    rung__put_u32(to + 8, (candidate->flags & kept_flags) |
                              (capabilities ? (uint32_t)RUNG_TARGET_ACTIONABLE : 0));
    rung__put_u32(to + 12, order);
}

/** The last two fields of a record, and the key points behind the targets. */
static void write_attachment(const struct pairs *pairs, uint32_t offset, uint16_t bytes,
                             uint8_t *record, uint8_t *attachments)
{
    rung__put_u16(record + 76, (uint16_t)(bytes ? offset / 8 : 0));
    rung__put_u16(record + 78, bytes);
    for (uint32_t i = 0; i < bytes / 4u; i++)
        rung__put_u32(attachments + offset + 4 * (size_t)i, (uint32_t)pairs->values[i]);
}

rung_result rung__packet_write(const struct rung__packet_request *request, void *to, size_t size,
                               size_t *needed)
{
    const struct attachments all = measure(request);
    const uint32_t count = request->selected->count;
    const size_t targets_end = HEADER_BYTES + (size_t)count * TARGET_BYTES;
    const size_t total = targets_end + all.bytes;
    *needed = total;
    rung_result result = rung__packet_check_room(size, total);
    if (result != RUNG_OK)
        return result;

    uint8_t *bytes = to;
    struct attachments placed = {0, false};
    write_header(request, &all, total, bytes);
    for (uint32_t i = 0; i < count; i++) {
        const struct rung__candidate *candidate = candidate_at(request, i);
        const struct pairs pairs = pairs_of(&request->points, candidate->payload);
        const uint32_t offset = placed.bytes;
        uint8_t *record = bytes + HEADER_BYTES + (size_t)i * TARGET_BYTES;
        write_target(request, candidate, i, record);
        write_attachment(&pairs, offset, attach(&placed, pairs.count), record, bytes + targets_end);
    }
    return RUNG_OK;
}
