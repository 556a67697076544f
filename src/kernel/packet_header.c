/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "kernel/packet.h"

#define HEADER_BYTES   96u
#define PACKET_VERSION 1u

_Static_assert(sizeof(rung_packet_header) == HEADER_BYTES, "the header of targets.md");

void rung__packet_header_write(const rung_packet_header *header, uint8_t *to)
{
    const uint32_t words[] = {HEADER_BYTES,   PACKET_VERSION, header->count,
                              header->stride, header->flags,  header->space};
    const uint64_t longs[] = {
        header->scene_epoch,     header->frame_id,       header->model_epoch, header->session_epoch,
        header->transform_epoch, header->topology_epoch, header->source_id,   HEADER_BYTES,
        header->total_size};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++, to += 4)
        rung__put_u32(to, words[i]);
    for (size_t i = 0; i < sizeof longs / sizeof *longs; i++, to += 8)
        rung__put_u64(to, longs[i]);
}

rung_result rung__packet_check_room(size_t size, size_t needed)
{
    if (size < needed)
        return rung__fail(RUNG_CAPACITY,
                          "the packet needs %zu bytes and the span has %zu; give a larger span",
                          needed, size);
    return RUNG_OK;
}
