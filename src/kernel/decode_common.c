/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_common.h"

#include <rung/packet.h>

#include "artifact/heads.h"
#include "kernel/exact.h"
#include "kernel/select.h"

uint32_t rung__decode_parameter(const struct rung__decode_request *request, uint32_t key,
                                uint32_t i)
{
    const struct rung__parameter *parameter = rung__head_parameter(request->tensors, key);
    if (!parameter || i >= parameter->count)
        return 0;
    return rung__get_u32(parameter->values.data + (size_t)i * 4);
}

uint32_t rung__decode_dim(const struct rung__values *values, uint32_t from_last)
{
    return values->tensor->dims[values->tensor->rank - 1 - from_last];
}

uint16_t rung__decode_score(float value, bool is_logit)
{
    return is_logit ? rung__sigmoid_confidence(value) : rung__confidence(value);
}

bool rung__decode_may_pass(const struct rung__selection *selection, uint16_t confidence)
{
    /* The band is on when its confidence is not 0, and never asks for more than the minimum. */
    const uint16_t least =
        selection->band_confidence ? selection->band_confidence : selection->min_confidence;
    return confidence != 0 && confidence >= least;
}

bool rung__decode_class(float value, uint8_t *out)
{
    uint32_t bits = rung__f32_bits(value);
    if (bits == 0x80000000u)
        bits = 0;
    if (bits > rung__f32_bits(255.0f)) /* negative ones and NaN too */
        return false;
    const uint8_t whole = (uint8_t)rung__round_even(value);
    /* Told from the bits: a subnormal is no 0, even where arithmetic takes it for one. */
    if (rung__f32_bits((float)whole) != bits)
        return false;
    *out = whole;
    return true;
}

bool rung__decode_candidate(const struct rung__decode_request *request, const struct rung__box *box,
                            uint16_t confidence, uint8_t class_id, struct rung__candidate *out)
{
    const struct rung__mapping *mapping = request->mapping;
    int32_t left, right, top, bottom;
    if (!rung__axis_edge(&mapping->x, box->left, &left) ||
        !rung__axis_edge(&mapping->x, box->right, &right) ||
        !rung__axis_edge(&mapping->y, box->top, &top) ||
        !rung__axis_edge(&mapping->y, box->bottom, &bottom))
        return false;
    if (right <= left || bottom <= top)
        return false;
    *out = (struct rung__candidate){
        .x = (uint16_t)left,
        .y = (uint16_t)top,
        .w = (uint16_t)(right - left),
        .h = (uint16_t)(bottom - top),
        .confidence = confidence,
        .class_id = class_id,
        .source_bits = RUNG__SOURCE_NEURAL,
        .flags = RUNG_TARGET_ACTIONABLE,
        .payload = RUNG__NO_PAYLOAD,
    };
    return rung__candidate_is_admitted(out, request->selection, mapping->k);
}

bool rung__decode_keep(const struct rung__decode_request *request, struct rung__decoded *decoded,
                       const struct rung__candidate *candidate, uint32_t row)
{
    decoded->survivors++;
    if (decoded->count >= request->selection->capacity)
        return false;
    if (decoded->rows)
        decoded->rows[decoded->count] = row;
    decoded->candidates[decoded->count++] = *candidate;
    return true;
}
