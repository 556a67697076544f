/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/vectors_compare.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "artifact/names.h"
#include "artifact/tensors.h"
#include "base/error.h"

#define UNTOUCHED 0xa5

/* ---- decoding -------------------------------------------------------------------------------- */

static rung_result map_back(const struct rung__vectors_decode *decode,
                            struct rung__mapping *mapping)
{
    const struct rung__vectors_place *place = &decode->place;
    const struct rung__placement placement = rung__vectors_place(place);
    rung__mapping(&placement, place->source_width, place->source_height, mapping);
    const rung_result result = rung__vectors_same_place(&placement, &decode->placement);
    return result == RUNG_OK ? rung__vectors_same("k", mapping->k, decode->k) : result;
}

static rung_result make_outputs(struct rung__vectors_run *run,
                                const struct rung__vectors_decode *decode,
                                struct rung__decode_request *request)
{
    for (uint32_t i = 0; i < decode->tensors.output_count; i++) {
        const struct rung__tensor *tensor = &decode->tensors.outputs[i];
        float *values = rung__vectors_take(run, rung__tensor_size(tensor), 0);
        if (!values)
            return RUNG_NO_MEMORY;
        rung__vectors_make_output(decode, i, values);
        request->outputs[tensor->purpose] = (struct rung__values){values, tensor};
    }
    return RUNG_OK;
}

static rung_result take_decoded(struct rung__vectors_run *run,
                                const struct rung__vectors_decode *decode,
                                struct rung__decoded *out)
{
    const uint64_t capacity = decode->selection.capacity;
    const uint64_t points = capacity * rung__head_points(decode->head) * sizeof(int32_t[2]);
    *out = (struct rung__decoded){
        .candidates = rung__vectors_take(run, capacity * sizeof *out->candidates, UNTOUCHED),
        .rows = rung__vectors_take(run, capacity * sizeof *out->rows, UNTOUCHED),
    };
    if (points > 0)
        out->points = rung__vectors_take(run, points, UNTOUCHED);
    return out->candidates && out->rows && (out->points || points == 0) ? RUNG_OK : RUNG_NO_MEMORY;
}

static rung_result decode_outputs(struct rung__vectors_run *run,
                                  const struct rung__vectors_decode *decode,
                                  struct rung__decoded *decoded)
{
    struct rung__decode_kernels kernels;
    struct rung__mapping mapping;
    struct rung__decode_request request = {.canvas = &decode->place.canvas,
                                           .mapping = &mapping,
                                           .selection = &decode->selection,
                                           .tensors = &decode->tensors,
                                           .scan = &kernels.scan};
    rung__decode_init(&kernels, run->cpu_flags);
    if (!kernels.heads[decode->head])
        return rung__fail(RUNG_NOT_FOUND, "there is no decoder for head %s",
                          rung__name_text(&rung__head_names, decode->head));
    rung_result result = map_back(decode, &mapping);
    if (result == RUNG_OK)
        result = make_outputs(run, decode, &request);
    if (result == RUNG_OK)
        result = take_decoded(run, decode, decoded);
    if (result == RUNG_OK)
        kernels.heads[decode->head](&request, decoded);
    return result;
}

static rung_result same_decoded(const struct rung__vectors_decode *decode,
                                const struct rung__decoded *decoded)
{
    const size_t point_bytes = decoded->points_per * sizeof(int32_t[2]);
    rung_result result = rung__vectors_same("survivors", decoded->survivors, decode->survivors);
    if (result == RUNG_OK)
        result = rung__vectors_same("count", decoded->count, decode->count);
    if (result == RUNG_OK)
        result =
            rung__vectors_same("left_out", decoded->survivors > decoded->count, decode->left_out);
    if (result == RUNG_OK)
        result = rung__vectors_same_bytes("the records", decoded->candidates,
                                          decoded->count * sizeof *decoded->candidates,
                                          &decode->records);
    if (result == RUNG_OK && decode->rows)
        result = rung__vectors_same_list("rows_kept", decoded->rows, decode->rows, decode->count);
    if (result == RUNG_OK && decode->points.size > 0)
        result = rung__vectors_same_bytes("the points", decoded->points,
                                          decoded->count * point_bytes, &decode->points);
    return result;
}

rung_result rung__vectors_check_decode(struct rung__vectors_run *run,
                                       const struct rung__vectors_case *vector)
{
    struct rung__decoded decoded = {0};
    const rung_result result = decode_outputs(run, &vector->decode, &decoded);
    return result == RUNG_OK ? same_decoded(&vector->decode, &decoded) : result;
}

/* ---- selection ------------------------------------------------------------------------------- */

static rung_result same_order(const struct rung__vectors_select *select,
                              const struct rung__selected *selected)
{
    const size_t size = selected->count * sizeof *selected->order;
    struct rung__vectors_blob indices = {.size = size};
    memcpy(indices.digest, select->indices_digest, sizeof indices.digest);
    rung_result result = rung__vectors_same("admitted", selected->admitted, select->admitted);
    if (result == RUNG_OK)
        result = rung__vectors_same("accepted", selected->accepted, select->accepted);
    if (result == RUNG_OK)
        result = rung__vectors_same("count", selected->count, select->count);
    if (result == RUNG_OK && select->indices)
        result =
            rung__vectors_same_list("indices", selected->order, select->indices, select->count);
    if (result == RUNG_OK)
        result = rung__vectors_same_bytes("the indices", selected->order, size, &indices);
    return result;
}

/** A span one byte short gives the size that is needed and stays as it was. */
static rung_result check_short_span(struct rung__vectors_run *run,
                                    const struct rung__packet_request *request, size_t total)
{
    uint8_t *span = rung__vectors_take(run, total - 1, UNTOUCHED);
    size_t needed = 0;
    if (!span)
        return RUNG_NO_MEMORY;
    if (rung__packet_write(request, span, total - 1, &needed) != RUNG_CAPACITY)
        return rung__fail(RUNG_INTEGRITY,
                          "a span one byte short of the packet is taken; CAPACITY was expected");
    for (size_t i = 0; i < total - 1; i++)
        if (span[i] != UNTOUCHED)
            return rung__fail(RUNG_INTEGRITY,
                              "byte %zu of a span one byte short of the packet was written", i);
    return rung__vectors_same("the size needed", needed, total);
}

static rung_result check_packet(struct rung__vectors_run *run,
                                const struct rung__vectors_select *select,
                                const struct rung__packet_request *request)
{
    size_t size = 0;
    (void)rung__packet_write(request, NULL, 0, &size);
    uint8_t *span = rung__vectors_take(run, size, UNTOUCHED);
    if (!span)
        return RUNG_NO_MEMORY;
    rung_result result = check_short_span(run, request, size);
    if (result == RUNG_OK)
        result = rung__packet_write(request, span, size, &size);
    if (result == RUNG_OK)
        result = rung__vectors_same("packet_flags",
                                    rung__get_u32(span + offsetof(rung_packet_header, flags)),
                                    select->packet_flags);
    if (result == RUNG_OK)
        result = rung__vectors_same_bytes("the packet", span, size, &select->bytes);
    return result;
}

/** `packet` lacks only its candidates. */
static rung_result select_and_pack(struct rung__vectors_run *run,
                                   const struct rung__vectors_select *select,
                                   const struct rung__candidate *candidates, uint32_t count,
                                   struct rung__packet_request packet)
{
    const struct rung__selection *selection = &select->selection;
    struct rung__select_kernels kernels;
    struct rung__selected selected = {
        .order = rung__vectors_take(run, selection->max_targets * sizeof(uint32_t), UNTOUCHED)};
    rung__select_init(&kernels, run->cpu_flags);
    void *workspace = rung__vectors_take(run, kernels.workspace_bytes(selection, count), UNTOUCHED);
    if (!selected.order || !workspace)
        return RUNG_NO_MEMORY;
    kernels.run(candidates, count, selection, packet.k, workspace, &selected);
    packet.candidates = candidates;
    packet.selected = &selected;
    const rung_result result = same_order(select, &selected);
    return result == RUNG_OK ? check_packet(run, select, &packet) : result;
}

static rung_result make_points(struct rung__vectors_run *run,
                               const struct rung__vectors_points *points, uint32_t count,
                               struct rung__points *out)
{
    uint32_t *first = rung__vectors_take(run, ((uint64_t)count + 1) * sizeof *first, 0);
    int32_t *pairs = rung__vectors_take(run, (uint64_t)points->pairs * sizeof(int32_t[2]), 0);
    if (!first || !pairs)
        return RUNG_NO_MEMORY;
    rung__vectors_make_points(points, count, first, pairs);
    *out = (struct rung__points){pairs, first, 0, count};
    return RUNG_OK;
}

rung_result rung__vectors_check_select(struct rung__vectors_run *run,
                                       const struct rung__vectors_case *vector)
{
    const struct rung__vectors_select *select = &vector->select;
    const uint32_t count = select->candidates.count;
    struct rung__packet_request packet = select->packet;
    struct rung__candidate *candidates =
        rung__vectors_take(run, (uint64_t)count * sizeof *candidates, 0);
    rung_result result = candidates ? RUNG_OK : RUNG_NO_MEMORY;
    if (result == RUNG_OK)
        rung__vectors_make_candidates(&select->candidates, candidates);
    if (result == RUNG_OK && select->points.per_count > 0)
        result = make_points(run, &select->points, count, &packet.points);
    if (result == RUNG_OK)
        result = select_and_pack(run, select, candidates, count, packet);
    return result;
}

rung_result rung__vectors_check_e2e(struct rung__vectors_run *run,
                                    const struct rung__vectors_case *vector)
{
    struct rung__packet_request packet = vector->select.packet;
    struct rung__decoded decoded = {0};
    rung_result result = decode_outputs(run, &vector->decode, &decoded);
    if (result == RUNG_OK)
        result = same_decoded(&vector->decode, &decoded);
    if (result != RUNG_OK)
        return result;
    packet.left_out = decoded.survivors > decoded.count;
    packet.points = (struct rung__points){decoded.points, NULL, decoded.points_per,
                                          decoded.points ? decoded.count : 0};
    return select_and_pack(run, &vector->select, decoded.candidates, decoded.count, packet);
}
